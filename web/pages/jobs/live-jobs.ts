import type { JobEvent } from '../../../client/events/subjects.ts';
import type { Job } from '../../../client/resources.ts';
import { latestById, type LatestEvents } from '../list/latest-events.ts';

/** Returns the last event of each job. */
export const latestEvents = (events: readonly JobEvent[]): LatestEvents<JobEvent> =>
  latestById(events, (event) => event.job_id);

/** Returns the job after an event, or the same object if the event is older or changes nothing. */
export function applyJobEvent(job: Job, event: JobEvent | undefined): Job {
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

/** Reports whether the task counts of a job can change without an event of the job. */
export const hasChangingCounts = ({ status, task_counts: counts }: Job): boolean =>
  status === 'running' || counts.running + counts.assigned > 0;
