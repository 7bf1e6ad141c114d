import type { AttemptId } from '../../../src/core/ids.ts';
import type { LeaseWait } from '../../../src/core/metrics/lease-waits.ts';
import type { Outcome } from '../../../src/core/problems.ts';
import type { LeaseReply, PresenceReply } from '../../../src/core/wire/bus-messages.ts';
import { replyTo, type ReplyTo } from '../../kernel/address.ts';

/** Receiver of an answer of a shard. Actors and threads pass it on unchanged. */
export type ReplyTarget =
  | { readonly kind: 'main-thread'; readonly request: number }
  | LeaseAddress
  | PresenceAddress
  /** Not sent: an answer means that a report of the lease request of that inbox is poisoned. */
  | { readonly kind: 'reports'; readonly inbox: string };

export interface LeaseAddress {
  readonly kind: 'lease';
  readonly inbox: string;
  /** Attempts with a report in the request that was sent to the actor of its job. */
  readonly reports: readonly AttemptId[];
  readonly wait: LeaseWait;
}

export interface PresenceAddress {
  readonly kind: 'presence';
  readonly inbox: string;
}

const addressOf = <Answer>(target: ReplyTarget): ReplyTo<Answer> => replyTo(target);

export const mainThreadReplyTo = <Answer>(request: number): ReplyTo<Outcome<Answer>> =>
  addressOf({ kind: 'main-thread', request });
export const presenceReply = (inbox: string): ReplyTo<PresenceReply> =>
  addressOf({ kind: 'presence', inbox });
/**
 * Returns the address for reports of the lease request of that inbox. An answer is sent only if one of them is
 * poisoned.
 */
export const reportsReply = (inbox: string): ReplyTo<never> => addressOf({ kind: 'reports', inbox });
export const leaseReply = (
  inbox: string,
  reports: readonly AttemptId[],
  wait: LeaseWait,
): ReplyTo<LeaseReply> => addressOf({ kind: 'lease', inbox, reports, wait });

/**
 * Returns the receiver that an address names.
 *
 * @throws Error if the address is a text: the functions above make no such address.
 */
export function replyTargetOf(to: ReplyTo<never>): ReplyTarget {
  if (typeof to === 'string') throw new Error(`unknown reply address ${to}`);
  // The functions above made every address that is not a text.
  return to as object as ReplyTarget;
}

/**
 * Restores the type of an answer to a worker, which the kernel's outputs erase. Only `leaseReply` and `presenceReply`
 * make these addresses, and the actor's context checks each answer against its address. The one exception is the
 * refusal of a poisoned message: it is sent unchanged, and the worker rejects it as malformed.
 */
export function typedAnswer(target: LeaseAddress, answer: unknown): LeaseReply;
export function typedAnswer(target: PresenceAddress, answer: unknown): PresenceReply;
export function typedAnswer(
  _target: LeaseAddress | PresenceAddress,
  answer: unknown,
): LeaseReply | PresenceReply {
  return answer as LeaseReply | PresenceReply;
}
