import { test } from 'tap';
import {
  checkTargets,
  ratioOf,
  ratios,
  summarize,
  TARGETS,
  type Measurement,
} from '../../../bench/peers/comparison.ts';
import { SYSTEMS } from '../../../bench/peers/systems.ts';

const run = (
  system: string,
  repetition: number,
  seconds: number,
  rest: Partial<Measurement> = {},
): Measurement => ({
  system,
  workers: 16,
  repetition,
  tasks: 1_000,
  submitted: 3_000,
  submitSeconds: 0.01,
  seconds,
  leaseP50Ms: null,
  leaseP99Ms: null,
  ...rest,
});

test('a summary has the medians of the repetitions per system and number of workers', (t) => {
  const measurements = [
    run('a', 1, 1, { leaseP50Ms: 3, leaseP99Ms: 30, submitSeconds: 0.004 }),
    run('a', 1, 8, { workers: 1 }),
    run('a', 2, 4, { leaseP50Ms: 1.23456, leaseP99Ms: 10, submitSeconds: 0.02 }),
    run('a', 3, 2, { leaseP50Ms: 1, leaseP99Ms: 20, submitSeconds: 0.003 }),
  ];
  t.strictSame(summarize(measurements), [
    {
      system: 'a',
      workers: 16,
      repetitions: 3,
      tasks: 1_000,
      submitted: 3_000,
      tasksPerSecond: 500,
      submitMs: 4,
      leaseP50Ms: 1.235,
      leaseP99Ms: 20,
    },
    {
      system: 'a',
      workers: 1,
      repetitions: 1,
      tasks: 1_000,
      submitted: 3_000,
      tasksPerSecond: 125,
      submitMs: 10,
      leaseP50Ms: null,
      leaseP99Ms: null,
    },
  ]);
  t.strictSame(summarize([]), []);
  t.end();
});

test('a ratio is the median of the ratios per repetition, so that a slow period affects both systems', (t) => {
  const measurements = [
    ...[run('ours', 1, 1), run('theirs', 1, 2)],
    // Everything is ten times slower here.
    ...[run('ours', 2, 10), run('theirs', 2, 30)],
    ...[run('ours', 3, 1), run('theirs', 3, 4)],
  ];
  t.equal(ratioOf(measurements, 'ours', 'theirs', 16), 3);
  t.end();
});

test('a ratio of rates is valid for different numbers of tasks', (t) => {
  const measurements = [run('ours', 1, 1), run('theirs', 1, 1, { tasks: 50 })];
  t.equal(ratioOf(measurements, 'ours', 'theirs', 16), 20);
  t.end();
});

test('there is no ratio without a repetition of both systems with that number of workers', (t) => {
  t.equal(ratioOf([run('ours', 1, 1)], 'ours', 'theirs', 16), null);
  t.equal(ratioOf([run('ours', 1, 1), run('theirs', 2, 1)], 'ours', 'theirs', 16), null);
  t.equal(ratioOf([run('ours', 1, 1), run('theirs', 1, 1, { workers: 1 })], 'ours', 'theirs', 16), null);
  t.end();
});

test('peers are compared with the Callsheet system of their kind', (t) => {
  const measurements = [
    run('callsheet', 1, 1),
    run('callsheet-64-cores', 1, 0.5),
    run('queue', 1, 2),
    run('batches', 1, 2),
    run('unknown', 1, 2),
  ];
  const kinds = new Map([
    ['callsheet', 'cycles'],
    ['callsheet-64-cores', 'batches'],
    ['queue', 'cycles'],
    ['batches', 'batches'],
  ] as const);
  t.strictSame(ratios(measurements, kinds), [
    { callsheet: 'callsheet', peer: 'queue', workers: 16, ratio: 2 },
    { callsheet: 'callsheet-64-cores', peer: 'batches', workers: 16, ratio: 4 },
  ]);
  t.end();
});

test('a target is met, missed or not measured', (t) => {
  const target = { callsheet: 'ours', peer: 'theirs', workers: 16, atLeast: 2 };
  const theirs = run('theirs', 1, 2);
  t.strictSame(checkTargets([target], [run('ours', 1, 1), theirs]), [{ ...target, ratio: 2, isMet: true }]);
  t.strictSame(checkTargets([target], [run('ours', 1, 1.25), theirs]), [
    { ...target, ratio: 1.6, isMet: false },
  ]);
  t.strictSame(checkTargets([target], [theirs]), [{ ...target, ratio: null, isMet: null }]);
  t.end();
});

test('every target compares systems of one kind at a number of workers that both have', (t) => {
  for (const { callsheet, peer, workers } of TARGETS) {
    const pair = [callsheet, peer].map((name) => SYSTEMS.find((system) => system.name === name));
    t.equal(new Set(pair.map((system) => system?.kind)).size, 1, `${callsheet} and ${peer} are of one kind`);
    for (const system of pair)
      t.ok(
        system !== undefined &&
          (system.fewestWorkers ?? 1) <= workers &&
          (system.mostWorkers ?? Infinity) >= workers,
        `${callsheet} of ${peer} with ${workers}`,
      );
  }
  t.end();
});
