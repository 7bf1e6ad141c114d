import { test, type Test } from 'tap';
import { PART_ROWS, readAuditPart, type AuditFilter } from '../../../http/audit/audit-query.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import type { AuditEntryRecord } from '../../../src/core/records/audit-entry.ts';
import { budgetOf } from '../../../src/core/records/audit-entry.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { startOfUuid7 } from '../../../src/core/uuid-time.ts';
import { NO_CALLBACKS } from '../../kit/commit-callbacks.ts';

const T0 = 1_795_000_000_000;

const idAt = (number: number): string =>
  `${startOfUuid7(T0 + 1_000 * number)}-7000-8000-${number.toString(16).padStart(12, '0')}`;

/** Entries of one second each; every third one is a denial of an unknown sender. */
function entryAt(number: number): AuditEntryRecord {
  const isDenied = number % 3 === 0;
  return {
    version: 1,
    serial: number,
    actor: isDenied ? '' : number % 2 === 0 ? 'Ann' : 'bob',
    actorId: isDenied ? null : 'u1',
    method: isDenied ? 'GET' : 'POST',
    path: number % 5 === 0 ? '/api/v1/jobs/x' : '/api/v1/farms',
    operation: 'createFarm',
    permission: isDenied ? '' : 'infra.manage',
    status: isDenied ? 401 : 201,
    outcome: isDenied ? 'denied' : 'changed',
    reason: null,
    targets: [`t${number}`],
    targetCount: 1,
    requestId: 'r',
    remoteAddress: '10.0.0.1',
    dropped: 0,
  };
}

function storeOf(count: number) {
  const store = createMemoryStore();
  const changes = Array.from({ length: count }, (_, number) => {
    const entry = entryAt(number);
    return put('auditEntry', keys.auditEntry(budgetOf(entry), idAt(number)), entry);
  });
  store.commit({ version: 1, shard: 0, sequence: 1, changes }, NO_CALLBACKS);
  store.flushAll();
  return store;
}

/** Returns the serials of all entries that a filter selects, page by page. */
function serialsOf(
  store: ReturnType<typeof storeOf>,
  filter: AuditFilter,
  wanted: number,
): { serials: number[]; parts: number } {
  const serials: number[] = [];
  let before: string | null = null;
  let parts = 0;
  do {
    const part = readAuditPart(store, filter, before, wanted);
    serials.push(...part.found.map(({ entry }) => entry.serial));
    before = part.before;
    parts++;
  } while (before !== null);
  return { serials, parts };
}

test('pages of every size have each entry once, latest first', (t: Test) => {
  const store = storeOf(100);
  const all = Array.from({ length: 100 }, (_, number) => 99 - number);
  for (const wanted of [1, 7, 99, 100, 101]) t.same(serialsOf(store, {}, wanted).serials, all, `${wanted}`);
  t.same(serialsOf(storeOf(0), {}, 10), { serials: [], parts: 1 });
  t.end();
});

test('filters select what they name, and combine', (t: Test) => {
  const store = storeOf(60);
  const cases: readonly (readonly [AuditFilter, (number: number) => boolean])[] = [
    [{ actor: 'ANN' }, (number) => entryAt(number).actor === 'Ann'],
    [{ outcome: 'denied' }, (number) => number % 3 === 0],
    [{ outcome: 'changed' }, (number) => number % 3 !== 0],
    [{ outcome: 'failed' }, () => false],
    [{ method: 'GET' }, (number) => number % 3 === 0],
    [{ path: '/api/v1/jobs' }, (number) => number % 5 === 0],
    [{ permission: 'infra.manage' }, (number) => number % 3 !== 0],
    [{ target: 't7' }, (number) => number === 7],
    [{ since: T0 + 10_000 }, (number) => number >= 10],
    [{ until: T0 + 10_000 }, (number) => number < 10],
    [
      { since: T0 + 10_000, until: T0 + 20_000, actor: 'bob' },
      (number) => number >= 10 && number < 20 && entryAt(number).actor === 'bob',
    ],
    [{ since: T0 + 20_000, until: T0 + 10_000 }, () => false],
  ];
  for (const [filter, isWanted] of cases) {
    const expected = Array.from({ length: 60 }, (_, number) => 59 - number).filter(isWanted);
    for (const wanted of [3, 100])
      t.same(serialsOf(store, filter, wanted).serials, expected, JSON.stringify(filter));
  }
  t.end();
});

test('one part reads a bounded number of entries, and the next one continues', (t: Test) => {
  const store = storeOf(PART_ROWS + 500);
  const first = readAuditPart(store, { target: 't3' }, null, 10);
  t.same(first.found, []);
  t.equal(first.before, idAt(500));
  t.match(readAuditPart(store, { target: 't3' }, first.before, 10), {
    found: [{ id: idAt(3) }],
    before: null,
  });
  t.end();
});

test('decisions of the service are among all entries, and of one outcome alone', (t) => {
  const store = storeOf(6);
  const decided: AuditEntryRecord = {
    ...entryAt(1),
    serial: 100,
    actor: '',
    actorId: null,
    method: 'PREEMPT',
    status: 0,
    outcome: 'decided',
  };
  const changes = [put('auditEntry', keys.auditEntry('service', idAt(10)), decided)];
  store.commit({ version: 1, shard: 0, sequence: 2, changes }, NO_CALLBACKS);
  store.flushAll();
  t.same(serialsOf(store, { outcome: 'decided' }, 10).serials, [100]);
  t.same(serialsOf(store, {}, 10).serials, [100, 5, 4, 3, 2, 1, 0]);
  t.same(serialsOf(store, { outcome: 'denied' }, 10).serials, [3, 0]);
  t.end();
});
