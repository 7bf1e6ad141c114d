import type { Worker } from '../../../client/resources.ts';
import type { Column } from '../../parts/data-table/column.ts';
import { UseMeter } from '../../parts/meter.tsx';
import { FarmName, QueueName } from '../../parts/names.tsx';
import { mibText } from '../../parts/size-text.ts';
import { Ago } from '../../parts/time.tsx';
import { tagTexts } from './worker-filters.ts';
import { WorkerBadge, WorkerTags } from './worker-marks.tsx';

const count = (value: number) =>
  value === 0 ? <span className="muted">0</span> : value.toLocaleString('en');

const systemOf = ({ os, os_version: version, arch }: Worker): string =>
  [version === '' ? os : version, arch].filter((text) => text !== '').join(' ');

const gpusOf = ({ gpu_count: gpus, gpu_models: models }: Worker): string =>
  gpus === 0 ? '' : `${gpus} × ${[...new Set(models)].join(', ') || 'GPU'}`;

/** The columns of the list of workers. */
export const WORKER_COLUMNS: readonly Column<Worker>[] = [
  {
    id: 'name',
    header: 'Name',
    size: 150,
    minSize: 100,
    grow: true,
    isFixed: true,
    sortKey: 'name',
    card: 'title',
    cell: (worker) => worker.name,
    text: (worker) => worker.name,
  },
  {
    id: 'status',
    header: 'Status',
    size: 120,
    sortKey: 'status',
    card: 'plain',
    cell: (worker) => <WorkerBadge worker={worker} />,
  },
  {
    id: 'cores',
    header: 'Cores in use',
    size: 150,
    minSize: 100,
    card: 'line',
    cell: (worker) => <UseMeter used={worker.committed_cores} total={worker.cpu_count} unit="cores" isAim />,
    text: (worker) => `${worker.committed_cores} of ${worker.cpu_count} cores are booked`,
  },
  {
    id: 'tasks',
    header: 'Tasks',
    size: 66,
    align: 'end',
    cell: (worker) => count(worker.current_task_count),
  },
  {
    id: 'failures',
    header: 'Failures',
    size: 78,
    align: 'end',
    cell: (worker) =>
      worker.failed_attempts === 0 ? (
        <span className="muted">0</span>
      ) : (
        <strong className="workers-page__failures">{worker.failed_attempts.toLocaleString('en')}</strong>
      ),
    text: (worker) => `${worker.failed_attempts} failures since it was registered`,
  },
  {
    id: 'memory',
    header: 'Memory',
    size: 86,
    align: 'end',
    cell: (worker) => mibText(worker.memory_mib),
  },
  {
    id: 'location',
    header: 'Location',
    size: 104,
    sortKey: 'compute_location',
    cell: (worker) => worker.compute_location,
    text: (worker) => worker.compute_location,
  },
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
    header: 'Heard',
    size: 88,
    sortKey: 'last_heartbeat_at',
    cell: (worker) => <Ago iso={worker.last_heartbeat_at} />,
  },
  {
    id: 'os',
    header: 'System',
    size: 132,
    card: 'hidden',
    cell: systemOf,
    text: systemOf,
  },
  {
    id: 'version',
    header: 'Version',
    size: 84,
    card: 'hidden',
    cell: (worker) => worker.version,
    text: (worker) => worker.version,
  },
  {
    id: 'hostname',
    header: 'Host name',
    size: 130,
    sortKey: 'hostname',
    card: 'hidden',
    cell: (worker) => worker.hostname,
    text: (worker) => worker.hostname,
  },
  {
    id: 'gpus',
    header: 'GPUs',
    size: 130,
    hiddenAtFirst: true,
    card: 'hidden',
    cell: gpusOf,
    text: gpusOf,
  },
  {
    id: 'queues',
    header: 'Queues',
    size: 130,
    hiddenAtFirst: true,
    card: 'hidden',
    cell: (worker) =>
      worker.queue_ids.length === 0 ? (
        <span className="muted">all of the farm</span>
      ) : (
        worker.queue_ids.map((id, index) => (
          <span key={id}>
            {index > 0 && ', '}
            <QueueName id={id} />
          </span>
        ))
      ),
  },
  {
    id: 'registered',
    header: 'Registered',
    size: 96,
    sortKey: 'registered_at',
    hiddenAtFirst: true,
    card: 'hidden',
    cell: (worker) => <Ago iso={worker.registered_at} />,
  },
  {
    id: 'id',
    header: 'Id',
    size: 290,
    hiddenAtFirst: true,
    card: 'hidden',
    cell: (worker) => <span className="mono">{worker.id}</span>,
    text: (worker) => worker.id,
  },
];
