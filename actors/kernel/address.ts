/**
 * Where a message goes and who waits for the answer. `ActorMessages` maps a kind of actor to the union of its messages; a host is generic in it.
 */
export type ActorMessages = Record<string, { readonly type: string }>;

/** A message on its way to an actor, by kind and id. */
export type Envelope<A extends ActorMessages> = {
  [Kind in keyof A & string]: { readonly actor: Kind; readonly id: string; readonly message: A[Kind] };
}[keyof A & string];

/** Who waits for an answer: a text or an object that never changes, opaque to actors, known to the host that made it. */
export type ReplyTo = (string | object) & { readonly __replyTo: true };

export const replyTo = (address: string | object): ReplyTo => address as ReplyTo;
