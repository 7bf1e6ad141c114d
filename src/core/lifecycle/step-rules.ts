import { isTerminalJob, type JobStatus } from './job-transitions.ts';
import type { TaskCounts } from './task-counts.ts';

/** docs/contract/step-states.md: `pending` waits on steps or on the job. */
export type StepStatus = 'pending' | 'ready' | 'running' | 'completed' | 'failed' | 'canceled';

export function isTerminalStep(status: StepStatus): status is 'completed' | 'failed' | 'canceled' {
  return status === 'completed' || status === 'failed' || status === 'canceled';
}

/**
 * The status of a step, from its tasks alone. A step is over when every task is terminal: failed when one failed, else
 * canceled when one was canceled, else completed. A step without tasks is completed. One that has nothing but pending
 * tasks left waits on steps or on the job, whatever became of the others.
 */
export function stepStatusOf(counts: TaskCounts): StepStatus {
  const terminal = counts.succeeded + counts.failed + counts.canceled;
  if (terminal === counts.total) {
    if (counts.failed > 0) return 'failed';
    return counts.canceled > 0 ? 'canceled' : 'completed';
  }
  if (counts.assigned + counts.running > 0) return 'running';
  if (counts.ready === 0) return 'pending';
  return terminal > 0 ? 'running' : 'ready';
}

/**
 * How a job whose steps are all terminal has ended (docs/contract/job-states.md#completion: completion derived from
 * steps). Null while a step is not terminal, or when the job has ended already.
 */
export function completionTrigger(
  job: JobStatus,
  steps: readonly StepStatus[],
): 'all steps completed' | 'a step failed' | null {
  if (isTerminalJob(job) || !steps.every(isTerminalStep)) return null;
  return steps.every((status) => status === 'completed') ? 'all steps completed' : 'a step failed';
}
