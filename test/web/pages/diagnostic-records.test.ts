import * as fc from 'fast-check';
import { test } from 'tap';
import {
  filterRecords,
  hrefOf,
  keyOf,
  mergeRecords,
  RECORDS_MAX,
} from '../../../web/pages/diagnostics/records.ts';
import type { DiagnosticRecord } from '../../../client/resources.ts';
import { workerComponent, workerLogHref, workerOf } from '../../../web/state/worker-component.ts';

const record = (ts: string, rest: Partial<DiagnosticRecord> = {}): DiagnosticRecord => ({
  ts,
  component: 'server',
  level: 'INFO',
  msg: 'started',
  ...rest,
});

test('records are merged by time without duplicates, in any order of arrival', (t) => {
  const all = Array.from({ length: 40 }, (_unused, index) =>
    record(`2026-01-01T00:00:${String(index).padStart(2, '0')}.5Z`),
  );
  fc.assert(
    fc.property(fc.array(fc.subarray(all), { maxLength: 6 }), (parts) => {
      const expected = all.filter((one) => parts.some((part) => part.includes(one)));
      const shuffled = parts.map((part) => part.toReversed());
      t.strictSame(
        shuffled.reduce<readonly DiagnosticRecord[]>((known, part) => mergeRecords(known, part), []),
        expected,
      );
    }),
    { numRuns: 100 },
  );
  t.end();
});

test('fractions of a second are compared as numbers', (t) => {
  const list = ['2026-01-01T00:00:00.1Z', '2026-01-01T00:00:00.09Z', '2026-01-01T00:00:00Z'].map((ts) =>
    record(ts),
  );
  t.strictSame(
    mergeRecords([], list).map(({ ts }) => ts),
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.09Z', '2026-01-01T00:00:00.1Z'],
  );
  t.end();
});

test('the oldest records are dropped above the limit', (t) => {
  const many = Array.from({ length: RECORDS_MAX + 7 }, (_unused, index) =>
    record(`2026-01-01T00:00:00.${String(index).padStart(9, '0')}Z`),
  );
  const kept = mergeRecords([], many);
  t.equal(kept.length, RECORDS_MAX);
  t.equal(kept[0] && keyOf(kept[0]), 'server 2026-01-01T00:00:00.000000007Z');
  t.end();
});

test('a record must match all filters', (t) => {
  const records = [
    record('2026-01-01T00:00:00Z', { level: 'DEBUG' }),
    record('2026-01-01T00:00:01Z', { level: 'ERROR', attrs: { task_id: 't1', path: '/mnt/Show' } }),
    record('2026-01-01T00:00:02Z', { level: 'WARN', component: 'worker:w1', msg: 'Slow disk' }),
  ];
  const shown = (change: object): string[] =>
    filterRecords(records, { level: 'DEBUG', component: '', task: '', search: '', ...change }).map(({ ts }) =>
      ts.slice(17, 19),
    );
  t.strictSame(shown({}), ['00', '01', '02']);
  t.strictSame(shown({ level: 'WARN' }), ['01', '02']);
  t.strictSame(shown({ component: 'worker:w1' }), ['02']);
  t.strictSame(shown({ task: 't1' }), ['01']);
  t.strictSame(shown({ search: 'show MNT' }), ['01']);
  t.strictSame(shown({ search: 'disk nothing' }), []);
  t.end();
});

test('an attribute that names a resource links to its page', (t) => {
  t.equal(hrefOf('task_id', 'a:0'), '/tasks/a%3A0');
  t.equal(hrefOf('job_id', 'j'), '/jobs/j');
  t.equal(hrefOf('worker_id', 'w'), '/workers/w');
  t.equal(hrefOf('path', '/x'), null);
  t.equal(workerOf(workerComponent('w1')), 'w1');
  t.equal(workerLogHref('w1'), '/diagnostics?component=worker%3Aw1');
  t.equal(workerOf('server'), null);
  t.end();
});
