/** Series that fire an alert, and such that do not. Values are in the notation of promtool, one for each minute. */
export interface AlertExample {
  readonly minutes: number;
  readonly fires: readonly Series[];
  readonly calm: readonly Series[];
}

export type Series = readonly [selector: string, values: string];

const LABELS = 'job="callsheet", instance="a:8080"';
const INFO: Series = [`svc_queue_info{${LABELS}, queue="q", name="main", farm="f"}`, '1x2000'];
const at = (metric: string, values: string, labels = ''): Series => [
  `${metric}{${LABELS}${labels === '' ? '' : `, ${labels}`}}`,
  values,
];
/** A histogram of which all values are in the bucket that ends at `le`. */
const histogram = (metric: string, le: string): readonly Series[] => [
  at(`${metric}_bucket`, '0x2000', 'le="0.1"'),
  at(`${metric}_bucket`, `0+${le === '0.5' ? 60 : 0}x2000`, 'le="0.5"'),
  at(`${metric}_bucket`, '0+60x2000', 'le="10"'),
  at(`${metric}_bucket`, '0+60x2000', 'le="+Inf"'),
];
const workers = (online: number, offline: number): readonly Series[] => [
  at('svc_workers', `${online}x100`, 'status="online"'),
  at('svc_workers', `${offline}x100`, 'status="offline"'),
];

/** Examples by alert. */
export const ALERT_EXAMPLES: Readonly<Record<string, AlertExample>> = {
  CallsheetNoWorkers: {
    minutes: 20,
    fires: [at('svc_scheduler_tasks', '5x100', 'status="ready"'), ...workers(0, 3)],
    calm: [at('svc_scheduler_tasks', '5x100', 'status="ready"'), ...workers(1, 3)],
  },
  CallsheetWorkersOffline: { minutes: 30, fires: workers(7, 3), calm: workers(9, 1) },
  CallsheetTasksUnschedulable: {
    minutes: 30,
    fires: [at('svc_scheduler_tasks_unschedulable', '2x100')],
    calm: [at('svc_scheduler_tasks_unschedulable', '0x100')],
  },
  CallsheetTasksNotLeased: {
    minutes: 60,
    fires: [
      at('svc_scheduler_tasks', '5x100', 'status="ready"'),
      at('svc_scheduler_tasks_unschedulable', '2x100'),
      at('svc_scheduler_parked_requests', '4x100'),
      at('svc_scheduler_leased_tasks_total', '100x100'),
    ],
    calm: [
      at('svc_scheduler_tasks', '5x100', 'status="ready"'),
      at('svc_scheduler_tasks_unschedulable', '2x100'),
      at('svc_scheduler_parked_requests', '4x100'),
      at('svc_scheduler_leased_tasks_total', '100+1x100'),
    ],
  },
  CallsheetJobsParked: {
    minutes: 20,
    fires: [INFO, at('svc_scheduler_jobs_autoparked_total', '0x10 1x100', 'queue="q"')],
    calm: [INFO, at('svc_scheduler_jobs_autoparked_total', '1x100', 'queue="q"')],
  },
  CallsheetManyRetries: {
    minutes: 60,
    fires: [INFO, at('svc_scheduler_task_retries_total', '0+20x100', 'queue="q"')],
    calm: [INFO, at('svc_scheduler_task_retries_total', '0+5x100', 'queue="q"')],
  },
  CallsheetLeasesSlow: {
    minutes: 30,
    fires: histogram('svc_scheduler_lease_seconds', '10'),
    calm: histogram('svc_scheduler_lease_seconds', '0.5'),
  },
  CallsheetDown: { minutes: 10, fires: [at('up', '0x100')], calm: [at('up', '1x100')] },
  CallsheetRestarts: {
    minutes: 20,
    fires: [at('process_start_time_seconds', '1x4 2x4 3x4 4x100')],
    calm: [at('process_start_time_seconds', '1x4 2x100')],
  },
  CallsheetEventLoopBlocked: {
    minutes: 20,
    fires: [at('svc_event_loop_lag_seconds', '0.7x100', 'thread="front", stat="p99"')],
    calm: [
      at('svc_event_loop_lag_seconds', '0.1x100', 'thread="front", stat="p99"'),
      at('svc_event_loop_lag_seconds', '3x100', 'thread="front", stat="max"'),
    ],
  },
  CallsheetMemoryHigh: {
    minutes: 60,
    fires: [at('process_resident_memory_bytes', '5e9x100')],
    calm: [at('process_resident_memory_bytes', '1e9x100')],
  },
  CallsheetFileDescriptors: {
    minutes: 20,
    fires: [at('process_open_fds', '900x100'), at('process_max_fds', '1000x100')],
    calm: [at('process_open_fds', '90x100'), at('process_max_fds', '1000x100')],
  },
  CallsheetEventsMissed: {
    minutes: 20,
    fires: [at('svc_ws_events_missed_total', '0x10 9x100')],
    calm: [at('svc_ws_events_missed_total', '9x100')],
  },
  CallsheetCommitsSlow: {
    minutes: 30,
    fires: histogram('svc_store_commit_seconds', '10'),
    calm: histogram('svc_store_commit_seconds', '0.5'),
  },
  CallsheetStoreMostlyFree: {
    minutes: 1_500,
    fires: [
      at('svc_store_file_bytes', '2e9x2000', 'store="state"'),
      at('svc_store_pages', '90x2000', 'store="state", state="free"'),
      at('svc_store_pages', '10x2000', 'store="state", state="used"'),
    ],
    calm: [
      at('svc_store_file_bytes', '2e9x2000', 'store="state"'),
      at('svc_store_pages', '50x2000', 'store="state", state="free"'),
      at('svc_store_pages', '50x2000', 'store="state", state="used"'),
    ],
  },
  CallsheetBusRedeliveries: {
    minutes: 40,
    fires: [at('svc_bus_redeliveries_total', '0+120x100', 'stream="status"')],
    calm: [at('svc_bus_redeliveries_total', '0+10x100', 'stream="status"')],
  },
  CallsheetBusMessagesRefused: {
    minutes: 20,
    fires: [at('svc_bus_refused_messages_total', '0x10 2x100', 'reason="other-worker"')],
    calm: [at('svc_bus_refused_messages_total', '2x100', 'reason="other-worker"')],
  },
  CallsheetIsolatedQueuesOnOpenBus: {
    minutes: 30,
    fires: [at('svc_isolated_queues_on_open_bus', '1x100')],
    calm: [at('svc_isolated_queues_on_open_bus', '0x100')],
  },
  CallsheetClusterWithoutOwner: {
    minutes: 5,
    fires: [at('svc_cluster_role', '0x100', 'role="owner"')],
    calm: [at('svc_cluster_role', '1x100', 'role="owner"')],
  },
  CallsheetClusterNodeMissing: {
    minutes: 10,
    fires: [at('svc_cluster_nodes', '1x100', 'standing="missing"')],
    calm: [at('svc_cluster_nodes', '0x100', 'standing="missing"')],
  },
  CallsheetClusterNodeBehind: {
    minutes: 10,
    fires: [at('svc_cluster_lag_seconds', '0x100'), at('svc_cluster_current', '0x100')],
    calm: [at('svc_cluster_lag_seconds', '0.1x100'), at('svc_cluster_current', '1x100')],
  },
  CallsheetClusterTakeovers: {
    minutes: 60,
    fires: [at('svc_cluster_epoch', '1+1x100')],
    calm: [at('svc_cluster_epoch', '1x10 2x100')],
  },
};
