import type { AttemptId } from '../../../src/core/ids.ts';
import type { LeaseWait } from '../../../src/core/metrics/lease-waits.ts';
import { replyTo, type ReplyTo } from '../../kernel/address.ts';

/** Who waits for an answer of a shard. It passes through the actors, and between threads, as it is. */
export type ReplyTarget =
  | { readonly kind: 'front'; readonly request: number }
  | LeaseAddress
  | { readonly kind: 'presence'; readonly inbox: string }
  /** Nobody: a report that rode on the lease request of that inbox was poisoned. */
  | { readonly kind: 'reports'; readonly inbox: string };

export interface LeaseAddress {
  readonly kind: 'lease';
  readonly inbox: string;
  /** Attempts whose ends rode on the request and were handed to their jobs before it. */
  readonly reports: readonly AttemptId[];
  readonly wait: LeaseWait;
}

const addressOf = (waiting: ReplyTarget): ReplyTo => replyTo(waiting);

export const mainThreadReplyTo = (request: number): ReplyTo => addressOf({ kind: 'front', request });
export const presenceReply = (inbox: string): ReplyTo => addressOf({ kind: 'presence', inbox });
/** For reports that ride on the lease request of that inbox: an answer comes only when one of them is poisoned. */
export const reportsReply = (inbox: string): ReplyTo => addressOf({ kind: 'reports', inbox });
export const leaseReply = (inbox: string, reports: readonly AttemptId[], wait: LeaseWait): ReplyTo =>
  addressOf({ kind: 'lease', inbox, reports, wait });

/** Who is meant. Throws for a text: none of the functions above makes one. */
export function replyTargetOf(to: ReplyTo): ReplyTarget {
  if (typeof to === 'string') throw new Error(`nobody waits as ${to}`);
  // All that are no texts are made above.
  return to as object as ReplyTarget;
}
