import type { WorkerAttempt } from '../../../client/resources.ts';
import type { TimelineItem } from './timeline-model.ts';

/** Returns the bar of an attempt. Its id is the address of the attempt's page. A reclaimed attempt is shown as canceled. */
export function attemptBar(attempt: WorkerAttempt, lane: string): TimelineItem {
  const {
    task_id: task,
    attempt_number: number,
    status,
    reclaimed,
    started_at: from,
    ended_at: to,
  } = attempt;
  return {
    id: `/tasks/${encodeURIComponent(task)}?attempt=${number}`,
    name: `${attempt.task_name} of ${attempt.job_name}`,
    status: reclaimed === true ? 'canceled' : status,
    lane,
    from: Date.parse(from),
    to: to === undefined ? null : Date.parse(to),
  };
}
