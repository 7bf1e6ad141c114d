import type { AttemptId } from '../../../src/core/ids.ts';
import type { LeaseWait } from '../../../src/core/metrics/lease-waits.ts';
import type { Outcome } from '../../../src/core/problems.ts';
import type { LeaseReply, PresenceReply } from '../../../src/core/wire/bus-messages.ts';
import { replyTo, type ReplyTo } from '../../kernel/address.ts';

/** Who waits for an answer of a shard. It passes through the actors, and between threads, as it is. */
export type ReplyTarget =
  | { readonly kind: 'front'; readonly request: number }
  | LeaseAddress
  | PresenceAddress
  /** Nobody: a report that rode on the lease request of that inbox was poisoned. */
  | { readonly kind: 'reports'; readonly inbox: string };

export interface LeaseAddress {
  readonly kind: 'lease';
  readonly inbox: string;
  /** Attempts whose ends rode on the request and were handed to their jobs before it. */
  readonly reports: readonly AttemptId[];
  readonly wait: LeaseWait;
}

export interface PresenceAddress {
  readonly kind: 'presence';
  readonly inbox: string;
}

const addressOf = <Answer>(waiting: ReplyTarget): ReplyTo<Answer> => replyTo(waiting);

export const mainThreadReplyTo = <Answer>(request: number): ReplyTo<Outcome<Answer>> =>
  addressOf({ kind: 'front', request });
export const presenceReply = (inbox: string): ReplyTo<PresenceReply> =>
  addressOf({ kind: 'presence', inbox });
/** For reports that ride on the lease request of that inbox: an answer comes only when one of them is poisoned. */
export const reportsReply = (inbox: string): ReplyTo<never> => addressOf({ kind: 'reports', inbox });
export const leaseReply = (
  inbox: string,
  reports: readonly AttemptId[],
  wait: LeaseWait,
): ReplyTo<LeaseReply> => addressOf({ kind: 'lease', inbox, reports, wait });

/** Who is meant. Throws for a text: none of the functions above makes one. */
export function replyTargetOf(to: ReplyTo<never>): ReplyTarget {
  if (typeof to === 'string') throw new Error(`nobody waits as ${to}`);
  // All that are no texts are made above.
  return to as object as ReplyTarget;
}

/**
 * Restores the type of an answer to a worker, which the kernel's outputs erase. Only `leaseReply` and `presenceReply` make these addresses,
 * and the actor's context checks each answer against its address. The one exception is the refusal of a poisoned message: it is sent as it
 * is, and the worker rejects it as malformed.
 */
export function typedAnswer(target: LeaseAddress, answer: unknown): LeaseReply;
export function typedAnswer(target: PresenceAddress, answer: unknown): PresenceReply;
export function typedAnswer(
  _target: LeaseAddress | PresenceAddress,
  answer: unknown,
): LeaseReply | PresenceReply {
  return answer as LeaseReply | PresenceReply;
}
