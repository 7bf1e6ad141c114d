import { parseTaskId, type WorkerId } from '../ids.ts';
import { inboxRootOf, parseWorkerSubject, previewedTask, type WorkerSubject } from './subjects.ts';
import type { LogMessage, PresenceMessage, PreviewMessage, StatusMessage } from './bus-messages.ts';

/**
 * Who may have sent a message of a worker (docs/contract/bus.md#with-authentication). The bus lets a credential publish only
 * to subjects that end with its worker. The service compares that worker with the message itself.
 */

/** Why a message is refused; also the label of a metric. */
export type RefusalReason =
  /** The subject names no worker, on a bus with authentication. */
  | 'no-worker'
  /** The message names another worker than its subject. */
  | 'other-worker'
  /** The reply is to go to an inbox of another client. */
  | 'other-inbox'
  /** A log chunk of an attempt that another worker has. */
  | 'other-attempt'
  /** A log chunk of an attempt that does not exist. */
  | 'unknown-attempt';

export const REFUSAL_REASONS = [
  'no-worker',
  'other-worker',
  'other-inbox',
  'other-attempt',
  'unknown-attempt',
] as const satisfies readonly RefusalReason[];

/** Result of the check of a subject; null if it fits its message. */
export type SubjectFault =
  /** The message contradicts its subject, so that it is invalid. */
  | { readonly kind: 'invalid'; readonly reason: string }
  /** The sender may not send it. */
  | { readonly kind: 'refused'; readonly reason: RefusalReason };

const invalid = (reason: string): SubjectFault => ({ kind: 'invalid', reason });

/**
 * Returns why the sender named by a subject may not send a message of this worker; null if it may. A subject of the form
 * of the contract names no sender, and is enough on a bus without authentication.
 *
 * @param inbox The inbox that the message names for the reply; null if there is none.
 */
export function senderFault(
  { worker }: WorkerSubject,
  of: WorkerId,
  inbox: string | null,
  isScoped: boolean,
): RefusalReason | null {
  if (worker === null) return isScoped ? 'no-worker' : null;
  if (worker !== of) return 'other-worker';
  return inbox === null || inbox.startsWith(`${inboxRootOf(worker)}.`) ? null : 'other-inbox';
}

function faultOf(reason: RefusalReason | null): SubjectFault | null {
  return reason === null ? null : { kind: 'refused', reason };
}

export function statusFault(
  subject: string,
  message: Pick<StatusMessage, 'task_id' | 'worker_id'>,
  isScoped: boolean,
): SubjectFault | null {
  const parsed = parseWorkerSubject('status', subject);
  if (parsed === null || parseTaskId(message.task_id)?.jobId !== parsed.about)
    return invalid('must name the job of task_id');
  return faultOf(senderFault(parsed, message.worker_id, null, isScoped));
}

export function presenceFault(
  subject: string,
  message: Pick<PresenceMessage, 'type' | 'worker_id' | 'reply_to'>,
  isScoped: boolean,
): SubjectFault | null {
  const parsed = parseWorkerSubject('presence', subject);
  if (parsed === null || parsed.about !== message.type) return invalid('must be that of the type');
  return faultOf(senderFault(parsed, message.worker_id, message.reply_to, isScoped));
}

/** The message of a log chunk names no worker: the caller compares the sender with the worker of the attempt. */
export function logFault(
  subject: string,
  message: Pick<LogMessage, 'task_id'>,
  isScoped: boolean,
): SubjectFault | null {
  const parsed = parseWorkerSubject('logs', subject);
  if (parsed === null || parsed.about !== message.task_id) return invalid('must name task_id');
  return faultOf(parsed.worker === null && isScoped ? 'no-worker' : null);
}

/** Like `logFault`: the caller compares the sender with the worker of the attempt. */
export function previewFault(
  subject: string,
  message: Pick<PreviewMessage, 'task_id'>,
  isScoped: boolean,
): SubjectFault | null {
  const parsed = parseWorkerSubject('logs', subject);
  if (parsed === null || previewedTask(parsed.about) !== message.task_id) return invalid('must name task_id');
  return faultOf(parsed.worker === null && isScoped ? 'no-worker' : null);
}
