import type { Latencies } from './samples.ts';

/**
 * How ends of tasks are reported: with the worker's next lease request, or with a running report by the status stream.
 */
export type Reports = 'ride' | 'stream'; // wording-ok: value of --reports

/** Tasks of the workers of a swarm. */
export type Load =
  /** Bare requests and replies of n bytes, one after the other. */
  | { readonly kind: 'echo'; readonly bytes: number }
  /** Each worker asks again as soon as it has a reply; its tasks are over at once. */
  | { readonly kind: 'closed'; readonly reports: Reports }
  /** So many requests a second in all, at even distances, whether or not replies are late. */
  | { readonly kind: 'offered'; readonly perSecond: number; readonly reports: Reports }
  /** Each worker has asked and waits. */
  | { readonly kind: 'parked' };

/** Differences between swarms. */
export interface SwarmOptions {
  /** Seed of the user that sends echoes; null: there are none. */
  readonly echoSeed: string | null;
  /** Text of a join token with a use for each worker; null: the workers have no credentials. */
  readonly joinToken: string | null;
  /** True if workers connect again, instead of the swarm failing. */
  readonly reconnects: boolean;
  /** Beginning of the names of the workers. Two swarms of one service need different ones. */
  readonly namePrefix: string;
}

/** To the process of a swarm. */
export type SwarmCommand =
  | {
      readonly type: 'start';
      /** Ports of the servers to which the workers connect, in turn. */
      readonly busPorts: readonly number[];
      readonly workers: number;
      readonly cores: number;
      readonly options: SwarmOptions;
    }
  | { readonly type: 'measure'; readonly load: Load; readonly warmUpMs: number; readonly measureMs: number }
  /** Replies when every worker has lost its connection and connected again. */
  | { readonly type: 'reconnect' }
  | { readonly type: 'stop' };

/** From the process of a swarm. */
export type SwarmNotice =
  /** Milliseconds of the exchange of the join token, and from then on until all workers were registered. */
  | { readonly type: 'ready'; readonly joinMs: number; readonly registerMs: number }
  | { readonly type: 'reconnected'; readonly figures: ReconnectFigures }
  /** The time that counts has begun, or has ended. */
  | { readonly type: 'window'; readonly at: 'begin' | 'end' }
  | { readonly type: 'measured'; readonly figures: SwarmFigures }
  | { readonly type: 'failed'; readonly reason: string };

/** Times in milliseconds since the epoch. */
export interface ReconnectFigures {
  readonly firstAt: number;
  readonly allAt: number;
  /** Tries to connect that failed. */
  readonly failedTries: number;
}

/** Measurements of a swarm during the measured time. */
export interface SwarmFigures {
  readonly seconds: number;
  /** Replies to a request (an echo, or a lease with tasks). */
  readonly replies: number;
  /** Lease replies without tasks. */
  readonly emptyReplies: number;
  /** Leased tasks: the reply has arrived, so the commit is on disk. */
  readonly leases: number;
  /** Tasks whose end is known to be committed. */
  readonly cycles: number;
  /** Reports that a reply should have confirmed and did not; they were sent again. */
  readonly unconfirmed: number;
  /** From the request, or with an offered load from when it was due, to the reply with tasks. */
  readonly latencyMs: Latencies;
  /** Processor time of the swarm's process. */
  readonly cpuSeconds: number;
  /** Mean payloads of one request and one reply. */
  readonly requestBytes: number;
  readonly replyBytes: number;
}
