/**
 * How the sequence of the log stream becomes `bus_seq`, the pagination cursor of a task's logs
 * (docs/contract/resources.md#log-chunk): stream sequence plus a base. A stream can be lost and made anew, or be put
 * back to an earlier state by a power cut of the bus (docs/architecture.md#the-bus); its sequence then begins again at
 * lower numbers. The base rises at each such break, so that `bus_seq` keeps rising.
 */
export interface BusSequenceState {
  readonly version: 1;
  /** When the stream was created, as the bus says it: tells one stream from its successor. */
  readonly streamCreatedAt: string;
  /** What is added to a stream sequence. */
  readonly base: number;
  /** The highest sequence of this stream that was numbered; 0 before the first. */
  readonly lastStreamSequence: number;
  /** The highest `bus_seq` given out, over all streams; 0 before the first. */
  readonly lastBusSequence: number;
}

/** A stream as it is found on the bus at a connection. */
export interface StreamFound {
  readonly createdAt: string;
  /** The sequence of its newest message; 0 when it has none. */
  readonly lastSequence: number;
}

/** The state to go on with when a stream is found: a new base when it is another stream than before, or was put back. */
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

/** The state with a base above every number given out: for a stream whose sequence began again. */
export const rebased = (state: BusSequenceState): BusSequenceState => ({
  ...state,
  base: state.lastBusSequence,
  lastStreamSequence: 0,
});

/** The `bus_seq` of the message with this stream sequence (from 1). */
export const busSequenceOf = (state: BusSequenceState, streamSequence: number): number =>
  state.base + streamSequence;

/** The state after the message with this stream sequence was numbered. Messages may come out of order. */
export const numbered = (state: BusSequenceState, streamSequence: number): BusSequenceState => ({
  ...state,
  lastStreamSequence: Math.max(state.lastStreamSequence, streamSequence),
  lastBusSequence: Math.max(state.lastBusSequence, busSequenceOf(state, streamSequence)),
});

/** More numbers than are given out in a millisecond in the long run; the product with the time stays exact until the year 2255. */
const NUMBERS_PER_MS = 1000;

/**
 * The state after a restore at this time (milliseconds since the epoch): what was numbered since the backup, and after earlier restores of it, is
 * not known any more, and clients may hold cursors from it. The base rises above all of that, because the time does, at the next stream, which is
 * not taken for the one before the backup, even if it is.
 */
export const afterRestore = (state: BusSequenceState | null, now: number): BusSequenceState => ({
  version: 1,
  streamCreatedAt: '',
  base: state?.base ?? 0,
  lastStreamSequence: 0,
  lastBusSequence: Math.max(state?.lastBusSequence ?? 0, now * NUMBERS_PER_MS),
});
