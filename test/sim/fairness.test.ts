import tap, { test } from 'tap';
import { coreSeconds, jainIndex, runSharedHour, type Demand, type SharedHour } from './shared-hour.ts';

tap.setTimeout(300_000);

const HOUR = 3600;

/** Owners with many short tasks, few long ones, wide ones, many jobs or one, at two priorities. */
const MIXED: readonly Demand[] = [
  { owner: 'ana', jobs: 1, tasks: 4000, cores: 1, seconds: 45 },
  { owner: 'tomas', jobs: 40, tasks: 6, cores: 2, seconds: 300 },
  { owner: 'bo', jobs: 2, tasks: 60, cores: 4, seconds: 600 },
  { owner: 'ida', jobs: 3, tasks: 100, cores: 1, seconds: 1200 },
  { owner: 'per', jobs: 10, tasks: 200, cores: 2, seconds: 90 },
];

const FARM: Omit<SharedHour, 'policy'> = { workers: 4, coresEach: 8, seconds: HOUR, demands: MIXED };

const owners = (demands: readonly Demand[]): readonly string[] => [
  ...new Set(demands.map(({ owner }) => owner)),
];

function indexOf(hour: SharedHour): number {
  const used = coreSeconds(runSharedHour(hour), 0, hour.seconds);
  return jainIndex(owners(hour.demands).map((owner) => used.get(owner) ?? 0));
}

test('an hour of a mixed farm is shared equally by balanced, and not by fifo', (t) => {
  const balanced = indexOf({ ...FARM, policy: { kind: 'balanced' } });
  const fifo = indexOf({ ...FARM, policy: {} });
  t.comment(`Jain's index: balanced ${balanced.toFixed(3)}, fifo ${fifo.toFixed(3)}`);
  t.ok(balanced > 0.95, `balanced has ${balanced}`);
  t.ok(fifo < 0.5, `fifo has ${fifo}`);
  t.end();
});

test('weighted gives an hour to owners by their weights', (t) => {
  const weights = [
    { name: 'ana', weight: 1 },
    { name: 'tomas', weight: 2 },
    { name: 'per', weight: 4 },
  ];
  const demands = MIXED.filter(({ owner }) => ['ana', 'tomas', 'per'].includes(owner));
  const used = coreSeconds(
    runSharedHour({ ...FARM, demands, policy: { kind: 'weighted', weights } }),
    0,
    HOUR,
  );
  const shares = weights.map(({ name, weight }) => (used.get(name) ?? 0) / weight);
  t.comment(`core seconds by weight: ${shares.map((share) => Math.round(share)).join(', ')}`);
  t.ok(jainIndex(shares) > 0.95, `the index of the usage by weight is ${jainIndex(shares)}`);
  t.end();
});

test('an owner with little past usage gets more under weighted, until the usage is equal', (t) => {
  const demands: readonly Demand[] = [
    { owner: 'ana', jobs: 1, tasks: 9000, cores: 1, seconds: 30 },
    { owner: 'tomas', jobs: 1, tasks: 9000, cores: 1, seconds: 30, afterSeconds: 1200 },
  ];
  const small = { workers: 4, coresEach: 4, seconds: HOUR, demands };
  const part = (kind: 'balanced' | 'weighted', from: number, to: number): number => {
    const used = coreSeconds(runSharedHour({ ...small, policy: { kind } }), from, to);
    return (used.get('tomas') ?? 0) / ((used.get('tomas') ?? 0) + (used.get('ana') ?? 0));
  };
  t.ok(part('weighted', 1260, 2000) > 0.9, 'he makes up for the first twenty minutes');
  t.ok(Math.abs(part('balanced', 1260, 2000) - 0.5) < 0.05, 'balanced has no memory');
  t.ok(Math.abs(part('weighted', 1200, HOUR) - 0.75) < 0.03, 'after an hour both have used the same');
  t.end();
});

test('an owner who arrives last waits at most for the end of one task', (t) => {
  const longest = 300;
  const ARRIVAL = 1007;
  const demands: readonly Demand[] = [
    ...Array.from({ length: 12 }, (_, at): Demand => ({
      owner: `o${at}`,
      jobs: 3,
      tasks: 500,
      cores: 1,
      seconds: longest - 20 * at,
    })),
    { owner: 'late', jobs: 1, tasks: 40, cores: 1, seconds: 60, afterSeconds: ARRIVAL },
  ];
  for (const kind of ['balanced', 'weighted'] as const) {
    const tasks = runSharedHour({ workers: 3, coresEach: 4, seconds: HOUR, demands, policy: { kind } });
    const first = tasks.find(({ owner }) => owner === 'late');
    t.ok(first !== undefined && first.atMs <= (ARRIVAL + longest) * 1000, `${kind}: ${first?.atMs}`);
    const earlier = tasks.filter(
      ({ atMs, owner }) => owner !== 'late' && atMs > ARRIVAL * 1000 && atMs < (first?.atMs ?? 0),
    );
    t.same(earlier, [], `${kind}: no task of others starts before`);
  }
  const fifo = runSharedHour({ workers: 3, coresEach: 4, seconds: HOUR, demands, policy: {} });
  t.notOk(
    fifo.some(({ owner }) => owner === 'late'),
    'by age alone, the jobs of the others come first',
  );
  t.end();
});

/** An owner with tasks of half a second, one with tasks of two, and one whose tasks are brief in one job and long in another. */
const BRIEF: readonly Demand[] = [
  { owner: 'ana', jobs: 2, tasks: 20_000, cores: 1, seconds: 0.5 },
  { owner: 'bo', jobs: 1, tasks: 10_000, cores: 1, seconds: 2 },
  { owner: 'ida', jobs: 1, tasks: 2000, cores: 1, seconds: 0.25 },
  { owner: 'ida', jobs: 1, tasks: 500, cores: 1, seconds: 120 },
];

test('owners with brief tasks keep their turn, and get no more than their share', (t) => {
  const seconds = 240;
  const tasks = runSharedHour({
    workers: 8,
    coresEach: 1,
    seconds,
    demands: BRIEF,
    policy: { kind: 'weighted' },
  });
  const used = coreSeconds(tasks, 0, seconds);
  const shares = owners(BRIEF).map((owner) => used.get(owner) ?? 0);
  t.comment(`core seconds: ${shares.map((share) => Math.round(share)).join(', ')}`);
  t.ok(jainIndex(shares) > 0.95, `the index is ${jainIndex(shares)}`);
  // The owners that take tasks one after the other, and how many tasks each takes in a row.
  const ofAna = tasks.filter(({ owner }) => owner === 'ana').length;
  const changes = tasks.filter(({ owner }, at) => owner === 'ana' && tasks[at - 1]?.owner !== 'ana').length;
  t.comment(`${ofAna} brief tasks in ${changes} turns`);
  t.ok(ofAna > 1.5 * changes, 'brief tasks are taken several in a row');
  t.end();
});

test('an owner with long tasks does not get all free cores because of brief ones', (t) => {
  const demands: readonly Demand[] = [
    { owner: 'ana', jobs: 1, tasks: 400, cores: 1, seconds: 0.2 },
    // Its tasks fill the farm until both wait.
    { owner: 'x', jobs: 1, tasks: 16, cores: 1, seconds: 60, afterSeconds: 10 },
    { owner: 'ana', jobs: 1, tasks: 100, cores: 1, seconds: 600, afterSeconds: 30 },
    { owner: 'bo', jobs: 1, tasks: 100, cores: 1, seconds: 600, afterSeconds: 30 },
  ];
  const tasks = runSharedHour({
    workers: 16,
    coresEach: 1,
    seconds: 200,
    demands,
    policy: { kind: 'weighted' },
  });
  const long = tasks.filter(({ atMs }) => atMs >= 30_000);
  const ofAna = long.filter(({ owner }) => owner === 'ana').length;
  t.equal(long.length, 16);
  t.ok(Math.abs(ofAna - 8) <= 2, `ana has ${ofAna} of 16 cores`);
  t.end();
});

test('a service that restarts every ten minutes leases the same tasks as one that runs', (t) => {
  for (const kind of ['balanced', 'weighted'] as const) {
    const hour: SharedHour = {
      ...FARM,
      seconds: HOUR,
      everySeconds: 601,
      policy: { kind, halfLifeSeconds: 900 },
    };
    const warm = runSharedHour(hour);
    const cold = runSharedHour({ ...hour, restarts: true });
    t.ok(warm.length > 500, `${warm.length} tasks`);
    t.strictSame(cold, warm, kind);
  }
  t.end();
});
