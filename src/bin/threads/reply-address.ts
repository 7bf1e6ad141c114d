import type { AttemptId } from '../../core/ids.ts';
import { replyTo, type ReplyTo } from '../../../actors/kernel/address.ts';

/** Who waits for an answer of a shard, as text that passes through the actors. */
export type Waiting =
  | { readonly kind: 'front'; readonly request: number }
  /** `reports`: attempts whose ends rode on the request and were handed to their jobs before it. */
  | { readonly kind: 'lease'; readonly inbox: string; readonly reports: readonly AttemptId[] }
  | { readonly kind: 'presence'; readonly inbox: string }
  /** Nobody: a report that rode on the lease request of that inbox was poisoned. */
  | { readonly kind: 'reports'; readonly inbox: string };

const NO_REPORTS: readonly AttemptId[] = [];

export const frontReply = (request: number): ReplyTo => replyTo(`front:${request}`);
export const presenceReply = (inbox: string): ReplyTo => replyTo(`presence:${inbox}`);
/** For reports that ride on the lease request of that inbox: an answer comes only when one of them is poisoned. */
export const reportsReply = (inbox: string): ReplyTo => replyTo(`reports:${inbox}`);

/** An inbox has no space in it (wire/identifiers.ts), and an attempt id has none. */
export const leaseReply = (inbox: string, reports: readonly AttemptId[]): ReplyTo =>
  replyTo(reports.length === 0 ? `lease:${inbox}` : `lease:${inbox} ${reports.join(' ')}`);

/** Who is meant. Throws for a text that none of the functions above has made. */
export function waitingOf(to: ReplyTo): Waiting {
  const colon = to.indexOf(':');
  const kind = to.slice(0, colon);
  const rest = to.slice(colon + 1);
  if (kind === 'lease') return leaseWaiting(rest);
  if (kind === 'front') return { kind, request: Number(rest) };
  if (kind === 'presence' || kind === 'reports') return { kind, inbox: rest };
  throw new Error(`nobody waits as ${to}`);
}

function leaseWaiting(text: string): Waiting {
  const space = text.indexOf(' ');
  if (space < 0) return { kind: 'lease', inbox: text, reports: NO_REPORTS };
  // Written by leaseReply from attempt ids.
  const reports = text.slice(space + 1).split(' ') as AttemptId[];
  return { kind: 'lease', inbox: text.slice(0, space), reports };
}
