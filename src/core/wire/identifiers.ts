import { isIncarnation } from './incarnation.ts';
import {
  farmId,
  isUuid,
  jobId,
  parseAttemptId,
  parseStepId,
  parseTaskId,
  queueId,
  workerId,
  type AttemptId,
  type FarmId,
  type JobId,
  type QueueId,
  type StepId,
  type TaskId,
  type WorkerId,
} from '../ids.ts';
import { identifier, type Reader } from './field-readers.ts';
import { WIRE_LIMITS } from './limits.ts';
import { isTimestamp } from './timestamp-text.ts';

/** Readers of the identifiers in messages. Identifiers that do not parse are rejected here. */

const INBOX = /^_INBOX(?:\.[A-Za-z0-9_-]+)+$/;
const TOKEN = /^[A-Za-z0-9_-]+$/;

const same = (value: string): string => value;

/** Maximum number of known ids of workers and farms. */
const SENDERS_MAX = 10_000;
const senders = new Set<string>();

/** Like `isUuid`, with a cache for ids that are in every message of the same sender. */
function isSender(text: string): boolean {
  if (senders.has(text)) return true;
  if (!isUuid(text)) return false;
  if (senders.size >= SENDERS_MAX) senders.clear();
  senders.add(text);
  return true;
}

export const readWorkerId: Reader<WorkerId> = identifier(
  'a worker id',
  WIRE_LIMITS.token,
  isSender,
  workerId,
);
export const readFarmId: Reader<FarmId> = identifier('a farm id', WIRE_LIMITS.token, isSender, farmId);
export const readQueueId: Reader<QueueId> = identifier('a queue id', WIRE_LIMITS.token, isUuid, queueId);
export const readJobId: Reader<JobId> = identifier('a job id', WIRE_LIMITS.token, isUuid, jobId);

export const readStepId: Reader<StepId> = identifier(
  'a step id',
  WIRE_LIMITS.token,
  (value) => parseStepId(value) !== null,
  (value) => value as StepId,
);

export const readTaskId: Reader<TaskId> = identifier(
  'a task id',
  WIRE_LIMITS.token,
  (value) => parseTaskId(value) !== null,
  (value) => value as TaskId,
);

export const readAttemptId: Reader<AttemptId> = identifier(
  'an attempt id',
  WIRE_LIMITS.token,
  (value) => (parseAttemptId(value)?.attemptNumber ?? 0) >= 1,
  (value) => value as AttemptId,
);

/** Subject of a reply: only an inbox is accepted, so that no message makes the service publish elsewhere. */
export const readInbox: Reader<string> = identifier(
  'an inbox',
  WIRE_LIMITS.inbox,
  (value) => INBOX.test(value),
  same,
);

export const isInbox = (subject: string): boolean =>
  subject.length <= WIRE_LIMITS.inbox && INBOX.test(subject);

/** An opaque name: letters, digits, "-" and "_". */
export const readToken: Reader<string> = identifier(
  'a token of letters, digits, "-" and "_"',
  WIRE_LIMITS.token,
  (value) => TOKEN.test(value),
  same,
);

/** An incarnation of a worker: a UUIDv7. */
export const readIncarnation: Reader<string> = identifier('a UUIDv7', WIRE_LIMITS.token, isIncarnation, same);

export const readTimestamp: Reader<string> = identifier(
  'an RFC 3339 time',
  WIRE_LIMITS.token,
  isTimestamp,
  same,
);

/** Returns an error if an attempt does not belong to the task that the same message names, or null. */
export const attemptFault = (message: {
  readonly task_id: TaskId;
  readonly attempt_id: AttemptId;
}): string | null =>
  message.attempt_id.slice(0, message.attempt_id.lastIndexOf('-')) === message.task_id
    ? null
    : 'attempt_id must be an attempt of task_id';
