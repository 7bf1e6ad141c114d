/**
 * Where a message goes and who waits for the answer. `ActorMessages` maps a kind of actor to the union of its messages; a host is generic in it.
 */
export type ActorMessages = Record<string, { readonly type: string }>;

/** A message on its way to an actor, by kind and id. */
export type Envelope<A extends ActorMessages> = {
  [Kind in keyof A & string]: { readonly actor: Kind; readonly id: string; readonly message: A[Kind] };
}[keyof A & string];

/**
 * Address of a caller that waits for an answer of type `Answer`: a text or an object that never changes, opaque to actors, known to the
 * host that made it. The member exists in the type only. It makes the address contravariant in the answer: an address that accepts a union
 * may be used where one of its members is sent.
 */
export type ReplyTo<Answer> = (string | object) & { readonly __accepts: (answer: Answer) => void };

/** Makes a reply address of a host. The host promises that its caller accepts an `Answer`. */
export const replyTo = <Answer>(address: string | object): ReplyTo<Answer> => address as ReplyTo<Answer>;
