import { ReplayRing } from './replay-ring.ts';

/** Whoever gets the events of a channel. */
export interface Follower {
  /** Sends on what is new, as far as the client takes it. */
  deliver(): void;
}

/** Characters of long texts (logs, diagnostics) that the events of one subject may keep in memory. */
const TEXT_KEPT_MAX = 256 * 1024;

/** A subject: its last events and who follows it. */
export class Channel {
  readonly subject: string;
  readonly ring: ReplayRing;
  readonly followers = new Set<Follower>();
  /** Number of the newest event when all followers were seen to last. */
  deliveredTo: number;
  /** Ends what feeds it. */
  readonly close: () => void;

  constructor(subject: string, start: number, depth: number, close: () => void = () => undefined) {
    this.subject = subject;
    this.ring = new ReplayRing(subject, start, depth, TEXT_KEPT_MAX);
    this.deliveredTo = start;
    this.close = close;
  }
}
