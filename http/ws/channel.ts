import { ReplayRing } from './replay-ring.ts';

/** Receiver of the events of a channel. */
export interface Follower {
  /** Sends new events, as far as the client can take them. */
  deliver(): void;
}

/** Maximum size in characters of the long texts (logs, diagnostics) in the retained events of one subject. */
const TEXT_KEPT_MAX = 256 * 1024;

/**
 * A subject: its retained events and its followers. The subject `jobs` has one channel for those who may see all jobs, and
 * one for each other owner.
 */
export class Channel {
  readonly subject: string;
  readonly ring: ReplayRing;
  readonly followers = new Set<Follower>();
  /** Number of the newest event at the last delivery to all followers. */
  deliveredTo: number;
  /** Ends the source of the events. */
  readonly close: () => void;

  constructor(subject: string, start: number, depth: number, close: () => void = () => undefined) {
    this.subject = subject;
    this.ring = new ReplayRing(subject, start, depth, TEXT_KEPT_MAX);
    this.deliveredTo = start;
    this.close = close;
  }
}
