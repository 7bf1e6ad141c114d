import { isTerminalJob, type JobStatus } from './job-transitions.ts';
import type { TaskCounts } from './task-counts.ts';

/** docs/contract/step-states.md: a `pending` step waits for other steps or for the job. */
export type StepStatus = 'pending' | 'ready' | 'running' | 'completed' | 'failed' | 'canceled';

export function isTerminalStep(status: StepStatus): status is 'completed' | 'failed' | 'canceled' {
  return status === 'completed' || status === 'failed' || status === 'canceled';
}

/**
 * Returns the status of a step, from its tasks alone.
 * - All tasks terminal: failed if one failed, else canceled if one was canceled, else completed.
 * - No tasks: completed.
 * - No tasks but pending and terminal ones: pending.
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
 * Returns the trigger that ends a job when all its steps are terminal (docs/contract/job-states.md#completion:
 * completion derived from steps). Returns null while a step is not terminal, or if the job has already ended.
 */
export function completionTrigger(
  job: JobStatus,
  steps: readonly StepStatus[],
): 'all steps completed' | 'a step failed' | null {
  if (isTerminalJob(job) || !steps.every(isTerminalStep)) return null;
  return steps.every((status) => status === 'completed') ? 'all steps completed' : 'a step failed';
}
