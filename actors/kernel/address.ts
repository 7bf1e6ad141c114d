/** Maps each kind of actor to the union of its messages. */
export type ActorMessages = Record<string, { readonly type: string }>;

/** A message and its destination: the kind and id of an actor. */
export type Envelope<A extends ActorMessages> = {
  [Kind in keyof A & string]: { readonly actor: Kind; readonly id: string; readonly message: A[Kind] };
}[keyof A & string];

/** Return address of a request: immutable, opaque to actors, defined by the host that created it. */
export type ReplyTo = (string | object) & { readonly __replyTo: true };

export const replyTo = (address: string | object): ReplyTo => address as ReplyTo;
