import type { Worker } from '../../../client/resources.ts';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { tagTexts } from './worker-filters.ts';
import './worker-marks.css';

/** A worker that drains is online, and takes nothing more. */
export function WorkerBadge({ worker }: { worker: Pick<Worker, 'status' | 'draining'> }) {
  const isDraining = worker.status === 'online' && worker.draining === true;
  return (
    <StatusBadge
      kind="worker"
      status={isDraining ? 'draining' : worker.status}
      {...(isDraining && { title: 'It was told to stop: it takes no tasks, and its own are still running.' })}
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
