/** A metric of the service (docs/metrics.md). */
export interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
  /** Help text of the scrape. */
  readonly help: string;
}

const counter = <const Labels extends readonly string[]>(help: string, ...labels: Labels) =>
  ({ type: 'counter', labels, help }) as const;
const gauge = <const Labels extends readonly string[]>(help: string, ...labels: Labels) =>
  ({ type: 'gauge', labels, help }) as const;
const histogram = (help: string) => ({ type: 'histogram', labels: [], help }) as const;

/**
 * All metrics of the service, by name. The service creates its metrics from it, and `npm run generate` the dashboards and
 * alerts of deploy/monitoring, so that they cannot name another one.
 */
export const METRICS = {
  svc_scheduler_task_retries_total: counter(
    'Automatic retries after a failure that a worker reported; reclaimed work is not counted.',
    'queue',
  ),
  svc_scheduler_task_preemptions_total: counter(
    'Running tasks of the queue that were taken back for a task of another queue.',
    'queue',
  ),
  svc_scheduler_jobs_autoparked_total: counter(
    'Jobs that were parked because their failure limit was reached; manual pauses are not counted.',
    'queue',
  ),
  svc_queue_info: gauge('The name and the farm of each queue.', 'queue', 'name', 'farm'),
  svc_queue_tasks: gauge('Tasks of the jobs of each queue that have not ended.', 'queue', 'status'),
  svc_scheduler_tasks: gauge('Tasks of jobs that have not ended.', 'status'),
  svc_scheduler_tasks_unschedulable: gauge('Ready tasks that no online worker may run.'),
  svc_scheduler_jobs: gauge('Jobs that have not ended.', 'status'),
  svc_workers: gauge('Workers.', 'status'),
  svc_isolated_queues_on_open_bus: gauge(
    'Queues with an account of their own while clients without credentials can act on the bus.',
  ),
  svc_scheduler_parked_requests: gauge('Lease requests that wait for work.'),
  svc_scheduler_leases_total: counter('Lease requests that were answered.', 'answer'),
  svc_scheduler_leased_tasks_total: counter('Tasks that were leased to workers.'),
  svc_scheduler_lease_seconds: histogram(
    'From a lease request to its reply with tasks, without the wait for work.',
  ),
  svc_scheduler_lease_wait_seconds: histogram('How long lease requests that got tasks had waited for work.'),
  svc_store_commit_seconds: histogram('From the end of a commit window to its flush.'),
  svc_store_file_bytes: gauge('Size of the file of a store. It never shrinks by itself.', 'store'),
  svc_store_pages: gauge(
    'Pages of the file of a store: used, or free because what they held was removed.',
    'store',
    'state',
  ),
  svc_bus_redeliveries_total: counter('Messages that the bus has delivered again.', 'stream'),
  svc_bus_refused_messages_total: counter(
    'Messages of workers that were discarded because the credential of their sender does not allow them.',
    'reason',
  ),
  svc_event_loop_lag_seconds: gauge(
    'How late the turns of a thread were in the last second.',
    'thread',
    'stat',
  ),
  svc_ws_clients: gauge('Clients of the event channel.'),
  svc_ws_events_pushed_total: counter('Events that were sent to clients of the event channel.'),
  svc_ws_events_missed_total: counter(
    'Events that clients of the event channel have missed, because they read too slowly or reconnected too late.',
  ),
  svc_cluster_role: gauge('1 for the role of this node in its cluster, 0 for the other roles.', 'role'),
  svc_cluster_epoch: gauge('Epoch of the log that this node has read.'),
  svc_cluster_position: gauge('Position of the last record of the log that this node has applied.'),
  svc_cluster_lag_records: gauge('Records of the owner that this node has not applied.'),
  svc_cluster_lag_seconds: gauge(
    'How long the last record of the owner took until this node had applied it.',
  ),
  svc_cluster_current: gauge('1 if this node shows everything that clients have received from other nodes.'),
  svc_cluster_nodes: gauge('Nodes of the cluster as this node sees them.', 'standing'),
  svc_cluster_takeovers_total: counter('Times that this process has become the owner.'),
  svc_cluster_forwarded_requests_total: counter('Requests that this node has passed on to the owner.'),
  svc_cluster_stale_reads_total: counter('Reads that were marked as stale.'),
} as const satisfies Readonly<Record<string, MetricDefinition>>;

export type MetricName = keyof typeof METRICS;
/** Names of the labels of a metric. */
export type LabelOf<Name extends MetricName> = (typeof METRICS)[Name]['labels'][number];

/** Metrics of the process and of Node.js that dashboards and alerts use. */
export const PROCESS_METRICS = [
  'nodejs_heap_size_used_bytes',
  'process_cpu_seconds_total',
  'process_max_fds',
  'process_open_fds',
  'process_resident_memory_bytes',
  'process_start_time_seconds',
] as const;

export type ProcessMetricName = (typeof PROCESS_METRICS)[number];
