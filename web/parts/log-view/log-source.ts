/**
 * States: idle, reading (`isReading`), closed. Invariants: a chunk is shown once; chunks of events wait in `#held`
 * until those before them are read. Exits: `close` ends reading, `read` resumes.
 */

import type { LogEvent } from '../../../client/events/subjects.ts';
import type { LogChunk, LogPage } from '../../../client/resources.ts';
import { AttemptsLog } from './attempts-log.ts';
import { LogText } from './log-text.ts';

/**
 * Loads the log of a task by pages and keeps it current by events. Holds the text of each attempt, and the progress
 * of loading.
 */

/** Where to begin to read: near a line of an attempt, from 1. */
export interface LogStart {
  readonly attempt: number;
  readonly line: number;
}

export interface LogSourceOptions {
  /** Requests a page of chunks after a `bus_seq`, or the first page from `start`; the page stays responsive meanwhile. */
  readonly readPage: (afterBusSeq: number, limit: number, start: LogStart | null) => Promise<LogPage>;
  /** Where to begin; the beginning of the log if it is omitted. */
  readonly start?: LogStart;
  /** Characters that are held; the rest of a larger log is not read. */
  readonly charactersMax?: number;
}

/** Characters of a log that are held by default: more than the default limit of a task's log. */
const CHARACTERS_MAX = 96 * 1024 * 1024;

/** Target size of a page in characters: larger ones make the page stutter. */
const PAGE_CHARACTERS = 2 * 1024 * 1024;
const FIRST_PAGE_CHUNKS = 50;
const PAGE_CHUNKS_MAX = 1000;

/** State of the log at one moment. */
export interface LogState {
  /** Incremented by each change. */
  readonly version: number;
  /** Attempts with output. */
  readonly attempts: readonly number[];
  /** True while pages are being read. */
  readonly isReading: boolean;
  /** True once everything written before the page opened has been read. */
  readonly isComplete: boolean;
  /** True if the log has more than the view holds: the rest is not read. */
  readonly isFull: boolean;
  /** Number of characters read. */
  readonly characters: number;
  /** Error that stopped reading, or null. */
  readonly error: unknown;
}

type Piece = Pick<LogChunk, 'attempt_id' | 'seq_num' | 'stream' | 'data' | 'at'>;

/** Tracks the received chunks of an attempt: all up to a number, and some after it. */
class SeenNumbers {
  #upTo: number;
  readonly #beyond = new Set<number>();

  /** All numbers up to `upTo` count as received. */
  constructor(upTo: number) {
    this.#upTo = upTo;
  }

  /** Adds a number. Returns whether it is new. */
  add(number: number): boolean {
    if (number <= this.#upTo || this.#beyond.has(number)) return false;
    this.#beyond.add(number);
    while (this.#beyond.delete(this.#upTo + 1)) this.#upTo++;
    return true;
  }

  /** Reports whether a chunk before the number is missing. */
  hasGapBefore(number: number): boolean {
    return number > this.#upTo + 1;
  }
}

/** Parses the number of an attempt, which ends its id. */
export const attemptOf = (attemptId: string): number =>
  Number(attemptId.slice(attemptId.lastIndexOf('-') + 1));

export class LogSource {
  readonly #options: LogSourceOptions;
  readonly #texts = new Map<number, LogText>();
  readonly #seen = new Map<string, SeenNumbers>();
  readonly #listeners = new Set<() => void>();
  #state: LogState = {
    version: 0,
    attempts: [],
    isReading: false,
    isComplete: false,
    isFull: false,
    characters: 0,
    error: null,
  };
  /** Chunks that arrived while pages were read, or before the chunks that they follow. */
  #held: Piece[] = [];
  #afterBusSeq = 0;
  #chunks = 0;
  #isAskedAgain = false;
  #isClosed = false;
  /** Null once the first page was read. */
  #start: LogStart | null;

  /** The logs of all attempts, one after the other. */
  readonly all = new AttemptsLog(() =>
    this.#state.attempts.map((attempt) => ({ attempt, text: this.textOf(attempt) })),
  );

  constructor(options: LogSourceOptions) {
    this.#options = options;
    this.#start = options.start ?? null;
  }

  readonly state = (): LogState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Returns the text of an attempt, which may be empty. */
  textOf(attempt: number): LogText {
    const known = this.#texts.get(attempt);
    if (known !== undefined) return known;
    const text = new LogText();
    this.#texts.set(attempt, text);
    return text;
  }

  /** Reads what was written since the last page. If it is reading already, it reads once more afterwards. */
  read(): void {
    this.#isClosed = false;
    if (this.#state.isFull) return;
    if (this.#state.isReading) {
      this.#isAskedAgain = true;
      return;
    }
    this.#change({ isReading: true, error: null });
    this.#readAll().then(
      () => this.#change({ isReading: false, isComplete: !this.#isClosed && !this.#state.isFull }),
      (error: unknown) => this.#change({ isReading: false, error: this.#isClosed ? null : error }),
    );
  }

  /** Adds the chunks of events. Reads pages if a chunk is missing. */
  accept(events: readonly LogEvent[]): void {
    if (this.#state.isFull) return;
    this.#held.push(...events);
    if (this.#state.isReading) return;
    if (this.#isHeldWhole()) this.#takeHeld();
    else this.read();
  }

  /** Marks the log of an ended attempt as complete. */
  end(attempt: number): void {
    this.textOf(attempt).end();
    this.#change({});
  }

  /** Stops reading. */
  close(): void {
    this.#isClosed = true;
  }

  async #readAll(): Promise<void> {
    let heldBefore: number;
    do {
      this.#isAskedAgain = false;
      heldBefore = this.#held.length;
      for (;;) {
        const page = await this.#options.readPage(this.#afterBusSeq, this.#pageChunks(), this.#start);
        if (this.#isClosed) return;
        this.#begin(page);
        this.#afterBusSeq = page.after_bus_seq;
        if (page.items.length === 0) break;
        this.#take(page.items);
        const isFull = this.#state.characters >= (this.#options.charactersMax ?? CHARACTERS_MAX);
        this.#change({ isFull });
        if (isFull) return;
      }
      // What events that came meanwhile have missed is there now; of the others it is lost.
    } while (this.#isAskedAgain || (this.#held.length > heldBefore && !this.#isHeldWhole()));
    this.#takeHeld();
  }

  /** Places the first page: lines before it are not held, and chunks before it are not missing. */
  #begin({ items, position }: LogPage): void {
    const start = this.#start;
    if (start === null) return;
    this.#start = null;
    if (position === undefined) return;
    const { lines, stdout_open: stdout, stderr_open: stderr } = position;
    this.#texts.set(start.attempt, new LogText({ lines, open: { stdout, stderr } }));
    const first = items.find(({ attempt_id: id }) => attemptOf(id) === start.attempt);
    if (first !== undefined) this.#seen.set(first.attempt_id, new SeenNumbers(first.seq_num - 1));
  }

  /** Adapts the number of chunks per page to their size. */
  #pageChunks(): number {
    if (this.#chunks === 0) return FIRST_PAGE_CHUNKS;
    const each = this.#state.characters / this.#chunks;
    return Math.max(FIRST_PAGE_CHUNKS, Math.min(PAGE_CHUNKS_MAX, Math.round(PAGE_CHARACTERS / (each + 1))));
  }

  #isHeldWhole(): boolean {
    return isContiguous(this.#held, (id, number) => this.#seenOf(id).hasGapBefore(number));
  }

  #takeHeld(): void {
    const held = this.#held;
    this.#held = [];
    this.#take(held);
    this.#change({});
  }

  #take(pieces: readonly Piece[]): void {
    let characters = 0;
    for (const { attempt_id: id, seq_num: number, stream, data, at } of pieces) {
      if (!this.#seenOf(id).add(number)) continue;
      characters += data.length;
      this.#chunks++;
      this.textOf(attemptOf(id)).append(stream === 'stderr' ? 'stderr' : 'stdout', data, Date.parse(at));
    }
    this.#state = { ...this.#state, characters: this.#state.characters + characters };
  }

  #seenOf(attemptId: string): SeenNumbers {
    const known = this.#seen.get(attemptId);
    if (known !== undefined) return known;
    const seen = new SeenNumbers(0);
    this.#seen.set(attemptId, seen);
    return seen;
  }

  #change(change: Partial<LogState>): void {
    const attempts = [...this.#texts].filter(([, text]) => text.characters > 0).map(([attempt]) => attempt);
    this.#state = {
      ...this.#state,
      ...change,
      version: this.#state.version + 1,
      attempts: attempts.sort((one, other) => one - other),
    };
    for (const listener of this.#listeners) listener();
  }
}

/** Reports whether the events, in order, have no gap. */
function isContiguous(
  pieces: readonly Piece[],
  hasGapBefore: (attemptId: string, number: number) => boolean,
): boolean {
  const last = new Map<string, number>();
  for (const { attempt_id: id, seq_num: number } of pieces) {
    const before = last.get(id);
    if (before === undefined ? hasGapBefore(id, number) : number > before + 1) return false;
    last.set(id, number);
  }
  return true;
}
