import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import type { FilePages, StorePages } from '../../http/ports.ts';
import type { HubFigures } from '../../http/ws/hub.ts';
import type { EventLoopLag } from '../../src/adapters/system/event-loop-lag.ts';
import { isolatedQueues, type BusStanding } from '../../src/core/bus-identity/open-bus.ts';
import { SECONDS_BOUNDS } from '../../src/core/metrics/buckets.ts';
import { sumStates, type ServiceActivity, type StateCounts } from '../../src/core/metrics/state-counts.ts';
import type { QueueRecord } from '../../src/core/records/queue.ts';
import { REFUSAL_REASONS, type RefusalReason } from '../../src/core/wire/sender-check.ts';
import type { CounterIncrement } from '../../actors/service/gateway/outbox-batch.ts';
import { MEASURE_PERIOD_MS, type ShardMeasures } from '../threads/shard-protocol.ts';
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
    const registers = [this.registry];
    const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
      new Counter<Label>({ name, help, labelNames, registers });
    const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
      new Gauge<Label>({ name, help, labelNames, registers });
    const histogram = (name: string, help: string) => new SummedHistogram(name, help, SECONDS_BOUNDS);
    this.counters = {
      'task-retries': counter(
        'svc_scheduler_task_retries_total',
        'Automatic retries after a failure that a worker reported; reclaimed work is not counted.',
        'queue',
      ),
      'jobs-autoparked': counter(
        'svc_scheduler_jobs_autoparked_total',
        'Jobs that were parked because their failure limit was reached; manual pauses are not counted.',
        'queue',
      ),
    };
    this.queueInfo = gauge('svc_queue_info', 'The name and the farm of each queue.', 'queue', 'name', 'farm');
    this.tasks = gauge('svc_scheduler_tasks', 'Tasks of jobs that have not ended.', 'status');
    this.unschedulable = gauge(
      'svc_scheduler_tasks_unschedulable',
      'Ready tasks that no online worker may run.',
    );
    this.jobs = gauge('svc_scheduler_jobs', 'Jobs that have not ended.', 'status');
    this.workers = gauge('svc_workers', 'Workers.', 'status');
    this.parkedRequests = gauge('svc_scheduler_parked_requests', 'Lease requests that wait for work.');
    this.leaseReplies = counter('svc_scheduler_leases_total', 'Lease requests that were answered.', 'answer');
    this.leasedTasks = counter('svc_scheduler_leased_tasks_total', 'Tasks that were leased to workers.');
    this.leaseLatency = histogram(
      'svc_scheduler_lease_seconds',
      'From a lease request to its reply with tasks, without the wait for work.',
    );
    this.leaseWait = histogram(
      'svc_scheduler_lease_wait_seconds',
      'How long lease requests that got tasks had waited for work.',
    );
    this.commits = histogram('svc_store_commit_seconds', 'From the end of a commit window to its flush.');
    this.redeliveries = counter(
      'svc_bus_redeliveries_total',
      'Messages that the bus has delivered again.',
      'stream',
    );
    this.refusals = counter(
      'svc_bus_refused_messages_total',
      'Messages of workers that were discarded because the credential of their sender does not allow them.',
      'reason',
    );
    this.lag = gauge(
      'svc_event_loop_lag_seconds',
      'How late the turns of a thread were in the last second.',
      'thread',
      'stat',
    );
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
    const registers = [this.registry];
    const stores = (): readonly (readonly [store: string, pages: FilePages])[] => Object.entries(read());
    new Gauge({
      name: 'svc_store_file_bytes',
      help: 'Size of the file of a store. It never shrinks by itself.',
      labelNames: ['store'],
      registers,
      collect() {
        for (const [store, { fileBytes }] of stores()) this.set({ store }, fileBytes);
      },
    });
    new Gauge({
      name: 'svc_store_pages',
      help: 'Pages of the file of a store: used, or free because what they held was removed.',
      labelNames: ['store', 'state'],
      registers,
      collect() {
        for (const [store, { usedPages, freePages }] of stores()) {
          this.set({ store, state: 'used' }, usedPages);
          this.set({ store, state: 'free' }, freePages);
        }
      },
    });
  }

  /** Adds the number of queues that have an account of their own on an open bus; `read` is called at each scrape. */
  openBus(read: () => BusStanding): void {
    const { queues } = this;
    new Gauge({
      name: 'svc_isolated_queues_on_open_bus',
      help: 'Queues with an account of their own while clients without credentials can act on the bus.',
      registers: [this.registry],
      collect() {
        this.set(read().kind === 'open' ? isolatedQueues(queues()).length : 0);
      },
    });
  }

  /** Adds metrics of the event channel, which are read at each scrape. */
  eventChannel(read: () => HubFigures): void {
    const registers = [this.registry];
    new Gauge({
      name: 'svc_ws_clients',
      help: 'Clients of the event channel.',
      registers,
      collect() {
        this.set(read().clients);
      },
    });
    const counter = (name: string, help: string, figure: 'pushed' | 'missed'): void => {
      new Counter({
        name,
        help,
        registers,
        collect() {
          this.reset();
          this.inc(read()[figure]);
        },
      });
    };
    counter('svc_ws_events_pushed_total', 'Events that were sent to clients of the event channel.', 'pushed');
    counter(
      'svc_ws_events_missed_total',
      'Events that clients of the event channel have missed, because they read too slowly or reconnected too late.',
      'missed',
    );
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

  private setState({ tasks, jobs, workers }: StateCounts): void {
    const { unschedulable, ...byStatus } = tasks;
    for (const [status, number] of Object.entries(byStatus)) this.tasks.set({ status }, number);
    this.unschedulable.set(unschedulable);
    for (const [status, number] of Object.entries(jobs)) this.jobs.set({ status }, number);
    for (const [status, number] of Object.entries(workers)) this.workers.set({ status }, number);
  }
}

const sumOf = (numbers: Iterable<number>): number => [...numbers].reduce((sum, each) => sum + each, 0);
