import type { Worker } from '../../../client/resources.ts';
import { QueueName } from '../../parts/names.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { tagTexts } from './worker-filters.ts';
import './worker-marks.css';

/** The status of a worker. An online worker that takes no new tasks is shown as draining. */
export function WorkerBadge({ worker }: { worker: Pick<Worker, 'status' | 'draining'> }) {
  const isDraining = worker.status === 'online' && worker.draining === true;
  return (
    <StatusBadge
      kind="worker"
      status={isDraining ? 'draining' : worker.status}
      {...(isDraining && { title: 'Draining: finishing its current tasks before it stops.' })}
    />
  );
}

/** Tags as chips. */
export function WorkerTags({ worker }: { worker: Pick<Worker, 'tags'> }) {
  return (
    <span className="worker-tags">
      {tagTexts(worker).map((text) => (
        <span key={text} className="worker-tags__tag" title={text}>
          {text.replace(/=true$/, '')}
        </span>
      ))}
    </span>
  );
}

/** The queues of a worker; without ids it takes tasks of all queues. */
export function QueueNames({ ids }: { ids: readonly string[] }) {
  if (ids.length === 0) return <span className="muted">all queues of the farm</span>;
  return ids.map((id, index) => (
    <span key={id}>
      {index > 0 && ', '}
      <QueueName id={id} />
    </span>
  ));
}
