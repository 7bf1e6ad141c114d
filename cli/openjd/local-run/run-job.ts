import { attemptIdOf, jobId, stepIdOf, taskIdOf } from '../../../src/core/ids.ts';
import type { PreparedJob } from '../../../src/openjd/template/expand/prepare-job.ts';
import type { StepPlan } from '../../../src/openjd/template/plan.ts';
import { taskNameOf } from '../../../src/openjd/template/task-name.ts';
import { stepAssignmentOf, typedParametersOf } from '../../../src/core/wire/assignment-parts.ts';
import type { Assignment, StepAssignment } from '../../../src/core/wire/bus-messages.ts';
import { localTasksOf } from './local-tasks.ts';
import type { LocalSessions } from './local-sessions.ts';
import type { SelectedStep } from './select-tasks.ts';

/** `not run`: an earlier step failed, or the run was interrupted. */
export type LocalStatus = 'succeeded' | 'failed' | 'canceled' | 'not run';

/** Outcome of a step. */
export interface StepOutcome {
  readonly name: string;
  readonly status: LocalStatus;
  /** Numbers of succeeded and of selected tasks. */
  readonly succeeded: number;
  readonly count: number;
  readonly milliseconds: number;
}

export interface RunEvents {
  taskBegins(name: string): void;
  taskEnds(name: string, status: LocalStatus, message: string): void;
  /** The tasks that have not run yet have changed. `chunks`: their size and its reason. */
  chunksChange(step: string, chunks: string): void;
}

/** The only attempt of each task: a local run does not retry. */
const ATTEMPT = 1;

/**
 * Runs the selected tasks one after another, those of a step in one session like a worker. The first failed task ends
 * the run. The signal ends it, too, and cancels the running task. Returns the outcome of every step.
 */
export async function runJob(
  { plan, extensions }: Pick<PreparedJob, 'plan' | 'extensions'>,
  steps: readonly SelectedStep[],
  sessions: LocalSessions,
  events: RunEvents,
  signal: AbortSignal,
): Promise<readonly StepOutcome[]> {
  const id = jobId(sessions.newJobId());
  const cancel = (): void => sessions.cancel('interrupted');
  signal.addEventListener('abort', cancel);
  const outcomes: StepOutcome[] = [];
  let goesOn = true;
  for (const selected of steps) {
    const startedAt = performance.now();
    let succeeded = 0;
    let status: LocalStatus = 'not run';
    let begun = 0;
    const tasks = localTasksOf(selected, events);
    for (const index of tasks.indices()) {
      if (!goesOn || signal.aborted) break;
      const assignment = assignmentOf(id, selected.step, tasks.valuesOf(index), index);
      events.taskBegins(assignment.name);
      begun += 1;
      const step: StepAssignment = {
        ...stepAssignmentOf(plan, selected.step, extensions),
        // Whatever their size, tasks are left as long as this one is not the last.
        ready_left: tasks.count() - begun,
      };
      const taskBegan = performance.now();
      const report = await sessions.run(assignment, step);
      status = report === null || report.status === 'running' ? 'failed' : report.status;
      events.taskEnds(assignment.name, status, report?.message ?? '');
      if (status === 'succeeded') {
        succeeded += 1;
        tasks.succeeded(index, performance.now() - taskBegan);
      } else goesOn = false;
    }
    const count = tasks.count();
    if (status === 'succeeded' && succeeded < count) status = 'canceled';
    const milliseconds = performance.now() - startedAt;
    outcomes.push({ name: selected.step.name, status, succeeded, count, milliseconds });
  }
  signal.removeEventListener('abort', cancel);
  return outcomes;
}

function assignmentOf(
  job: ReturnType<typeof jobId>,
  step: StepPlan,
  values: Record<string, string>,
  index: number,
): Assignment {
  const address = { jobId: job, stepOrder: step.order, index };
  return {
    task_id: taskIdOf(address),
    job_id: job,
    step_id: stepIdOf(job, step.order),
    attempt_id: attemptIdOf({ ...address, attemptNumber: ATTEMPT }),
    name: taskNameOf(step.name, values),
    cores: step.requirements.cores ?? 1,
    parameters: typedParametersOf(step, values),
  };
}
