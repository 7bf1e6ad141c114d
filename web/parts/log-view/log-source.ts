import type { LogEvent } from '../../../client/events/subjects.ts';
import type { LogChunk, LogPage } from '../../../client/resources.ts';
import { LogText } from './log-text.ts';

/** The log of a task, read by pages and kept up by events: the text of each attempt, and how far it has come. */

export interface LogSourceOptions {
  /** The page draws and answers the user while this waits. */
  readonly readPage: (afterBusSeq: number, limit: number) => Promise<LogPage>;
}

/** So many characters in an answer are read without a stutter. */
const PAGE_CHARACTERS = 2 * 1024 * 1024;
const FIRST_PAGE_CHUNKS = 50;
const PAGE_CHUNKS_MAX = 1000;

/** What is known of the log at one moment. */
export interface LogState {
  /** Grows with each change. */
  readonly version: number;
  /** Attempts that have written something. */
  readonly attempts: readonly number[];
  /** Whether pages are being read. */
  readonly isReading: boolean;
  /** Whether all that there was has been read once. */
  readonly isComplete: boolean;
  /** Characters read. */
  readonly characters: number;
  /** Why reading has stopped; null while it has not. */
  readonly error: unknown;
}

type Piece = Pick<LogChunk, 'attempt_id' | 'seq_num' | 'stream' | 'data' | 'at'>;

/** Which chunks of an attempt have come: all up to a number, and some behind it. */
class SeenNumbers {
  #upTo = 0;
  readonly #beyond = new Set<number>();

  /** Whether it is new. */
  add(number: number): boolean {
    if (number <= this.#upTo || this.#beyond.has(number)) return false;
    this.#beyond.add(number);
    while (this.#beyond.delete(this.#upTo + 1)) this.#upTo++;
    return true;
  }

  /** Whether something before the number has not come. */
  misses(number: number): boolean {
    return number > this.#upTo + 1;
  }
}

/** The number of an attempt stands at the end of its id. */
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
    characters: 0,
    error: null,
  };
  /** Came while pages were read, or before what they follow. */
  #held: Piece[] = [];
  #afterBusSeq = 0;
  #chunks = 0;
  #isAskedAgain = false;
  #isClosed = false;

  constructor(options: LogSourceOptions) {
    this.#options = options;
  }

  readonly state = (): LogState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The text of an attempt; empty when it has written nothing. */
  textOf(attempt: number): LogText {
    const known = this.#texts.get(attempt);
    if (known !== undefined) return known;
    const text = new LogText();
    this.#texts.set(attempt, text);
    return text;
  }

  /** Reads what has come since the last page. Begins once more when it is reading already. */
  read(): void {
    this.#isClosed = false;
    if (this.#state.isReading) {
      this.#isAskedAgain = true;
      return;
    }
    this.#change({ isReading: true, error: null });
    this.#readAll().then(
      () => this.#change({ isReading: false, isComplete: true }),
      (error: unknown) => this.#change({ isReading: false, error: this.#isClosed ? null : error }),
    );
  }

  /** Takes what the events tell; what they have missed is read. */
  accept(events: readonly LogEvent[]): void {
    this.#held.push(...events);
    if (this.#state.isReading) return;
    if (this.#isHeldWhole()) this.#takeHeld();
    else this.read();
  }

  /** An attempt has ended, and all of its log is here. */
  end(attempt: number): void {
    this.textOf(attempt).end();
    this.#change({});
  }

  /** Nobody looks any more. */
  close(): void {
    this.#isClosed = true;
  }

  async #readAll(): Promise<void> {
    let heldBefore: number;
    do {
      this.#isAskedAgain = false;
      heldBefore = this.#held.length;
      for (;;) {
        const page = await this.#options.readPage(this.#afterBusSeq, this.#pageChunks());
        if (this.#isClosed) return;
        if (page.items.length === 0) break;
        this.#take(page.items);
        this.#afterBusSeq = page.after_bus_seq;
        this.#change({});
      }
      // What events that came meanwhile have missed is there now; of the others it is lost.
    } while (this.#isAskedAgain || (this.#held.length > heldBefore && !this.#isHeldWhole()));
    this.#takeHeld();
  }

  /** Small chunks come by the thousand, large ones by the dozen. */
  #pageChunks(): number {
    if (this.#chunks === 0) return FIRST_PAGE_CHUNKS;
    const each = this.#state.characters / this.#chunks;
    return Math.max(FIRST_PAGE_CHUNKS, Math.min(PAGE_CHUNKS_MAX, Math.round(PAGE_CHARACTERS / (each + 1))));
  }

  #isHeldWhole(): boolean {
    return followsItself(this.#held, (id, number) => this.#seenOf(id).misses(number));
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
    const seen = new SeenNumbers();
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

/** Whether the events miss nothing once they are taken in their order. */
function followsItself(
  pieces: readonly Piece[],
  misses: (attemptId: string, number: number) => boolean,
): boolean {
  const last = new Map<string, number>();
  for (const { attempt_id: id, seq_num: number } of pieces) {
    const before = last.get(id);
    if (before === undefined ? misses(id, number) : number > before + 1) return false;
    last.set(id, number);
  }
  return true;
}
