import type { JobEvent } from '../../../client/events/subjects.ts';
import type { Job } from '../../../client/resources.ts';
import { hasJobEnded } from '../../state/ended.ts';
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
  // The reason is not in the event, and a job with another status waits for something else.
  const { waiting_reason: reason, ...kept } = job;
  const isSame = status === job.status && reason !== undefined;
  return { ...kept, name, owner, queue_id, status, updated_at, ...(isSame && { waiting_reason: reason }) };
}

/** Reports whether the task counts of a job, or the reason why it waits, can change without an event of the job. */
export const changesWithoutEvents = ({ status, task_counts: counts }: Job): boolean =>
  !hasJobEnded(status) || counts.running + counts.assigned > 0;
