import { test } from 'tap';
import { renderTable, renderTables } from '../../../bench/peers/tables.ts';

test('columns fit their content, with names aligned left and numbers aligned right', (t) => {
  t.equal(
    renderTable(
      ['Name', '1', '1,000'],
      [
        ['a longer one', '12', ''],
        ['b', '3', '4,567,890'],
      ],
    ),
    [
      '| Name         |   1 |     1,000 |',
      '| ------------ | --: | --------: |',
      '| a longer one |  12 |           |',
      '| b            |   3 | 4,567,890 |',
    ].join('\n'),
  );
  t.end();
});

const SUMMARY = {
  system: 'callsheet',
  workers: 1_000,
  repetitions: 3,
  tasks: 20_000,
  submitted: 60_000,
  tasksPerSecond: 41_000,
  submitMs: 5,
  leaseP50Ms: 0.123,
  leaseP99Ms: 14.7,
};

test('the tables have rates, latencies, submissions, ratios and targets', (t) => {
  const other = { ...SUMMARY, system: 'queue', workers: 1, leaseP50Ms: null, leaseP99Ms: null };
  t.equal(
    renderTables(
      [SUMMARY, other],
      [{ callsheet: 'callsheet', peer: 'queue', workers: 1, ratio: 1.5 }],
      [
        { callsheet: 'callsheet', peer: 'queue', workers: 1, atLeast: 2, ratio: 1.5, isMet: false },
        { callsheet: 'callsheet', peer: 'other', workers: 256, atLeast: 6, ratio: null, isMet: null },
      ],
    ),
    `| Tasks a second |      1 |  1,000 |
| -------------- | -----: | -----: |
| callsheet      |        | 41,000 |
| queue          | 41,000 |        |

| Lease p50 / p99, ms |   1 |     1,000 |
| ------------------- | --: | --------: |
| callsheet           |     | 0.12 / 15 |
| queue               |     |           |

| Submission, ms (tasks) |          1 |      1,000 |
| ---------------------- | ---------: | ---------: |
| callsheet              |            | 5 (60,000) |
| queue                  | 5 (60,000) |            |

| Callsheet, of it |    1 | 1,000 |
| ---------------- | ---: | ----: |
| queue            | 1.50 |       |

| Target             | Workers | At least |     Measured |        |
| ------------------ | ------: | -------: | -----------: | -----: |
| callsheet of queue |       1 |        2 |         1.50 | missed |
| callsheet of other |     256 |        6 | not measured |        |`,
  );
  t.end();
});

test('without a ratio there is no table of ratios', (t) => {
  t.notMatch(renderTables([SUMMARY], [], []), /of it/);
  t.end();
});
