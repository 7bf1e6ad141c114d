/**
 * Derives `bus_seq`, the pagination cursor of a task's logs (docs/contract/resources.md#log-chunk), from the sequence
 * of the log stream: stream sequence plus a base.
 *
 * A stream can be lost and re-created, or reset to an earlier state by a power failure of the bus
 * (docs/architecture.md#the-bus). Its sequence then restarts at lower numbers. The base increases at each such break,
 * so that `bus_seq` keeps increasing.
 */
export interface BusSequenceState {
  readonly version: 1;
  /** Creation time of the stream, by the bus: identifies the stream. */
  readonly streamCreatedAt: string;
  /** Added to each stream sequence. */
  readonly base: number;
  /** The highest sequence of this stream that has a number; 0 before the first. */
  readonly lastStreamSequence: number;
  /** The highest `bus_seq` over all streams; 0 before the first. */
  readonly lastBusSequence: number;
}

/** A stream as found on the bus after connecting. */
export interface StreamFound {
  readonly createdAt: string;
  /** Sequence of its newest message; 0 if the stream is empty. */
  readonly lastSequence: number;
}

/** Returns the state for a stream that was found: with a new base if it is another stream than before, or was reset. */
export function streamFound(state: BusSequenceState | null, stream: StreamFound): BusSequenceState {
  if (state === null) {
    return {
      version: 1,
      streamCreatedAt: stream.createdAt,
      base: 0,
      lastStreamSequence: 0,
      lastBusSequence: 0,
    };
  }
  const isSame = state.streamCreatedAt === stream.createdAt;
  if (isSame && stream.lastSequence >= state.lastStreamSequence) return state;
  return rebased({ ...state, streamCreatedAt: stream.createdAt });
}

/** Returns the state with a base above every assigned number: for a stream with a restarted sequence. */
export const rebased = (state: BusSequenceState): BusSequenceState => ({
  ...state,
  base: state.lastBusSequence,
  lastStreamSequence: 0,
});

/** Returns the `bus_seq` of the message with this stream sequence (from 1). */
export const busSequenceOf = (state: BusSequenceState, streamSequence: number): number =>
  state.base + streamSequence;

/** Returns the state after the message with this stream sequence. Messages may arrive out of order. */
export const numbered = (state: BusSequenceState, streamSequence: number): BusSequenceState => ({
  ...state,
  lastStreamSequence: Math.max(state.lastStreamSequence, streamSequence),
  lastBusSequence: Math.max(state.lastBusSequence, busSequenceOf(state, streamSequence)),
});

/** Upper bound of the average numbers per millisecond. The product with the time stays exact until the year 2255. */
const NUMBERS_PER_MS = 1000;

/**
 * Returns the state after a restore at this time (milliseconds since the epoch).
 *
 * Numbers assigned since the backup, and after earlier restores of it, are unknown, but clients may hold cursors from
 * that time. The base is derived from the time, so it is above all of them. It applies to the next stream, which never
 * counts as the stream before the backup, even if it is.
 */
export const afterRestore = (state: BusSequenceState | null, now: number): BusSequenceState => ({
  version: 1,
  streamCreatedAt: '',
  base: state?.base ?? 0,
  lastStreamSequence: 0,
  lastBusSequence: Math.max(state?.lastBusSequence ?? 0, now * NUMBERS_PER_MS),
});
