import type { Worker } from '../../../client/resources.ts';
import type { Column } from '../../parts/data-table/column.ts';
import { UseMeter } from '../../parts/meter.tsx';
import { FarmName } from '../../parts/names.tsx';
import { mibText } from '../../parts/size-text.ts';
import { Ago } from '../../parts/time.tsx';
import { countCell, idColumn, listNameColumn, optionalColumns, textColumn } from '../list/list-columns.tsx';
import { DisableFailing, failingText } from './failing-worker.tsx';
import { tagTexts } from './worker-filters.ts';
import { QueueNames, WorkerBadge, WorkerTags } from './worker-marks.tsx';

const systemOf = ({ os, os_version: version, arch }: Worker): string =>
  [version === '' ? os : version, arch].filter((text) => text !== '').join(' ');

const reasonText = ({ disabled }: Worker): string =>
  disabled === undefined
    ? ''
    : `disabled by ${disabled.by}${disabled.reason === '' ? '' : `: ${disabled.reason}`}`;

const gpusOf = ({ gpu_count: gpus, gpu_models: models }: Worker): string =>
  gpus === 0 ? '' : `${gpus} × ${[...new Set(models)].join(', ') || 'GPU'}`;

const LOAD_COLUMNS: readonly Column<Worker>[] = [
  {
    id: 'cores',
    header: 'Cores in use',
    size: 150,
    minSize: 100,
    card: 'line',
    cell: (worker) => <UseMeter used={worker.committed_cores} total={worker.cpu_count} unit="cores" isAim />,
    text: (worker) => `${worker.committed_cores} of ${worker.cpu_count} cores booked`,
  },
  {
    id: 'tasks',
    header: 'Tasks',
    size: 66,
    align: 'end',
    cell: (worker) => countCell(worker.current_task_count),
  },
  {
    id: 'failures',
    header: 'Failures',
    size: 78,
    align: 'end',
    cell: ({ failed_attempts: failures }) =>
      failures === 0 ? (
        countCell(0)
      ) : (
        <strong className="workers-page__failures">{failures.toLocaleString('en')}</strong>
      ),
    text: (worker) => `${worker.failed_attempts} failures since registration`,
  },
  {
    id: 'memory',
    header: 'Memory',
    size: 86,
    align: 'end',
    cell: (worker) => mibText(worker.memory_mib),
  },
];

const MACHINE_COLUMNS: readonly Column<Worker>[] = [
  textColumn(systemOf, { id: 'os', header: 'OS', size: 132, card: 'hidden' }),
  textColumn((worker) => worker.version, { id: 'version', header: 'Version', size: 84, card: 'hidden' }),
  textColumn((worker) => worker.hostname, {
    id: 'hostname',
    header: 'Host name',
    size: 130,
    sortKey: 'hostname',
    card: 'hidden',
  }),
];

const OPTIONAL_COLUMNS = optionalColumns<Worker>([
  textColumn(gpusOf, { id: 'gpus', header: 'GPUs', size: 130 }),
  {
    id: 'queues',
    header: 'Queues',
    size: 130,
    cell: (worker) => <QueueNames ids={worker.queue_ids} />,
  },
  {
    id: 'registered',
    header: 'Registered',
    size: 96,
    sortKey: 'registered_at',
    cell: (worker) => <Ago iso={worker.registered_at} />,
  },
  idColumn(),
]);

/** The columns of the list of workers. */
export const WORKER_COLUMNS: readonly Column<Worker>[] = [
  listNameColumn(150, 100),
  {
    id: 'status',
    header: 'Status',
    size: 120,
    sortKey: 'status',
    card: 'plain',
    cell: (worker) => (
      <>
        <WorkerBadge worker={worker} />
        <DisableFailing worker={worker} />
      </>
    ),
    text: (worker) => failingText(worker) ?? reasonText(worker),
  },
  ...LOAD_COLUMNS,
  textColumn((worker) => worker.compute_location, {
    id: 'location',
    header: 'Location',
    size: 104,
    sortKey: 'compute_location',
  }),
  {
    id: 'farm',
    header: 'Farm',
    size: 96,
    card: 'hidden',
    cell: (worker) => <FarmName id={worker.farm_id} />,
  },
  {
    id: 'tags',
    header: 'Tags',
    size: 170,
    grow: true,
    card: 'line',
    cell: (worker) => <WorkerTags worker={worker} />,
    text: (worker) => tagTexts(worker).join(', '),
  },
  {
    id: 'heartbeat',
    header: 'Heartbeat',
    size: 88,
    sortKey: 'last_heartbeat_at',
    cell: (worker) => <Ago iso={worker.last_heartbeat_at} />,
  },
  ...MACHINE_COLUMNS,
  ...OPTIONAL_COLUMNS,
];
