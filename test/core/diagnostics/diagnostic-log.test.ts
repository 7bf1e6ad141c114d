import fc from 'fast-check';
import { test } from 'tap';
import { COMPONENTS_MAX, DiagnosticLog } from '../../../src/core/diagnostics/diagnostic-log.ts';
import {
  DIAGNOSTIC_LEVELS,
  SERVER_COMPONENT,
  type DiagnosticNote,
  type DiagnosticRecord,
} from '../../../src/core/diagnostics/record.ts';

const said = (msg: string, some: Partial<DiagnosticNote> = {}): DiagnosticNote => ({
  level: 'INFO',
  msg,
  attrs: {},
  ...some,
});

const messages = (records: readonly DiagnosticRecord[]): string[] => records.map(({ msg }) => msg);

test('the last records of each component are kept and returned in order of time', (t) => {
  const log = new DiagnosticLog(2);
  t.strictSame(log.records({ limit: 10 }), []);
  log.add('server', 10n, said('a'));
  log.add('worker:1', 15n, said('b', { level: 'WARN', attrs: { task_id: 'T' } }));
  log.add('server', 20n, said('c', { level: 'ERROR' }));
  log.add('server', 30n, said('d', { level: 'DEBUG' }));
  const b = { at: 15n, component: 'worker:1', level: 'WARN', msg: 'b', attrs: { task_id: 'T' } };
  const c = { at: 20n, component: 'server', level: 'ERROR', msg: 'c', attrs: {} };
  const d = { at: 30n, component: 'server', level: 'DEBUG', msg: 'd', attrs: {} };
  t.strictSame(log.records({ limit: 10 }), [b, c, d]);
  t.strictSame(log.records({ limit: 2 }), [c, d], 'the newest');
  t.strictSame(log.records({ limit: 10, component: 'worker:1' }), [b]);
  t.strictSame(log.records({ limit: 10, component: 'worker' }), []);
  t.strictSame(log.records({ limit: 10, level: 'WARN' }), [b, c]);
  t.strictSame(log.records({ limit: 1, level: 'WARN' }), [c]);
  t.strictSame(log.records({ limit: 10, taskId: 'T' }), [b]);
  t.strictSame(log.records({ limit: 10, since: 15n }), [c, d], 'exclusive');
  t.strictSame(log.records({ limit: 10, since: 30n }), []);
  t.end();
});

test('no two records of a component have the same time', (t) => {
  const log = new DiagnosticLog(9);
  for (const at of [5n, 5n, 3n, 7n, 7n]) log.add('server', at, said(''));
  log.add('worker:1', 5n, said(''));
  const times = log.records({ limit: 9, component: 'server' }).map(({ at }) => at);
  t.strictSame(times, [5n, 6n, 7n, 8n, 9n]);
  t.equal(log.records({ limit: 9, since: 4n }).length, 6);
  t.end();
});

test('the least recently active worker is evicted first, and the server never', (t) => {
  const log = new DiagnosticLog(1);
  log.add(SERVER_COMPONENT, 1n, said('server'));
  for (let each = 1; each < COMPONENTS_MAX; each++) log.add(`worker:${each}`, 2n, said(`${each}`));
  log.add('worker:1', 3n, said('1 again'));
  t.equal(log.records({ limit: 1000 }).length, COMPONENTS_MAX);
  log.add('worker:new', 4n, said('new'));
  const left = messages(log.records({ limit: 1000 }));
  t.equal(left.length, COMPONENTS_MAX);
  t.ok(left.includes('server') && left.includes('1 again') && left.includes('new'));
  t.notOk(left.includes('2'));
  t.end();
});

test('long records stay within the memory of all records', (t) => {
  const log = new DiagnosticLog(10, 100);
  const long = 'x'.repeat(30);
  log.add('server', 1n, said('s'));
  log.add('worker:1', 2n, said(long));
  log.add('worker:2', 3n, said(long));
  t.equal(log.records({ limit: 10 }).length, 3);
  log.add('worker:3', 4n, said(long));
  t.strictSame(
    log.records({ limit: 10 }).map(({ component }) => component),
    ['server', 'worker:2', 'worker:3'],
  );
  t.end();
});

test('a component with many records evicts its own oldest records, not those of others', (t) => {
  const log = new DiagnosticLog(1_000_000, 2_000);
  log.add('server', 1n, said('s'));
  log.add('worker:1', 2n, said('w'));
  // 20 characters each.
  for (let each = 1000; each < 2000; each++) log.add('worker:2', 3n, said(`${each} of many`.padEnd(12)));
  const left = log.records({ limit: 10_000 });
  t.strictSame(messages(left.slice(0, 2)), ['s', 'w']);
  const expected = Array.from({ length: 99 }, (_, nth) => `${1901 + nth} of many`);
  t.strictSame(
    messages(left.slice(2)),
    expected.map((each) => each.padEnd(12)),
  );
  log.add('server', 4n, said('x'.repeat(5_000)));
  t.strictSame(messages(log.records({ limit: 10_000, component: 'server' })), [], 'larger than the limit');
  log.add('server', 5n, said('y'));
  t.strictSame(messages(log.records({ limit: 10_000, component: 'server' })), ['y']);
  t.end();
});

test('a log returns the same as a plain list of its records', (t) => {
  const components = ['server', 'worker:1', 'worker:2'];
  const aRecord = fc.record({
    component: fc.constantFrom(...components),
    step: fc.integer({ min: -1, max: 3 }),
    level: fc.constantFrom(...DIAGNOSTIC_LEVELS),
    taskId: fc.constantFrom('', 'A', 'B'),
  });
  const aQuery = fc.record(
    {
      component: fc.constantFrom(...components),
      level: fc.constantFrom(...DIAGNOSTIC_LEVELS),
      taskId: fc.constantFrom('A', 'B'),
      since: fc.bigInt({ min: 0n, max: 60n }),
    },
    { requiredKeys: [] },
  );
  const limits = fc.integer({ min: 1, max: 30 });
  fc.assert(
    fc.property(
      fc.array(aRecord, { maxLength: 40, size: 'max' }),
      aQuery,
      limits,
      (records, query, limit) => {
        const log = new DiagnosticLog(5);
        const kept = new Map<string, DiagnosticRecord[]>(components.map((each) => [each, []]));
        let now = 1n;
        for (const [number, { component, step, level, taskId }] of records.entries()) {
          now += BigInt(step);
          const attrs: Record<string, string> = taskId === '' ? {} : { task_id: taskId };
          const note: DiagnosticNote = { level, msg: String(number), attrs };
          log.add(component, now, note);
          const own = kept.get(component) ?? [];
          const last = own.at(-1)?.at ?? -100n;
          own.push({ ...note, component, at: now > last ? now : last + 1n });
          if (own.length > 5) own.shift();
        }
        const expected = [...kept.values()]
          .flat()
          .filter(
            (each) =>
              (query.component === undefined || each.component === query.component) &&
              (query.level === undefined ||
                DIAGNOSTIC_LEVELS.indexOf(each.level) >= DIAGNOSTIC_LEVELS.indexOf(query.level)) &&
              (query.taskId === undefined || each.attrs['task_id'] === query.taskId) &&
              (query.since === undefined || each.at > query.since),
          )
          .sort((a, b) => Number(a.at - b.at) || (a.component < b.component ? -1 : 1))
          .slice(-limit);
        const found = log.records({ ...query, limit });
        return messages(found).join() === messages(expected).join();
      },
    ),
  );
  t.end();
});
