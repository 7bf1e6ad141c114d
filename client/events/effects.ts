/** Effects that the protocol of the event channel requests. */

/** Identifies a listener. */
export type ListenerId = number;

/** Callback for a listener. */
export type Delivery =
  | { readonly is: 'ready' }
  | { readonly is: 'event'; readonly seq: number; readonly payload: object }
  | { readonly is: 'gap' }
  | { readonly is: 'refused'; readonly reason: string };

export type Effect =
  /** Opens a connection. Its events carry this number. */
  | { readonly do: 'open'; readonly connection: number }
  /** Hang up on the connection that there is, if there is one. */
  | { readonly do: 'drop' }
  | { readonly do: 'send'; readonly text: string }
  | { readonly do: 'deliver'; readonly listener: ListenerId; readonly delivery: Delivery }
  /** The phase is another one. */
  | { readonly do: 'state' }
  /** Something that should not be, and that nothing can be done about here. */
  | { readonly do: 'problem'; readonly message: string };
