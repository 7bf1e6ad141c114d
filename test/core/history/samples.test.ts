import { test } from 'tap';
import {
  busiest,
  columnsOf,
  FarmSamples,
  MINUTE_MS,
  SAMPLES_MAX,
  type FarmSample,
  type SampleShare,
} from '../../../src/core/history/farm-samples.ts';
import { LOAD_SAMPLES_MAX, LoadSamples } from '../../../src/core/history/load-samples.ts';

const share = (key: string | null, coresBooked: number, succeeded = 0, failed = 0): SampleShare => ({
  key,
  coresBooked,
  succeeded,
  failed,
});

const sample = (minute: number, changes: Partial<FarmSample> = {}): FarmSample => ({
  at: minute * MINUTE_MS,
  coresTotal: 8,
  coresBooked: 0,
  workersOnline: 1,
  ready: 0,
  live: 0,
  succeeded: 0,
  failed: 0,
  queues: [],
  owners: [],
  ...changes,
});

void test('a farm keeps samples for one day', async (t) => {
  const samples = new FarmSamples();
  for (let minute = 1; minute <= SAMPLES_MAX + 5; minute += 1) samples.push(sample(minute));
  const kept = samples.since(0);
  t.equal(kept.length, SAMPLES_MAX);
  t.equal(kept[0]?.at, 6 * MINUTE_MS);
  t.strictSame(
    samples.since((SAMPLES_MAX + 3) * MINUTE_MS).map(({ at }) => at / MINUTE_MS),
    [SAMPLES_MAX + 4, SAMPLES_MAX + 5],
  );
});

void test('the busiest are named, the others are combined, and idle ones are omitted', async (t) => {
  t.strictSame(busiest([share('a', 0), share('b', 1), share('c', 0, 1)], 2), [
    share('b', 1),
    share('c', 0, 1),
  ]);
  t.strictSame(busiest([share('a', 1, 1), share('b', 5), share('c', 1, 9), share(null, 2, 1, 1)], 2), [
    share('b', 5),
    share('c', 1, 9),
    share(null, 3, 2, 1),
  ]);
  t.strictSame(busiest([share(null, 2), share('a', 1), share('b', 1)], 1), [share('a', 1), share(null, 3)]);
});

void test('points are columns: ended tasks are summed, other values are averaged', async (t) => {
  const samples = [
    sample(1, {
      coresBooked: 2,
      succeeded: 3,
      queues: [share('q', 2, 3)],
      owners: [share('ada', 2, 3)],
      projects: [share('atlas', 2, 3)],
    }),
    sample(2, {
      coresBooked: 4,
      failed: 1,
      ready: 5,
      queues: [share('q', 4, 0, 1)],
      owners: [share('bob', 4, 0, 1)],
    }),
    sample(3, { coresBooked: 1, live: 1, queues: [share('q', 1)], owners: [share(null, 1)] }),
  ];
  t.match(columnsOf(samples, 1), {
    times: [1, 2, 3].map((minute) => minute * MINUTE_MS),
    coresTotal: [8, 8, 8],
    coresBooked: [2, 4, 1],
    ready: [0, 5, 0],
    live: [0, 0, 1],
    succeeded: [3, 0, 0],
    failed: [0, 1, 0],
    queues: [{ key: 'q', coresBooked: [2, 4, 1], succeeded: [3, 0, 0], failed: [0, 1, 0] }],
    owners: [
      { key: 'bob', coresBooked: [0, 4, 0] },
      { key: 'ada', coresBooked: [2, 0, 0], succeeded: [3, 0, 0] },
      { key: null, coresBooked: [0, 0, 1] },
    ],
    projects: [{ key: 'atlas', coresBooked: [2, 0, 0], succeeded: [3, 0, 0] }],
  });
  t.match(columnsOf(samples, 2), {
    times: [2 * MINUTE_MS, 3 * MINUTE_MS],
    coresBooked: [3, 1],
    ready: [2.5, 0],
    succeeded: [3, 0],
    failed: [1, 0],
    queues: [{ key: 'q', coresBooked: [3, 1], succeeded: [3, 0], failed: [1, 0] }],
    owners: [
      { key: 'bob', coresBooked: [2, 0] },
      { key: 'ada', coresBooked: [1, 0] },
      { key: null, coresBooked: [0, 1] },
    ],
  });
  t.strictSame(columnsOf([], 5), {
    times: [],
    coresTotal: [],
    coresBooked: [],
    workersOnline: [],
    ready: [],
    live: [],
    succeeded: [],
    failed: [],
    queues: [],
    owners: [],
    projects: [],
  });
});

void test('a response contains eight series, independent of their samples', async (t) => {
  const owners = Array.from({ length: 12 }, (_, nth) => share(`o${nth}`, 12 - nth, 1));
  const [columns] = [
    columnsOf([sample(1, { owners: owners.slice(0, 6) }), sample(2, { owners: owners.slice(6) })], 1),
  ];
  t.strictSame(
    columns.owners.map(({ key }) => key),
    ['o0', 'o1', 'o2', 'o3', 'o4', 'o5', 'o6', 'o7', null],
  );
  t.match(columns.owners.at(-1), { coresBooked: [0, 4 + 3 + 2 + 1], succeeded: [0, 4] });
});

void test('a worker has the cores of its last minutes, and none while it was offline', async (t) => {
  const samples = new LoadSamples();
  t.strictSame(samples.since('w', 0), []);
  samples.push(MINUTE_MS, new Map([['w', 0]]));
  samples.push(2 * MINUTE_MS, new Map([['v', 7]]));
  samples.push(3 * MINUTE_MS, new Map([['w', 70_000]]));
  const cores = (id: string, from = 0): readonly (number | null)[] =>
    samples.since(id, from).map(({ load }) => load);
  t.strictSame(cores('w'), [0, null, 65_534]);
  t.strictSame(cores('v'), [null, 7, null]);
  t.strictSame(cores('nobody'), [null, null, null]);
  t.strictSame(samples.since('v', 2 * MINUTE_MS), [{ at: 3 * MINUTE_MS, load: null }]);
  for (let minute = 4; minute < 4 + LOAD_SAMPLES_MAX; minute += 1)
    samples.push(minute * MINUTE_MS, new Map([['v', minute % 5]]));
  t.equal(cores('v').length, LOAD_SAMPLES_MAX);
  t.equal(samples.since('v', 0)[0]?.at, 4 * MINUTE_MS);
  t.strictSame(new Set(cores('w')), new Set([null]));
  t.equal(cores('v').at(-1), (3 + LOAD_SAMPLES_MAX) % 5);
});
