import { test } from 'tap';
import { ServiceMetrics } from '../../../daemons/server/metrics.ts';
import type { ShardMeasures } from '../../../daemons/threads/shard-protocol.ts';
import { OPEN_MANAGED_BUS, type BusStanding } from '../../../src/core/bus-identity/open-bus.ts';
import { farmId, queueId } from '../../../src/core/ids.ts';
import { Buckets, SECONDS_BOUNDS } from '../../../src/core/metrics/buckets.ts';
import { METRICS, PROCESS_METRICS } from '../../../src/core/metrics/metric-table.ts';
import { NO_COUNTS } from '../../../src/core/metrics/state-counts.ts';
import { parseMetrics } from '../../kit/metrics-text.ts';
import { contentOf } from '../../tidy/project-files.ts';

const none = new Buckets(SECONDS_BOUNDS).take();
const NO_LAG = { mean: 0, p99: 0, max: 0 };

const measures = (some: Partial<ShardMeasures> = {}): ShardMeasures => ({
  state: NO_COUNTS,
  parkedRequests: 0,
  leases: { answered: { leased: 0, empty: 0, unknown: 0 }, tasks: 0, latency: none, wait: none },
  commits: none,
  redeliveries: { status: 0, presence: 0 },
  lag: NO_LAG,
  ...some,
});

const counted = (...seconds: readonly number[]) => {
  const buckets = new Buckets(SECONDS_BOUNDS);
  for (const each of seconds) buckets.observe(each);
  return buckets.take();
};

const PAGES = { fileBytes: 8192, pageBytes: 4096, usedPages: 1, freePages: 1 };

test('events are counted by queue, with queue names', async (t) => {
  const queue = (id: string, name: string) => ({ id: queueId(id), name, farmId: farmId('f') });
  let queues = [queue('q1', 'line "1"'), queue('q2', 'night')];
  const metrics = new ServiceMetrics(() => queues);
  metrics.count({ counter: 'task-retries', queueId: queueId('q1') });
  metrics.count({ counter: 'task-retries', queueId: queueId('q1') });
  const scrape = parseMetrics(await metrics.text());
  t.equal(scrape.value('svc_scheduler_task_retries_total{queue="q1"}'), 2);
  t.equal(scrape.value('svc_scheduler_task_retries_total{queue="q2"}'), 0, 'present from the start');
  t.equal(scrape.value('svc_scheduler_jobs_autoparked_total{queue="q1"}'), 0);
  t.equal(scrape.value('svc_queue_info{queue="q1",name="line \\"1\\"",farm="f"}'), 1);
  queues = [queue('q2', 'day')];
  const later = parseMetrics(await metrics.text());
  t.equal(later.value('svc_scheduler_task_retries_total{queue="q1"}'), 2, 'a counter does not decrease');
  t.equal(later.value('svc_queue_info{queue="q1",name="line \\"1\\"",farm="f"}'), undefined);
  t.equal(later.value('svc_queue_info{queue="q2",name="night",farm="f"}'), undefined);
  t.equal(later.value('svc_queue_info{queue="q2",name="day",farm="f"}'), 1);
});

test('measurements of shards are summed', async (t) => {
  const metrics = new ServiceMetrics(() => []);
  const tasks = { pending: 1, ready: 2, assigned: 3, running: 4, unschedulable: 1 };
  const first = measures({
    state: { ...NO_COUNTS, tasks, workers: { online: 5, offline: 1, disabled: 0 } },
    parkedRequests: 5,
    leases: {
      answered: { leased: 2, empty: 1, unknown: 0 },
      tasks: 7,
      latency: counted(0.002, 0.3),
      wait: counted(12),
    },
    commits: counted(0.004),
    redeliveries: { status: 2, presence: 0 },
    lag: { mean: 0.001, p99: 0.01, max: 0.5 },
  });
  metrics.measured(0, first);
  metrics.measured(1, first);
  metrics.measured(0, measures({ parkedRequests: 1 }));
  metrics.redelivered('logs', 3);
  metrics.loopLagged('store', { mean: 0, p99: 0, max: 0.25 });
  t.strictSame(metrics.activity(), {
    state: { ...NO_COUNTS, tasks, workers: { online: 5, offline: 1, disabled: 0 } },
    parkedRequests: 6,
    leasedPerSecond: 7,
  });
  const scrape = parseMetrics(await metrics.text());
  const values = Object.entries({
    'svc_scheduler_tasks{status="ready"}': 2,
    'svc_scheduler_tasks{status="running"}': 4,
    svc_scheduler_tasks_unschedulable: 1,
    'svc_scheduler_jobs{status="paused"}': 0,
    'svc_workers{status="online"}': 5,
    svc_scheduler_parked_requests: 6,
    'svc_scheduler_leases_total{answer="leased"}': 4,
    'svc_scheduler_leases_total{answer="empty"}': 2,
    'svc_scheduler_leases_total{answer="unknown"}': 0,
    svc_scheduler_leased_tasks_total: 14,
    'svc_scheduler_lease_seconds_bucket{le="0.001"}': 0,
    'svc_scheduler_lease_seconds_bucket{le="0.0025"}': 2,
    'svc_scheduler_lease_seconds_bucket{le="0.25"}': 2,
    'svc_scheduler_lease_seconds_bucket{le="0.5"}': 4,
    'svc_scheduler_lease_seconds_bucket{le="+Inf"}': 4,
    svc_scheduler_lease_seconds_sum: 0.604,
    svc_scheduler_lease_seconds_count: 4,
    svc_scheduler_lease_wait_seconds_count: 2,
    svc_store_commit_seconds_count: 2,
    'svc_bus_redeliveries_total{stream="status"}': 4,
    'svc_bus_redeliveries_total{stream="presence"}': 0,
    'svc_bus_redeliveries_total{stream="logs"}': 3,
    'svc_event_loop_lag_seconds{thread="shard 1",stat="p99"}': 0.01,
    'svc_event_loop_lag_seconds{thread="shard 0",stat="p99"}': 0,
    'svc_event_loop_lag_seconds{thread="store",stat="max"}': 0.25,
  });
  for (const [name, expected] of values) t.equal(scrape.value(name), expected, name);
});

test('docs/metrics.md names every metric with its type and labels, and no other', async (t) => {
  const metrics = new ServiceMetrics(() => [{ id: queueId('q'), name: 'main', farmId: farmId('f') }]);
  metrics.count({ counter: 'task-retries', queueId: queueId('q') });
  metrics.count({ counter: 'jobs-autoparked', queueId: queueId('q') });
  metrics.measured(0, measures());
  metrics.storePages(() => ({ state: PAGES, logs: PAGES }));
  metrics.eventChannel(() => ({ clients: 2, pushed: 7, missed: 1 }));
  metrics.openBus(() => ({ kind: 'closed' }));
  metrics.queueLoads(() => new Map());
  const self = {
    name: 'a',
    role: 'owner',
    position: 7,
    epoch: 2,
    lagRecords: 0,
    lagMs: 0,
    isCurrent: true,
    version: '',
    httpAddress: '',
    seenAt: 0,
  } as const;
  metrics.cluster(() => ({ self, nodes: [self], figures: { forwarded: 1, stale: 0, takeovers: 1 } }));
  const scrape = parseMetrics(await metrics.text());
  const found = [...scrape.types]
    .filter(([name]) => name.startsWith('svc_'))
    .map(([name, type]) => `${name} ${type} ${scrape.labelsOf(name).join(', ')}`);
  const documented = [
    ...contentOf('docs/metrics.md').matchAll(/^\| `(svc_\w+)`\s*\| (\w+)\s*\|([^|]*)\|/gm),
  ].map(([, name, type, labels = '']) => `${name} ${type} ${labels.replaceAll('`', '').trim()}`);
  t.strictSame(found.sort(), documented.sort());
  const defined = Object.entries(METRICS).map(
    ([name, { type, labels }]) => `${name} ${type} ${labels.join(', ')}`,
  );
  t.strictSame(defined.sort(), found, 'the service has all metrics of the table');
  const text = await metrics.text();
  for (const name of PROCESS_METRICS) t.match(text, new RegExp(`^${name}[ {]`, 'm'), name);
});

test('each scrape reads the sizes of the store files', async (t) => {
  const metrics = new ServiceMetrics(() => []);
  let pages = { state: PAGES, logs: { ...PAGES, freePages: 0 } };
  metrics.storePages(() => pages);
  t.equal(parseMetrics(await metrics.text()).value('svc_store_pages{store="state",state="free"}'), 1);
  pages = { ...pages, state: { ...PAGES, fileBytes: 12_288, freePages: 2 } };
  const scrape = parseMetrics(await metrics.text());
  t.equal(scrape.value('svc_store_pages{store="state",state="free"}'), 2);
  t.equal(scrape.value('svc_store_pages{store="logs",state="free"}'), 0);
  t.equal(scrape.value('svc_store_pages{store="logs",state="used"}'), 1);
  t.equal(scrape.value('svc_store_file_bytes{store="state"}'), 12_288);
});

test('each scrape counts the queues with an account while the bus is open', async (t) => {
  const queue = (id: string, runAsUser?: string) => ({
    id: queueId(id),
    name: id,
    farmId: farmId('f'),
    ...(runAsUser !== undefined && { runAsUser }),
  });
  let queues = [queue('a', 'render'), queue('b')];
  let standing: BusStanding = OPEN_MANAGED_BUS;
  const metrics = new ServiceMetrics(() => queues);
  metrics.openBus(() => standing);
  const count = async () => parseMetrics(await metrics.text()).value('svc_isolated_queues_on_open_bus');
  t.equal(await count(), 1);
  queues = [...queues, queue('c', 'comp')];
  t.equal(await count(), 2);
  standing = { kind: 'closed' };
  t.equal(await count(), 0);
});

test('each scrape reads the tasks of each queue, once the jobs have been read', async (t) => {
  const queue = (id: string) => ({ id: queueId(id), name: id, farmId: farmId('f') });
  let queues = [queue('a'), queue('b')];
  let loads: ReadonlyMap<string, { readonly ready: number; readonly live: number }> | null = null;
  const metrics = new ServiceMetrics(() => queues);
  metrics.queueLoads(() => loads);
  const scrape = async () => parseMetrics(await metrics.text());
  t.equal((await scrape()).value('svc_queue_tasks{queue="a",status="ready"}'), undefined, 'not read yet');
  loads = new Map([['a', { ready: 3, live: 2 }]]);
  const filled = await scrape();
  t.equal(filled.value('svc_queue_tasks{queue="a",status="ready"}'), 3);
  t.equal(filled.value('svc_queue_tasks{queue="a",status="live"}'), 2);
  t.equal(filled.value('svc_queue_tasks{queue="b",status="ready"}'), 0);
  queues = [queue('b')];
  t.equal((await scrape()).value('svc_queue_tasks{queue="a",status="ready"}'), undefined, 'it was deleted');
});
