import type { JobEvent } from '../../../client/events/subjects.ts';
import type { Job } from '../../../client/resources.ts';

/** What events say about jobs: how each has changed, and which are gone. */
export interface JobNews {
  readonly changed: ReadonlyMap<string, JobEvent>;
  readonly gone: ReadonlySet<string>;
}

/** The last word of events about each job. */
export function latestEvents(events: readonly JobEvent[]): JobNews {
  const changed = new Map<string, JobEvent>();
  const gone = new Set<string>();
  for (const event of events) {
    if (event.status === 'removed') {
      gone.add(event.job_id);
      changed.delete(event.job_id);
    } else changed.set(event.job_id, event);
  }
  return { changed, gone };
}

/** The job as the event tells; the job itself when it is as new already. */
export function jobAfter(job: Job, event: JobEvent | undefined): Job {
  if (event === undefined || event.status === 'removed' || event.updated_at < job.updated_at) return job;
  const { name, owner, queue_id, status, updated_at } = event;
  if (
    name === job.name &&
    owner === job.owner &&
    queue_id === job.queue_id &&
    status === job.status &&
    updated_at === job.updated_at
  ) {
    return job;
  }
  return { ...job, name, owner, queue_id, status, updated_at };
}

/** Whether its counts may change without an event of the job. */
export const isMoving = ({ status, task_counts: counts }: Job): boolean =>
  status === 'running' || counts.running + counts.assigned > 0;
