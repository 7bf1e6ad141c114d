/**
 * Where a message goes and who waits for the answer. `ActorMessages` maps a kind of actor to the union of its messages; a host is generic in it.
 */
export type ActorMessages = Record<string, { readonly type: string }>;

/** A message on its way to an actor, by kind and id. */
export type Envelope<A extends ActorMessages> = {
  [Kind in keyof A & string]: { readonly actor: Kind; readonly id: string; readonly message: A[Kind] };
}[keyof A & string];

/** Who waits for an answer: opaque to actors, known to the host that made it. */
export type ReplyTo = string & { readonly __replyTo: true };

export const replyTo = (text: string): ReplyTo => text as ReplyTo;
