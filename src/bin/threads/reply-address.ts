import { replyTo, type ReplyTo } from '../../../actors/kernel/address.ts';

/** Who waits for an answer of a shard, as text that passes through the actors. */
export type Waiting =
  | { readonly kind: 'front'; readonly request: number }
  | { readonly kind: 'lease' | 'presence'; readonly inbox: string };

export const frontReply = (request: number): ReplyTo => replyTo(`front:${request}`);
export const leaseReply = (inbox: string): ReplyTo => replyTo(`lease:${inbox}`);
export const presenceReply = (inbox: string): ReplyTo => replyTo(`presence:${inbox}`);

/** Who is meant. Throws for a text that none of the functions above has made. */
export function waitingOf(to: ReplyTo): Waiting {
  const colon = to.indexOf(':');
  const kind = to.slice(0, colon);
  const rest = to.slice(colon + 1);
  if (kind === 'front') return { kind, request: Number(rest) };
  if (kind === 'lease' || kind === 'presence') return { kind, inbox: rest };
  throw new Error(`nobody waits as ${to}`);
}
