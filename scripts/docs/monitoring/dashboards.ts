import { selectorsWith } from './prom-query.ts';

/** Unit of a panel, as Grafana names it. */
type Unit = 'short' | 's' | 'bytes' | 'percentunit' | 'ops' | 'cpm' | 'dateTimeFromNow';

export interface Target {
  readonly expr: string;
  /** Name of a series, with `{{label}}`. */
  readonly legend: string;
}

export interface Panel {
  readonly title: string;
  readonly kind: 'timeseries' | 'stat';
  readonly unit: Unit;
  readonly description: string;
  readonly targets: readonly Target[];
}

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  /** True: panels are limited to the farms that are selected. */
  readonly byFarm?: true;
  readonly panels: readonly Panel[];
}

const { of, ofProcess, quantile, countOf } = selectorsWith('instance=~"$instance"');
const RANGE = '$__rate_interval';

const panel = (
  title: string,
  unit: Unit,
  description: string,
  ...targets: readonly (readonly [legend: string, expr: string])[]
): Panel => ({
  title,
  kind: 'timeseries',
  unit,
  description,
  targets: targets.map(([legend, expr]) => ({ legend, expr })),
});

const figure = (title: string, unit: Unit, description: string, expr: string): Panel => ({
  ...panel(title, unit, description, [title, expr]),
  kind: 'stat',
});

/** Limits a vector with the labels `instance` and `queue` to the selected farms, and names its queues. */
const byQueue = (expr: string): string =>
  `sum by (name) (${expr} * on (instance, queue) group_left (name) ${of('svc_queue_info', { farm: '=~$farm' })})`;

const FARM: Dashboard = {
  uid: 'callsheet-farm',
  title: 'Callsheet: farm',
  panels: [
    figure(
      'Running tasks',
      'short',
      'Tasks that run now.',
      `sum(${of('svc_scheduler_tasks', { status: 'running' })})`,
    ),
    figure(
      'Ready tasks',
      'short',
      'Ready tasks, held or not.',
      `sum(${of('svc_scheduler_tasks', { status: 'ready' })})`,
    ),
    figure(
      'Online workers',
      'short',
      'Workers that are online.',
      `sum(${of('svc_workers', { status: 'online' })})`,
    ),
    figure(
      'Unschedulable tasks',
      'short',
      'Ready tasks that no online worker may run.',
      `sum(${of('svc_scheduler_tasks_unschedulable')})`,
    ),
    panel('Tasks', 'short', 'Tasks of jobs that have not ended.', [
      '{{status}}',
      `sum by (status) (${of('svc_scheduler_tasks')})`,
    ]),
    panel('Jobs', 'short', 'Jobs that have not ended.', [
      '{{status}}',
      `sum by (status) (${of('svc_scheduler_jobs')})`,
    ]),
    panel('Leased tasks', 'ops', 'Tasks that were leased to workers, per second.', [
      'tasks',
      `sum(rate(${of('svc_scheduler_leased_tasks_total')}[${RANGE}]))`,
    ]),
    panel(
      'Wait of workers for work',
      's',
      'How long lease requests that got tasks had waited.',
      ['p50', quantile(0.5, 'svc_scheduler_lease_wait_seconds', RANGE)],
      ['p95', quantile(0.95, 'svc_scheduler_lease_wait_seconds', RANGE)],
    ),
    panel('Retries', 'cpm', 'Automatic retries, per minute.', [
      'retries',
      `sum(rate(${of('svc_scheduler_task_retries_total')}[${RANGE}])) * 60`,
    ]),
    panel('Parked jobs', 'short', 'Jobs that reached their failure limit in the last hour.', [
      'jobs',
      `sum(increase(${of('svc_scheduler_jobs_autoparked_total')}[1h]))`,
    ]),
  ],
};

const QUEUES: Dashboard = {
  uid: 'callsheet-queues',
  title: 'Callsheet: queues',
  byFarm: true,
  panels: [
    panel('Running tasks', 'short', 'Assigned and running tasks of each queue.', [
      '{{name}}',
      byQueue(of('svc_queue_tasks', { status: 'live' })),
    ]),
    panel('Ready tasks', 'short', 'Ready tasks of each queue, held or not.', [
      '{{name}}',
      byQueue(of('svc_queue_tasks', { status: 'ready' })),
    ]),
    panel('Retries', 'cpm', 'Automatic retries, per minute.', [
      '{{name}}',
      `${byQueue(`rate(${of('svc_scheduler_task_retries_total')}[${RANGE}])`)} * 60`,
    ]),
    panel(
      'Preempted tasks',
      'cpm',
      'Tasks of each queue that were taken back for another queue, per minute.',
      ['{{name}}', `${byQueue(`rate(${of('svc_scheduler_task_preemptions_total')}[${RANGE}])`)} * 60`],
    ),
    panel('Parked jobs', 'short', 'Jobs that reached their failure limit in the last hour.', [
      '{{name}}',
      byQueue(`increase(${of('svc_scheduler_jobs_autoparked_total')}[1h])`),
    ]),
    figure(
      'Queues with ready tasks and nothing running',
      'short',
      'Paused queues and queues without matching workers are among them.',
      `count(${byQueue(of('svc_queue_tasks', { status: 'ready' }))} > 0 and ${byQueue(of('svc_queue_tasks', { status: 'live' }))} == 0) or vector(0)`,
    ),
  ],
};

const WORKERS: Dashboard = {
  uid: 'callsheet-workers',
  title: 'Callsheet: workers',
  panels: [
    figure('Online', 'short', 'Workers that are online.', `sum(${of('svc_workers', { status: 'online' })})`),
    figure(
      'Offline',
      'short',
      'Workers without a heartbeat.',
      `sum(${of('svc_workers', { status: 'offline' })})`,
    ),
    figure(
      'Disabled',
      'short',
      'Workers that get no tasks.',
      `sum(${of('svc_workers', { status: 'disabled' })})`,
    ),
    figure(
      'Waiting',
      'short',
      'Lease requests that wait for work.',
      `sum(${of('svc_scheduler_parked_requests')})`,
    ),
    panel('Workers', 'short', 'Workers by status.', ['{{status}}', `sum by (status) (${of('svc_workers')})`]),
    panel('Waiting workers', 'short', 'Lease requests that wait for work.', [
      'requests',
      `sum(${of('svc_scheduler_parked_requests')})`,
    ]),
    panel('Answers to lease requests', 'ops', 'Per second, by answer.', [
      '{{answer}}',
      `sum by (answer) (rate(${of('svc_scheduler_leases_total')}[${RANGE}]))`,
    ]),
    panel('Tasks of a lease', 'short', 'Mean number of tasks of a lease.', [
      'tasks',
      `sum(rate(${of('svc_scheduler_leased_tasks_total')}[${RANGE}])) / sum(rate(${of('svc_scheduler_leases_total', { answer: 'leased' })}[${RANGE}]))`,
    ]),
    panel(
      'Refused messages',
      'ops',
      'Messages that the credential of their sender does not allow, per second.',
      ['{{reason}}', `sum by (reason) (rate(${of('svc_bus_refused_messages_total')}[${RANGE}]))`],
    ),
  ],
};

const SERVICE: Dashboard = {
  uid: 'callsheet-service',
  title: 'Callsheet: service',
  panels: [
    figure(
      'Started',
      'dateTimeFromNow',
      'Start of the process.',
      `max(${ofProcess('process_start_time_seconds')}) * 1000`,
    ),
    figure(
      'Resident memory',
      'bytes',
      'Memory of the process.',
      `sum(${ofProcess('process_resident_memory_bytes')})`,
    ),
    figure('Clients', 'short', 'Clients of the event channel.', `sum(${of('svc_ws_clients')})`),
    figure(
      'File descriptors',
      'percentunit',
      'Share of the limit that is open.',
      `max(${ofProcess('process_open_fds')} / ${ofProcess('process_max_fds')})`,
    ),
    panel(
      'Lease requests',
      's',
      'From a request to its reply with tasks, without the wait for work.',
      ['p50', quantile(0.5, 'svc_scheduler_lease_seconds', RANGE)],
      ['p99', quantile(0.99, 'svc_scheduler_lease_seconds', RANGE)],
    ),
    panel(
      'Commits',
      's',
      'From the end of a commit window to its flush.',
      ['p50', quantile(0.5, 'svc_store_commit_seconds', RANGE)],
      ['p99', quantile(0.99, 'svc_store_commit_seconds', RANGE)],
    ),
    panel('Commit windows', 'ops', 'Commit windows per second.', [
      'windows',
      `sum(rate(${countOf('svc_store_commit_seconds')}[${RANGE}]))`,
    ]),
    panel('Lag of threads', 's', 'How late the turns of each thread were, 99th percentile of each second.', [
      '{{thread}}',
      `max by (thread) (${of('svc_event_loop_lag_seconds', { stat: 'p99' })})`,
    ]),
    panel('Processor', 'short', 'Cores that the process uses.', [
      'cores',
      `sum(rate(${ofProcess('process_cpu_seconds_total')}[${RANGE}]))`,
    ]),
    panel(
      'Memory',
      'bytes',
      'Resident memory, and the used heap of the main thread.',
      ['resident', `sum(${ofProcess('process_resident_memory_bytes')})`],
      ['heap', `sum(${ofProcess('nodejs_heap_size_used_bytes')})`],
    ),
    panel('Store files', 'bytes', 'Size of the files.', [
      '{{store}}',
      `sum by (store) (${of('svc_store_file_bytes')})`,
    ]),
    panel('Free pages', 'percentunit', 'Share of the file of each store that is free.', [
      '{{store}}',
      `sum by (store) (${of('svc_store_pages', { state: 'free' })}) / sum by (store) (${of('svc_store_pages')})`,
    ]),
    panel('Redeliveries', 'ops', 'Messages that the bus has delivered again, per second.', [
      '{{stream}}',
      `sum by (stream) (rate(${of('svc_bus_redeliveries_total')}[${RANGE}]))`,
    ]),
    panel(
      'Events',
      'ops',
      'Events of the event channel, per second.',
      ['sent', `sum(rate(${of('svc_ws_events_pushed_total')}[${RANGE}]))`],
      ['missed', `sum(rate(${of('svc_ws_events_missed_total')}[${RANGE}]))`],
    ),
    panel('Owner of the cluster', 'short', '1 for the node that owns the cluster.', [
      '{{instance}}',
      `sum by (instance) (${of('svc_cluster_role', { role: 'owner' })})`,
    ]),
    panel('Lag of nodes', 's', 'How long the last record of the owner took until a node had applied it.', [
      '{{instance}}',
      `max by (instance) (${of('svc_cluster_lag_seconds')})`,
    ]),
    panel('Records behind', 'short', 'Records of the owner that a node has not applied.', [
      '{{instance}}',
      `max by (instance) (${of('svc_cluster_lag_records')})`,
    ]),
    panel('Records of the log', 'ops', 'Records that each node applies, per second.', [
      '{{instance}}',
      `sum by (instance) (rate(${of('svc_cluster_position')}[${RANGE}]))`,
    ]),
    panel('Takeovers', 'short', 'Times that a process has become the owner since it has started.', [
      '{{instance}}',
      `sum by (instance) (${of('svc_cluster_takeovers_total')})`,
    ]),
    panel(
      'Requests in the cluster',
      'ops',
      'Requests that were passed on to the owner, and reads that were marked as stale, per second.',
      ['passed on', `sum(rate(${of('svc_cluster_forwarded_requests_total')}[${RANGE}]))`],
      ['stale', `sum(rate(${of('svc_cluster_stale_reads_total')}[${RANGE}]))`],
    ),
  ],
};

/** All dashboards. */
export const DASHBOARDS: readonly Dashboard[] = [FARM, QUEUES, WORKERS, SERVICE];

const SOURCE = { type: 'prometheus', uid: '${datasource}' } as const;

function variable(name: string, label: string, metric: string): object {
  return {
    name,
    label,
    type: 'query',
    datasource: SOURCE,
    definition: `label_values(${metric}, ${name})`,
    query: { query: `label_values(${metric}, ${name})`, refId: 'A' },
    includeAll: true,
    allValue: '.*',
    multi: true,
    current: { text: 'All', value: '$__all' },
    refresh: 2,
    sort: 1,
  };
}

const COLUMNS = 24;
const SIZES = { stat: { w: 6, h: 4 }, timeseries: { w: 12, h: 8 } } as const;

/** Returns a dashboard as Grafana imports it. */
export function dashboardFile({ uid, title, byFarm, panels }: Dashboard): string {
  let [x, y, rowHeight] = [0, 0, 0];
  const placed = panels.map(({ title: name, kind, unit, description, targets }, index) => {
    const size = SIZES[kind];
    if (x + size.w > COLUMNS) [x, y, rowHeight] = [0, y + rowHeight, 0];
    const gridPos = { x, y, ...size };
    x += size.w;
    rowHeight = Math.max(rowHeight, size.h);
    return {
      id: index + 1,
      title: name,
      type: kind,
      description,
      datasource: SOURCE,
      gridPos,
      fieldConfig: { defaults: { unit, min: unit === 'dateTimeFromNow' ? null : 0 }, overrides: [] },
      options:
        kind === 'stat' ? { reduceOptions: { calcs: ['lastNotNull'] } } : { tooltip: { mode: 'multi' } },
      targets: targets.map(({ expr, legend }, at) => ({
        refId: String.fromCharCode('A'.charCodeAt(0) + at),
        datasource: SOURCE,
        expr,
        legendFormat: legend,
        instant: kind === 'stat',
        range: kind !== 'stat',
      })),
    };
  });
  const list = [
    { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus', current: {} },
    variable('instance', 'Instance', 'svc_workers'),
    ...(byFarm === true ? [variable('farm', 'Farm', 'svc_queue_info')] : []),
  ];
  const dashboard = {
    uid,
    title,
    tags: ['callsheet'],
    schemaVersion: 38,
    version: 1,
    editable: true,
    time: { from: 'now-6h', to: 'now' },
    refresh: '30s',
    templating: { list },
    panels: placed,
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}
