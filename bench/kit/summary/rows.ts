import { CLUSTER_ROWS } from './cluster-rows.ts';
import type { RowSpec, Target } from './row-spec.ts';

const atLeast = (number: number): Target => ({ of: 'ratio', is: 'at least', number });
const atMost = (number: number): Target => ({ of: 'value', is: 'at most', number });
const valueAtLeast = (number: number): Target => ({ of: 'value', is: 'at least', number });

/** Duration of a flush in the results of `peers` for a slow disk. */
const SLOW_DISK_FLUSH_US = 160;

const lease = (conditions: string): string => `cases[${conditions},signatures=1,reports=ride]`; // wording-ok: value of --reports
const ONE = lease('workers=1,cores=1,tasks=100000');
const MANY = lease('workers=256,cores=1,tasks=100000');
const THOUSAND = lease('workers=1000,cores=1,tasks=100000');
const FOUR_THOUSAND = lease('workers=4000,cores=1,tasks=100000');
const BATCHES = lease('workers=256,cores=64,tasks=100000');
const JOBS = 'cases[workers=256,cores=1,jobs=10000,signatures=200,reports=ride]'; // wording-ok: value of --reports

const rate = (bench: string, figure: string, value: string): RowSpec => ({
  bench,
  figure,
  value,
  unit: '/s',
});

/** Rows of the summary for each bench, where the bench has measured them. */
export const ROWS: readonly RowSpec[] = [
  {
    ...rate('lease', 'leases, 1,000 workers', `${THOUSAND}.leases_per_second`),
    yardstick: { name: 'bare echo, same sizes', value: `${THOUSAND}.echo.per_second` },
    target: atLeast(0.4),
  },
  {
    ...rate('lease', 'leases, 1,000 workers', `${THOUSAND}.leases_per_second`),
    yardstick: { name: 'bare echo, 200 bytes', value: `${THOUSAND}.echo_200.per_second` },
    target: atLeast(0.4),
  },
  {
    bench: 'lease',
    figure: 'lease p99, 1,000 workers',
    value: `${THOUSAND}.latency_ms.p99`,
    unit: 'ms',
    yardstick: { name: 'bare echo p99', value: `${THOUSAND}.echo.latency_ms.p99` },
    target: atMost(60),
  },
  {
    bench: 'lease',
    figure: 'lease p99 at 5,000 a second, 1,000 workers',
    value: `${THOUSAND}.offered.latency_ms.p99`,
    unit: 'ms',
    target: atMost(25),
  },
  {
    ...rate('lease', 'leases, 4,000 workers', `${FOUR_THOUSAND}.leases_per_second`),
    yardstick: { name: 'with 1,000 workers', value: `${THOUSAND}.leases_per_second` },
    target: atLeast(0.7),
  },
  {
    ...rate('lease', 'full cycles, 256 workers', `${MANY}.cycles_per_second`),
    yardstick: { name: 'bare echo, same sizes', value: `${MANY}.echo.per_second` },
  },
  {
    ...rate('lease', 'full cycles, 256 workers', `${MANY}.cycles_per_second`),
    yardstick: { name: 'the same change sets, disk alone', value: `${MANY}.disk.cycles_per_second` },
  },
  { bench: 'lease', figure: 'processor a lease, service', value: `${MANY}.cpu_us.service`, unit: 'us' },
  { bench: 'lease', figure: 'processor a lease, bus', value: `${MANY}.cpu_us.bus`, unit: 'us' },
  {
    ...rate('lease', 'full cycles, 1 worker', `${ONE}.cycles_per_second`),
    yardstick: { name: 'bare echo, same sizes', value: `${ONE}.echo.per_second` },
  },
  {
    ...rate('lease', 'tasks in batches, 256 workers of 64 cores', `${BATCHES}.cycles_per_second`),
    yardstick: { name: 'workers of one core', value: `${MANY}.cycles_per_second` },
  },
  {
    ...rate('lease', 'leases, 10,000 jobs of 200 signatures', `${JOBS}.leases_per_second`),
    yardstick: { name: 'one job', value: `${MANY}.leases_per_second` },
    target: atLeast(0.8),
  },
  {
    bench: 'lease',
    figure: '4,000 parked workers, of a core',
    value: 'parked[workers=4000].service_percent_of_core',
    unit: '%',
    target: atMost(5),
  },
  {
    bench: 'idle',
    figure: 'parked workers, of a core',
    value: 'parked.service_percent',
    unit: '%',
    yardstick: { name: 'without workers', value: 'alone.service_percent' },
    target: atMost(5),
  },
  ...peers(null),
  ...peers(SLOW_DISK_FLUSH_US),
  {
    ...rate('processes', 'real processes, a worker of 16 cores', '[cores=16].tasks_per_second'),
    yardstick: { name: 'bare spawns', value: '[cores=16].bare_spawns_per_second' },
  },
  {
    bench: 'isolation',
    figure: 'a task with an account of its own',
    value: 'cases[name=account].task_ms',
    unit: 'ms',
    yardstick: { name: 'without isolation', value: 'cases[name=plain].task_ms' },
  },
  {
    bench: 'submit',
    figure: 'a million tasks to 201',
    value: 'jobs[tasks=a million of a range].submit_ms',
    unit: 'ms',
    yardstick: { name: 'a plain read', value: 'read_ms' },
    target: atMost(400),
  },
  {
    ...rate('submit', 'small jobs, 16 clients', 'small_jobs[format=json].per_second'),
    target: valueAtLeast(1000),
  },
  {
    bench: 'submit',
    figure: 'what large submissions add to lease p99.9',
    value: 'lease_delay_ms',
    unit: 'ms',
    target: atMost(20),
  },
  {
    bench: 'restart',
    figure: 'first lease after a start, many jobs',
    value: 'starts[store=untouched].first_lease_ms',
    unit: 'ms',
    yardstick: { name: 'with one job', value: 'starts[store=one job].first_lease_ms' },
    target: atMost(5000),
  },
  ...CLUSTER_ROWS,
  {
    bench: 'memory',
    figure: 'a pending task, resident',
    value: 'bytes_per_task.one job, untouched',
    unit: 'bytes',
    target: atMost(40),
  },
  {
    bench: 'memory',
    figure: 'all jobs and workers, at work',
    value: 'all.at_work_mib',
    unit: 'MiB',
    yardstick: { name: 'an empty store', value: 'empty_mib' },
    target: atMost(1024),
  },
  {
    bench: 'turns',
    figure: 'a cycle in the actors alone',
    value: 'us_per_task',
    unit: 'us',
    yardstick: { name: 'an entry of a Map', value: 'us_per_map_entry' },
  },
  {
    bench: 'explain',
    figure: 'why a task waits, p50',
    value: 'behind_all_others.p50',
    unit: 'ms',
    yardstick: { name: 'a plain read', value: 'read.p50' },
  },
  {
    bench: 'lists',
    figure: 'list of jobs, p50',
    value: 'lists.jobs.p50',
    unit: 'ms',
    yardstick: { name: 'a plain read', value: 'plain_read.p50' },
  },
  reads('reads of a job, cached', 'a job that runs'),
  reads('reads of a job, uncached', 'a job that runs, made anew'), // wording-ok: key of kept results
  reads('reads of 50 tasks, cached', '50 tasks of a job that runs'),
  reads('reads of 50 tasks, uncached', '50 tasks of a job that runs, made anew'), // wording-ok: key of kept results
  {
    ...rate('websocket', 'leases with clients that follow', 'leases_per_second_with'),
    yardstick: { name: 'without them', value: 'leases_per_second_without' },
    ratio: 'with_to_without',
    target: atLeast(0.7),
  },
  {
    bench: 'logs',
    figure: 'lease p99 during a flood of logs',
    value: 'logs_p99_ms',
    unit: 'ms',
    yardstick: { name: 'quiet', value: 'quiet_p99_ms' },
    ratio: 'logs_to_quiet_p99',
  },
  {
    ...rate('backup', 'leases under a backup', 'leases_under_backup'),
    yardstick: { name: 'without', value: 'leases_per_second' },
  },
  {
    bench: 'openjd',
    figure: 'read of a template of 1,000 steps',
    value: 'templates[name=1,000 steps].read_ms',
    unit: 'ms',
    yardstick: { name: 'bare YAML parse', value: 'templates[name=1,000 steps].parse_ms' },
  },
  {
    ...rate('expr', 'evaluations of arithmetic', 'expressions[kind=arithmetic].evaluations_per_second'),
    yardstick: { name: 'plain JavaScript', value: 'expressions[kind=arithmetic].javascript_per_second' },
  },
  {
    bench: 'worker-idle',
    figure: 'an idle worker, resident',
    value: 'used_resident_mib',
    unit: 'MiB',
    yardstick: { name: 'bare Node', value: 'node_resident_mib' },
  },
  {
    ...rate('simulate', 'tasks of simulated workers', 'tasks_per_second'),
    yardstick: { name: 'what they could' },
    ratio: 'of_what_they_could',
  },
];

/** Rows of the comparison on this disk, or with flushes that take this many microseconds. */
function peers(flushUs: number | null): RowSpec[] {
  const row = (
    figure: string,
    callsheet: string,
    name: string,
    workers: number,
    target: number,
  ): RowSpec => ({
    ...rate(
      'peers',
      `${figure}, ${workers} ${workers === 1 ? 'worker' : 'workers'}${flushUs === null ? '' : `, a flush ${flushUs} us`}`,
      `summaries[system=${callsheet},workers=${workers}].tasksPerSecond`,
    ),
    ...(flushUs === null ? {} : { results: `peers-flush-${flushUs}` }),
    yardstick: { name, value: `summaries[system=${name},workers=${workers}].tasksPerSecond` },
    ratio: `ratios[callsheet=${callsheet},peer=${name},workers=${workers}].ratio`,
    target: atLeast(target),
  });
  return [
    row('full cycles', 'callsheet', 'bullmq-always', 256, 1.5),
    row('full cycles', 'callsheet', 'bullmq-everysec', 256, 1.1),
    row('full cycles', 'callsheet', 'graphile-worker', 256, 6),
    row('full cycles', 'callsheet', 'beanstalkd-each', 256, 3),
    row('tasks in batches', 'callsheet-64-cores', 'graphile-worker-local-queue', 256, 2.5),
    row('full cycles', 'callsheet', 'bullmq-always', 1, 0.6),
    row('real processes', 'callsheet-processes', 'slurm-tuned', 256, 5),
  ];
}

/** Share of one core. A response is cached until the next commit: under load most responses are uncached. */
function reads(figure: string, name: string): RowSpec {
  return {
    ...rate('reads', `${figure}, of a core`, `figures.${name}.per_core_second`),
    yardstick: { name: 'the bare engine', value: 'figures.hello of the bare engine.per_core_second' },
    target: valueAtLeast(20_000),
  };
}
