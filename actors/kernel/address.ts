import type { RequestOrigin } from '../../src/core/records/work-cause.ts';

/** Maps each kind of actor to the union of its messages. */
export type ActorMessages = Record<string, { readonly type: string }>;

/** A message and its destination: the kind and id of an actor. `origin`: the request of a client that led to it. */
export type Envelope<A extends ActorMessages> = {
  [Kind in keyof A & string]: {
    readonly actor: Kind;
    readonly id: string;
    readonly message: A[Kind];
    readonly origin?: RequestOrigin;
  };
}[keyof A & string];

/**
 * Return address of a request whose answer is of type `Answer`: immutable, opaque to actors, defined by the host that
 * created it. The member exists in the type only. It makes the address contravariant in the answer: an address that
 * accepts a union may be used where one of its members is sent.
 */
export type ReplyTo<Answer> = (string | object) & { readonly __accepts: (answer: Answer) => void };

/** Makes a reply address of a host. The host promises that its caller accepts an `Answer`. */
export const replyTo = <Answer>(address: string | object): ReplyTo<Answer> => address as ReplyTo<Answer>;
