/** What the protocol of the event channel wants to be done. */

/** Who listens to a subject. */
export type ListenerId = number;

/** What a listener is told. */
export type Delivery =
  | { readonly is: 'ready' }
  | { readonly is: 'event'; readonly seq: number; readonly payload: object }
  | { readonly is: 'gap' }
  | { readonly is: 'refused'; readonly reason: string };

export type Effect =
  /** Open a connection; what happens to it comes back under this number. */
  | { readonly do: 'open'; readonly connection: number }
  /** Hang up on the connection that there is, if there is one. */
  | { readonly do: 'drop' }
  | { readonly do: 'send'; readonly text: string }
  | { readonly do: 'deliver'; readonly listener: ListenerId; readonly delivery: Delivery }
  /** The phase is another one. */
  | { readonly do: 'state' }
  /** Something that should not be, and that nothing can be done about here. */
  | { readonly do: 'problem'; readonly message: string };
