/** To the process with the clients. */
export type ClientsCommand =
  /** Open the connections, and follow the subject on each. */
  | { readonly type: 'open'; readonly port: number; readonly clients: number; readonly subject: string }
  /** Say what was seen since the last time. */
  | { readonly type: 'read' }
  | { readonly type: 'stop' };

/** From the process with the clients. */
export type ClientsNotice =
  | { readonly type: 'opened' }
  | { readonly type: 'seen'; readonly seen: Seen }
  | { readonly type: 'failed'; readonly reason: string };

export interface Seen {
  /** Envelopes, on all connections. */
  readonly frames: number;
  /** Chunks of bytes in which they arrived. */
  readonly reads: number;
  /** `error` envelopes: events were lost. */
  readonly gaps: number;
  /** Milliseconds from the time in an event to its arrival, of some of the connections. */
  readonly latenciesMs: readonly number[];
  /** Processor time of this process. */
  readonly cpuSeconds: number;
}
