import { JOB, selectorsWith } from './prom-query.ts';

/** An alert rule. Its runbook is the section of docs/runbooks.md with the same name. */
export interface Alert {
  readonly name: string;
  /** `critical`: tasks do not run, or the farm is not protected; `warning`: look at it today; `info`: know about it. */
  readonly severity: 'critical' | 'warning' | 'info';
  /** How long the condition must hold. */
  readonly for: string;
  readonly expr: string;
  /** One line with the labels of the alert. */
  readonly summary: string;
  readonly description: string;
}

const { of, ofProcess, quantile } = selectorsWith(`job="${JOB}"`);
const workers = (status: string): string => `sum by (instance) (${of('svc_workers', { status })})`;
const tasks = (status: string): string => of('svc_scheduler_tasks', { status });
/** Joins the name of the queue to a vector with the labels `instance` and `queue`. */
const named = (expr: string): string =>
  `(${expr}) * on (instance, queue) group_left (name) ${of('svc_queue_info')}`;

const SCHEDULING: readonly Alert[] = [
  {
    name: 'CallsheetNoWorkers',
    severity: 'critical',
    for: '5m',
    expr: `sum by (instance) (${tasks('ready')}) > 0 and ${workers('online')} == 0`,
    summary: 'Tasks are ready, but no worker is online',
    description: '{{ $value }} tasks are ready on {{ $labels.instance }}.',
  },
  {
    name: 'CallsheetWorkersOffline',
    severity: 'warning',
    for: '15m',
    expr: `${workers('offline')} / (${workers('offline')} + ${workers('online')}) > 0.2`,
    summary: 'More than a fifth of the workers are offline',
    description:
      '{{ $value | humanizePercentage }} of the workers of {{ $labels.instance }} are offline; disabled ones are not counted.',
  },
  {
    name: 'CallsheetTasksUnschedulable',
    severity: 'warning',
    for: '15m',
    expr: `${of('svc_scheduler_tasks_unschedulable')} > 0`,
    summary: 'Ready tasks fit no online worker',
    description:
      '{{ $value }} ready tasks of {{ $labels.instance }} require something that no online worker has.',
  },
  {
    name: 'CallsheetTasksNotLeased',
    severity: 'warning',
    for: '15m',
    expr:
      `${tasks('ready')} - ignoring (status) ${of('svc_scheduler_tasks_unschedulable')} > 0 ` +
      `and on (instance) ${of('svc_scheduler_parked_requests')} > 0 ` +
      `and on (instance) rate(${of('svc_scheduler_leased_tasks_total')}[15m]) == 0`,
    summary: 'Tasks are ready and workers wait, but no task is leased',
    description:
      '{{ $value }} ready tasks of {{ $labels.instance }} have waited for 15 minutes while workers were idle.',
  },
  {
    name: 'CallsheetJobsParked',
    severity: 'warning',
    for: '0m',
    expr: named(`sum by (instance, queue) (increase(${of('svc_scheduler_jobs_autoparked_total')}[30m])) > 0`),
    summary: 'Jobs of the queue {{ $labels.name }} were parked',
    description: 'About {{ $value | humanize }} jobs reached their failure limit within 30 minutes.',
  },
  {
    name: 'CallsheetManyRetries',
    severity: 'warning',
    for: '15m',
    expr: named(`sum by (instance, queue) (rate(${of('svc_scheduler_task_retries_total')}[15m])) * 60 > 10`),
    summary: 'Many tasks of the queue {{ $labels.name }} fail and are retried',
    description: '{{ $value | humanize }} retries a minute.',
  },
  {
    name: 'CallsheetLeasesSlow',
    severity: 'warning',
    for: '10m',
    expr: `${quantile(0.99, 'svc_scheduler_lease_seconds', '5m')} > 1`,
    summary: 'Leases are slow',
    description:
      'The 99th percentile of lease requests of {{ $labels.instance }} is {{ $value | humanizeDuration }}.',
  },
];

const SERVICE: readonly Alert[] = [
  {
    name: 'CallsheetDown',
    severity: 'critical',
    for: '2m',
    expr: `up{job="${JOB}"} == 0`,
    summary: 'The service {{ $labels.instance }} cannot be scraped',
    description: 'Running tasks continue for the time that docs/operations.md describes. No task starts.',
  },
  {
    name: 'CallsheetRestarts',
    severity: 'warning',
    for: '0m',
    expr: `changes(${ofProcess('process_start_time_seconds')}[30m]) > 2`,
    summary: 'The service {{ $labels.instance }} restarts repeatedly',
    description: '{{ $value }} starts within 30 minutes.',
  },
  {
    name: 'CallsheetEventLoopBlocked',
    severity: 'warning',
    for: '5m',
    expr: `${of('svc_event_loop_lag_seconds', { stat: 'p99' })} > 0.5`,
    summary: 'The thread {{ $labels.thread }} is overloaded',
    description:
      'The turns of {{ $labels.thread }} on {{ $labels.instance }} are {{ $value | humanizeDuration }} late.',
  },
  {
    name: 'CallsheetMemoryHigh',
    severity: 'warning',
    for: '30m',
    expr: `${ofProcess('process_resident_memory_bytes')} > 4e9`,
    summary: 'The service {{ $labels.instance }} uses much memory',
    description: '{{ $value | humanize1024 }}B are resident.',
  },
  {
    name: 'CallsheetFileDescriptors',
    severity: 'warning',
    for: '5m',
    expr: `${ofProcess('process_open_fds')} / ${ofProcess('process_max_fds')} > 0.8`,
    summary: 'The service {{ $labels.instance }} runs out of file descriptors',
    description: '{{ $value | humanizePercentage }} of its limit are open.',
  },
  {
    name: 'CallsheetEventsMissed',
    severity: 'info',
    for: '0m',
    expr: `increase(${of('svc_ws_events_missed_total')}[15m]) > 0`,
    summary: 'Clients of the event channel miss events',
    description: 'About {{ $value | humanize }} events within 15 minutes.',
  },
];

const STORE_AND_BUS: readonly Alert[] = [
  {
    name: 'CallsheetCommitsSlow',
    severity: 'warning',
    for: '10m',
    expr: `${quantile(0.99, 'svc_store_commit_seconds', '5m')} > 0.5`,
    summary: 'The disk of the store is slow',
    description:
      'The 99th percentile of commits of {{ $labels.instance }} is {{ $value | humanizeDuration }}.',
  },
  {
    name: 'CallsheetStoreMostlyFree',
    severity: 'info',
    for: '1d',
    expr:
      `${of('svc_store_file_bytes')} > 1e9 and on (instance, store) ` +
      `${of('svc_store_pages', { state: 'free' })} / ignoring (state) ${of('svc_store_pages', { state: 'used' })} > 3`,
    summary: 'Three quarters of the file of the store {{ $labels.store }} are free',
    description:
      'The file has {{ $value | humanize1024 }}B. It shrinks at a restart, or with callsheet compact.',
  },
  {
    name: 'CallsheetBusRedeliveries',
    severity: 'warning',
    for: '10m',
    expr: `sum by (instance, stream) (rate(${of('svc_bus_redeliveries_total')}[10m])) > 1`,
    summary: 'The bus delivers messages of the stream {{ $labels.stream }} again',
    description: '{{ $value | humanize }} messages a second were not acknowledged in time.',
  },
  {
    name: 'CallsheetBusMessagesRefused',
    severity: 'warning',
    for: '0m',
    expr: `sum by (instance, reason) (increase(${of('svc_bus_refused_messages_total')}[15m])) > 0`,
    summary: 'Messages of workers were refused: {{ $labels.reason }}',
    description:
      'About {{ $value | humanize }} messages within 15 minutes that the credential of their sender does not allow.',
  },
  {
    name: 'CallsheetIsolatedQueuesOnOpenBus',
    severity: 'critical',
    for: '15m',
    expr: `${of('svc_isolated_queues_on_open_bus')} > 0`,
    summary: 'Queues with an account of their own are on a bus without authentication',
    description: '{{ $value }} queues of {{ $labels.instance }} are not protected by their account.',
  },
];

const CLUSTER: readonly Alert[] = [
  {
    name: 'CallsheetClusterWithoutOwner',
    severity: 'critical',
    for: '1m',
    expr: `sum by (job) (${of('svc_cluster_role', { role: 'owner' })}) == 0`,
    summary: 'No node owns the cluster',
    description: 'No tasks are assigned and no changes are accepted. Running tasks continue for a time.',
  },
  {
    name: 'CallsheetClusterNodeMissing',
    severity: 'warning',
    for: '5m',
    expr: `max by (job) (${of('svc_cluster_nodes', { standing: 'missing' })}) > 0`,
    summary: 'Nodes of the cluster are missing',
    description: '{{ $value }} nodes do not answer. With too few of them the cluster stops.',
  },
  {
    name: 'CallsheetClusterNodeBehind',
    severity: 'warning',
    for: '5m',
    expr: `${of('svc_cluster_lag_seconds')} > 5 or ${of('svc_cluster_current')} == 0`,
    summary: 'A node of the cluster is behind',
    description: '{{ $labels.instance }} does not follow the owner of the cluster; its reads may be stale.',
  },
  {
    name: 'CallsheetClusterTakeovers',
    severity: 'warning',
    for: '0m',
    expr: `max by (job) (changes(${of('svc_cluster_epoch')}[1h])) > 3`,
    summary: 'The owner of the cluster changes often',
    description: '{{ $value }} epochs began within an hour.',
  },
];

/** Groups of rules, by name. */
export const ALERTS = {
  'callsheet-scheduling': SCHEDULING,
  'callsheet-service': SERVICE,
  'callsheet-store-and-bus': STORE_AND_BUS,
  'callsheet-cluster': CLUSTER,
} as const;

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const ruleLines = (alert: Alert): readonly string[] => [
  `      - alert: ${alert.name}`,
  `        expr: ${quoted(alert.expr)}`,
  `        for: ${alert.for}`,
  '        labels:',
  `          severity: ${alert.severity}`,
  '        annotations:',
  `          summary: ${quoted(alert.summary)}`,
  `          description: ${quoted(alert.description)}`,
  `          runbook: docs/runbooks.md#${alert.name.toLowerCase()}`,
];

/** Returns the text of deploy/monitoring/alerts.yaml. */
export function alertRules(): string {
  const groups = Object.entries(ALERTS).flatMap(([name, alerts]) => [
    `  - name: ${name}`,
    '    rules:',
    ...alerts.flatMap(ruleLines),
  ]);
  const head = '# Made by `npm run generate` from scripts/docs/monitoring/alerts.ts. Do not edit by hand.';
  return [head, 'groups:', ...groups, ''].join('\n');
}
