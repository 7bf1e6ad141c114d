/**
 * Identifiers. They are branded, so that the compiler rejects one kind in place of another, and opaque to clients
 * (docs/contract/resources.md). A job id is a UUIDv7: the order of the keys is the order of creation. A task id
 * contains its step and index, an attempt id its task and number.
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

/** Position of a task: its job, the order of its step and its index in the step's parameter space. */
export interface TaskAddress {
  readonly jobId: JobId;
  readonly stepOrder: number;
  readonly index: number;
}

/** An attempt of a task: numbers are consecutive from 1. */
export interface AttemptAddress extends TaskAddress {
  readonly attemptNumber: number;
}

const UUID_LENGTH = 36;
const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const NUMBER_DIGITS_MAX = 10;
const DASH = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

export const isUuid = (text: string): boolean => UUID_PATTERN.test(text);

/** The most recent step id: most calls repeat it. */
let namedStep = { jobId: '', stepOrder: -1, stepId: '' as StepId };

export function stepIdOf(jobId: JobId, stepOrder: number): StepId {
  if (stepOrder !== namedStep.stepOrder || jobId !== namedStep.jobId)
    namedStep = { jobId, stepOrder, stepId: `${jobId}-${stepOrder}` as StepId };
  return namedStep.stepId;
}

/** The most recent task id: one turn names the same task several times. */
let named = { jobId: '', stepOrder: -1, index: -1, taskId: '' as TaskId };

export function taskIdOf({ jobId, stepOrder, index }: TaskAddress): TaskId {
  if (index !== named.index || stepOrder !== named.stepOrder || jobId !== named.jobId)
    named = { jobId, stepOrder, index, taskId: `${jobId}-${stepOrder}-${index}` as TaskId };
  return named.taskId;
}

export const attemptIdOf = (attempt: AttemptAddress): AttemptId =>
  `${taskIdOf(attempt)}-${attempt.attemptNumber}` as AttemptId;

/** Parses a step id into its job and order. Returns null if the text is not a step id. */
export function parseStepId(text: string): { jobId: JobId; stepOrder: number } | null {
  const jobId = jobOf(text);
  const numbers = jobId === null ? null : numbersBehindJob(text, 1);
  return jobId === null || numbers === null ? null : { jobId, stepOrder: numbers[0] };
}

/** Parses a task id into its address. Returns null if the text is not a task id. */
export function parseTaskId(text: string): TaskAddress | null {
  const jobId = jobOf(text);
  const numbers = jobId === null ? null : numbersBehindJob(text, 2);
  return jobId === null || numbers === null ? null : { jobId, stepOrder: numbers[0], index: numbers[1] };
}

/** Parses an attempt id into its address. Returns null if the text is not an attempt id. */
export function parseAttemptId(text: string): AttemptAddress | null {
  const jobId = jobOf(text);
  const numbers = jobId === null ? null : numbersBehindJob(text, 3);
  if (jobId === null || numbers === null) return null;
  return { jobId, stepOrder: numbers[0], index: numbers[1], attemptNumber: numbers[2] };
}

/** Maximum number of interned job ids. */
const KNOWN_JOBS_MAX = 10_000;
const knownJobs = new Map<string, JobId>();
/** The job id that was found last: most consecutive ids are of the same job. */
let lastJob: JobId | null = null;

/** Returns the job id at the start of the text, as the same string for each job, or null if there is none. */
function jobOf(text: string): JobId | null {
  // `startsWith` takes three times as long: it compares character by character.
  if (lastJob !== null && text.indexOf(lastJob) === 0) return lastJob;
  const part = text.slice(0, UUID_LENGTH);
  let known = knownJobs.get(part);
  if (known === undefined) {
    if (!isUuid(part)) return null;
    if (knownJobs.size >= KNOWN_JOBS_MAX) knownJobs.clear();
    // A substring compares slowly and keeps the whole text in memory, so a flat copy is made.
    known = jobId([...part].join(''));
    knownJobs.set(known, known);
  }
  lastJob = known;
  return known;
}

/**
 * Returns `howMany` canonically written numbers after the job id, each after a dash, or null if the text does not
 * match.
 */
function numbersBehindJob(text: string, howMany: number): readonly [number, number, number] | null {
  const numbers: [number, number, number] = [0, 0, 0];
  let at = UUID_LENGTH;
  for (let nth = 0; nth < howMany; nth++) {
    if (text.charCodeAt(at) !== DASH) return null;
    const first = ++at;
    let number = 0;
    for (let code = text.charCodeAt(at); code >= ZERO && code <= NINE; code = text.charCodeAt(++at))
      number = number * 10 + (code - ZERO);
    const digits = at - first;
    if (digits === 0 || digits > NUMBER_DIGITS_MAX) return null;
    if (digits > 1 && text.charCodeAt(first) === ZERO) return null;
    numbers[nth] = number;
  }
  return at === text.length ? numbers : null;
}
