import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import type { FilePages, StorePages } from '../../http/ports.ts';
import type { HubFigures } from '../../http/ws/hub.ts';
import type { EventLoopLag } from '../../src/adapters/system/event-loop-lag.ts';
import { isolatedQueues, type BusStanding } from '../../src/core/bus-identity/open-bus.ts';
import type { QueueLoad } from '../../src/core/history/job-activity.ts';
import { SECONDS_BOUNDS } from '../../src/core/metrics/buckets.ts';
import { METRICS, type LabelOf, type MetricName } from '../../src/core/metrics/metric-table.ts';
import { sumStates, type ServiceActivity, type StateCounts } from '../../src/core/metrics/state-counts.ts';
import type { QueueRecord } from '../../src/core/records/queue.ts';
import { REFUSAL_REASONS, type RefusalReason } from '../../src/core/wire/sender-check.ts';
import type { CounterIncrement } from '../../actors/service/gateway/outbox-batch.ts';
import { MEASURE_PERIOD_MS, type ShardMeasures } from '../threads/shard-protocol.ts';
import { addClusterMetrics, type ClusterSample } from './cluster/cluster-metrics.ts';
import { SummedHistogram } from './summed-histogram.ts';

const SECOND_MS = 1000;

type NamedQueue = Pick<QueueRecord, 'id' | 'name' | 'farmId' | 'runAsUser'>;

/**
 * The metrics of the service (docs/contract/rest.md#public-routes; docs/metrics.md). Threads send their measures
 * periodically, so a scrape only reads numbers.
 */
export class ServiceMetrics {
  private readonly registry = new Registry();
  private readonly queues: () => Iterable<NamedQueue>;
  private readonly states = new Map<number, StateCounts>();
  private readonly parked = new Map<number, number>();
  /** Tasks that each shard has leased in the last period. */
  private readonly leased = new Map<number, number>();
  private readonly counters: Readonly<Record<CounterIncrement['counter'], Counter<'queue'>>>;
  private readonly queueInfo: Gauge<'queue' | 'name' | 'farm'>;
  private readonly tasks: Gauge<'status'>;
  private readonly unschedulable: Gauge;
  private readonly jobs: Gauge<'status'>;
  private readonly workers: Gauge<'status'>;
  private readonly parkedRequests: Gauge;
  private readonly leaseReplies: Counter<'answer'>;
  private readonly leasedTasks: Counter;
  private readonly leaseLatency: SummedHistogram;
  private readonly leaseWait: SummedHistogram;
  private readonly commits: SummedHistogram;
  private readonly redeliveries: Counter<'stream'>;
  private readonly refusals: Counter<'reason'>;
  private readonly lag: Gauge<'thread' | 'stat'>;

  /** `queues` returns the queues at the time of a scrape. */
  constructor(queues: () => Iterable<NamedQueue>) {
    this.queues = queues;
    collectDefaultMetrics({ register: this.registry });
    const histogram = (name: MetricName) => new SummedHistogram(name, METRICS[name].help, SECONDS_BOUNDS);
    this.counters = {
      'task-retries': new Counter(this.metric('svc_scheduler_task_retries_total')),
      'task-preemptions': new Counter(this.metric('svc_scheduler_task_preemptions_total')),
      'jobs-autoparked': new Counter(this.metric('svc_scheduler_jobs_autoparked_total')),
    };
    this.queueInfo = new Gauge(this.metric('svc_queue_info'));
    this.tasks = new Gauge(this.metric('svc_scheduler_tasks'));
    this.unschedulable = new Gauge(this.metric('svc_scheduler_tasks_unschedulable'));
    this.jobs = new Gauge(this.metric('svc_scheduler_jobs'));
    this.workers = new Gauge(this.metric('svc_workers'));
    this.parkedRequests = new Gauge(this.metric('svc_scheduler_parked_requests'));
    this.leaseReplies = new Counter(this.metric('svc_scheduler_leases_total'));
    this.leasedTasks = new Counter(this.metric('svc_scheduler_leased_tasks_total'));
    this.leaseLatency = histogram('svc_scheduler_lease_seconds');
    this.leaseWait = histogram('svc_scheduler_lease_wait_seconds');
    this.commits = histogram('svc_store_commit_seconds');
    this.redeliveries = new Counter(this.metric('svc_bus_redeliveries_total'));
    this.refusals = new Counter(this.metric('svc_bus_refused_messages_total'));
    this.lag = new Gauge(this.metric('svc_event_loop_lag_seconds'));
    for (const answer of ['leased', 'empty', 'unknown']) this.leaseReplies.inc({ answer }, 0);
    for (const reason of REFUSAL_REASONS) this.refusals.inc({ reason }, 0);
    for (const stream of ['status', 'presence', 'logs']) this.redeliveries.inc({ stream }, 0);
  }

  count({ counter, queueId }: CounterIncrement): void {
    this.counters[counter].inc({ queue: queueId });
  }

  /** Measures of a shard. */
  measured(shard: number, measures: ShardMeasures): void {
    this.states.set(shard, measures.state);
    this.parked.set(shard, measures.parkedRequests);
    this.leased.set(shard, measures.leases.tasks);
    const { state, parkedRequests } = this.activity();
    this.setState(state);
    this.parkedRequests.set(parkedRequests);
    const { answered, tasks, latency, wait } = measures.leases;
    for (const [answer, number] of Object.entries(answered)) this.leaseReplies.inc({ answer }, number);
    this.leasedTasks.inc(tasks);
    this.leaseLatency.buckets.add(latency);
    this.leaseWait.buckets.add(wait);
    this.commits.buckets.add(measures.commits);
    for (const [stream, number] of Object.entries(measures.redeliveries)) {
      this.redelivered(stream as keyof typeof measures.redeliveries, number);
    }
    this.loopLagged(`shard ${shard}`, measures.lag);
  }

  /** Returns the sums of the last measures of all shards. */
  activity(): ServiceActivity {
    return {
      state: sumStates(this.states.values()),
      parkedRequests: sumOf(this.parked.values()),
      leasedPerSecond: sumOf(this.leased.values()) / (MEASURE_PERIOD_MS / SECOND_MS),
    };
  }

  redelivered(stream: 'status' | 'presence' | 'logs', messages: number): void {
    this.redeliveries.inc({ stream }, messages);
  }

  /** Messages that the service has discarded. */
  refused({ reason, count }: { readonly reason: RefusalReason; readonly count: number }): void {
    this.refusals.inc({ reason }, count);
  }

  loopLagged(thread: string, lag: EventLoopLag): void {
    for (const [stat, seconds] of Object.entries(lag)) this.lag.set({ thread, stat }, Number(seconds));
  }

  /** Adds metrics of the store files. They are read at each scrape, which takes microseconds. */
  storePages(read: () => StorePages): void {
    const stores = (): readonly (readonly [store: string, pages: FilePages])[] => Object.entries(read());
    new Gauge({
      ...this.metric('svc_store_file_bytes'),
      collect() {
        for (const [store, { fileBytes }] of stores()) this.set({ store }, fileBytes);
      },
    });
    new Gauge({
      ...this.metric('svc_store_pages'),
      collect() {
        for (const [store, { usedPages, freePages }] of stores()) {
          this.set({ store, state: 'used' }, usedPages);
          this.set({ store, state: 'free' }, freePages);
        }
      },
    });
  }

  /** Adds the tasks of each queue. `read` is called at each scrape, and returns null until the jobs have been read after a start. */
  queueLoads(read: () => ReadonlyMap<string, QueueLoad> | null): void {
    const { queues } = this;
    new Gauge({
      ...this.metric('svc_queue_tasks'),
      collect() {
        this.reset();
        const loads = read();
        if (loads === null) return;
        for (const { id } of queues()) {
          const { ready = 0, live = 0 } = loads.get(id) ?? {};
          this.set({ queue: id, status: 'ready' }, ready);
          this.set({ queue: id, status: 'live' }, live);
        }
      },
    });
  }

  /** Adds the number of queues that have an account of their own on an open bus; `read` is called at each scrape. */
  openBus(read: () => BusStanding): void {
    const { queues } = this;
    new Gauge({
      ...this.metric('svc_isolated_queues_on_open_bus'),
      collect() {
        this.set(read().kind === 'open' ? isolatedQueues(queues()).length : 0);
      },
    });
  }

  /** Adds the metrics of a node of a cluster. `read` is called at each scrape. */
  cluster(read: () => ClusterSample): void {
    addClusterMetrics(this.registry, read);
  }

  /** Adds metrics of the event channel, which are read at each scrape. */
  eventChannel(read: () => HubFigures): void {
    new Gauge({
      ...this.metric('svc_ws_clients'),
      collect() {
        this.set(read().clients);
      },
    });
    new Counter({
      ...this.metric('svc_ws_events_pushed_total'),
      collect() {
        this.reset();
        this.inc(read().pushed);
      },
    });
    new Counter({
      ...this.metric('svc_ws_events_missed_total'),
      collect() {
        this.reset();
        this.inc(read().missed);
      },
    });
  }

  /** Returns all metrics in the Prometheus text format. */
  async text(): Promise<string> {
    this.queueInfo.reset();
    for (const { id, name, farmId } of this.queues()) {
      this.queueInfo.set({ queue: id, name, farm: farmId }, 1);
      for (const counter of Object.values(this.counters)) counter.inc({ queue: id }, 0);
    }
    const histograms = [this.leaseLatency, this.leaseWait, this.commits].map((each) => each.text());
    return [await this.registry.metrics(), ...histograms].join('\n');
  }

  /** Returns the settings of a metric of the table. */
  private metric<Name extends MetricName>(name: Name) {
    const labelNames: readonly LabelOf<Name>[] = METRICS[name].labels;
    return { name, help: METRICS[name].help, labelNames, registers: [this.registry] };
  }

  private setState({ tasks, jobs, workers }: StateCounts): void {
    const { unschedulable, ...byStatus } = tasks;
    for (const [status, number] of Object.entries(byStatus)) this.tasks.set({ status }, number);
    this.unschedulable.set(unschedulable);
    for (const [status, number] of Object.entries(jobs)) this.jobs.set({ status }, number);
    for (const [status, number] of Object.entries(workers)) this.workers.set({ status }, number);
  }
}

const sumOf = (numbers: Iterable<number>): number => [...numbers].reduce((sum, each) => sum + each, 0);
