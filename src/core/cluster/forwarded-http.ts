/** HTTP requests that a node passes on to the owner of its cluster. */

type Header = readonly [name: string, value: string];

/** A request as its client has sent it. */
export interface ForwardedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** Names in lower case. */
  readonly headers: readonly Header[];
  /** Address of the peer of the node that has received the request. */
  readonly remoteAddress: string;
  readonly body: Uint8Array;
}

/** The whole response of the owner. */
export interface ForwardedResponse {
  readonly status: number;
  readonly headers: readonly Header[];
  /** Null for a response without a body. */
  readonly body: Uint8Array | null;
}

export type ForwardOutcome =
  | { readonly kind: 'answered'; readonly response: ForwardedResponse }
  /** No owner has accepted the request: it had no effect. One line that says why. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** An owner may have carried out the request. */
  | { readonly kind: 'unknown' };
