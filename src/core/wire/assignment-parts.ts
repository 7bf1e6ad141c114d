import type { JobPlan, StepPlan, TaskParameterValue } from '../../openjd/template/plan.ts';
import type { QueueRecord } from '../records/queue.ts';
import type { IsolationIdentity, StepAssignment } from './bus-messages.ts';

/**
 * Returns the data that all tasks of a step share when they are assigned to a worker. `extensions`: those that the
 * template declares. `patterns`: those of retry rules, which the worker searches the log of a failed task for.
 */
export const stepAssignmentOf = (
  job: JobPlan,
  step: StepPlan,
  extensions: readonly string[],
  patterns: readonly string[] = [],
): StepAssignment => ({
  job_name: job.jobName,
  step_name: step.name,
  job_parameters: job.parameters,
  job_environments: job.environments,
  step_environments: step.environments,
  script: step.script,
  ...(step.lets === undefined ? {} : { lets: step.lets }),
  compute_location: step.requirements.computeLocation,
  ...memoryOf(step),
  ...(extensions.length > 0 && { extensions }),
  ...(step.deliveries === undefined ? {} : { deliveries: step.deliveries }),
  ...(patterns.length > 0 && { log_patterns: patterns }),
});

/** The least memory that a task of the step needs; absent without a request. */
function memoryOf({ requirements }: StepPlan): Pick<StepAssignment, 'memory_mib'> {
  const memory = requirements.amounts.find(({ name }) => name === 'amount.worker.memory')?.min;
  return memory === undefined || memory <= 0 ? {} : { memory_mib: memory };
}

/**
 * Returns the account that tasks of a queue run as: names only, because each worker resolves them itself. Null for the
 * worker's own account.
 */
export function isolationOf({
  runAsUser,
  runAsGroup,
}: Pick<QueueRecord, 'runAsUser' | 'runAsGroup'>): IsolationIdentity | null {
  if (runAsUser === undefined) return null;
  return { user: runAsUser, ...(runAsGroup !== undefined && { group: runAsGroup }) };
}

/** Returns the values of a task's parameters with their types, by name. */
export function typedParametersOf(
  step: StepPlan,
  values: Readonly<Record<string, string>>,
): Record<string, TaskParameterValue> {
  const typed: Record<string, TaskParameterValue> = {};
  for (const { name, type } of step.taskParameters) {
    const value = { type, value: Object.hasOwn(values, name) ? (values[name] ?? '') : '' };
    // An assignment to this name would set the prototype and lose the value.
    if (name === '__proto__')
      Object.defineProperty(typed, name, { value, enumerable: true, configurable: true, writable: true });
    else typed[name] = value;
  }
  return typed;
}
