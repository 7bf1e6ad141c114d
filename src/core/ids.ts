/**
 * Identifiers. Branded, so that one kind is never passed for another. Opaque to clients (interface.md, "Resources and their fields").
 * A job id is a UUIDv7: the order of the keys is the order of creation. A task id names its step and index, an attempt id its task and number.
 */
type Brand<Kind extends string> = string & { readonly __kind: Kind };

export type FarmId = Brand<'farm'>;
export type QueueId = Brand<'queue'>;
export type JobId = Brand<'job'>;
export type StepId = Brand<'step'>;
export type TaskId = Brand<'task'>;
export type AttemptId = Brand<'attempt'>;
export type SessionId = Brand<'session'>;
export type WorkerId = Brand<'worker'>;

export const farmId = (text: string): FarmId => text as FarmId;
export const queueId = (text: string): QueueId => text as QueueId;
export const jobId = (text: string): JobId => text as JobId;
export const workerId = (text: string): WorkerId => text as WorkerId;
export const sessionId = (text: string): SessionId => text as SessionId;

/** Where a task stands: its job, the order of its step and its index in the step's parameter space. */
export interface TaskAddress {
  readonly jobId: JobId;
  readonly stepOrder: number;
  readonly index: number;
}

/** Which attempt of a task: numbers are dense from 1. */
export interface AttemptAddress extends TaskAddress {
  readonly attemptNumber: number;
}

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const NUMBER = '(0|[1-9][0-9]{0,9})';
const UUID_PATTERN = new RegExp(`^${UUID}$`);
const STEP_PATTERN = new RegExp(`^(${UUID})-${NUMBER}$`);
const TASK_PATTERN = new RegExp(`^(${UUID})-${NUMBER}-${NUMBER}$`);
const ATTEMPT_PATTERN = new RegExp(`^(${UUID})-${NUMBER}-${NUMBER}-${NUMBER}$`);

export const isUuid = (text: string): boolean => UUID_PATTERN.test(text);

export const stepIdOf = (job: JobId, stepOrder: number): StepId => `${job}-${stepOrder}` as StepId;

export const taskIdOf = (task: TaskAddress): TaskId =>
  `${task.jobId}-${task.stepOrder}-${task.index}` as TaskId;

export const attemptIdOf = (attempt: AttemptAddress): AttemptId =>
  `${attempt.jobId}-${attempt.stepOrder}-${attempt.index}-${attempt.attemptNumber}` as AttemptId;

/** The job and order that a step id names, or null when the text is no step id. */
export function parseStepId(text: string): { jobId: JobId; stepOrder: number } | null {
  const match = STEP_PATTERN.exec(text);
  return match ? { jobId: match[1] as JobId, stepOrder: Number(match[2]) } : null;
}

/** The address that a task id names, or null when the text is no task id. */
export function parseTaskId(text: string): TaskAddress | null {
  const match = TASK_PATTERN.exec(text);
  return match ? { jobId: match[1] as JobId, stepOrder: Number(match[2]), index: Number(match[3]) } : null;
}

/** The address that an attempt id names, or null when the text is no attempt id. */
export function parseAttemptId(text: string): AttemptAddress | null {
  const match = ATTEMPT_PATTERN.exec(text);
  if (!match) return null;
  return {
    jobId: match[1] as JobId,
    stepOrder: Number(match[2]),
    index: Number(match[3]),
    attemptNumber: Number(match[4]),
  };
}
