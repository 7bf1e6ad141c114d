/**
 * States: no worker, worker starting, ready, searching a block (`#asked`), stopped by a problem (final). Invariants:
 * one block at a time; matches are in the order of lines. Exits: `close` ends the worker; a block that takes too long
 * ends the search.
 */

import { blockOf, shownText, type ReadableLog } from './log-text.ts';
import { MatchList, FOUND_MAX, patternOf, type SearchQuery } from './log-search.ts';
import type { SearchAnswer, SearchTask } from './search-messages.ts';

/**
 * Searches a log that may still grow. A worker searches one block at a time, so that the page stays responsive and a
 * slow pattern can be stopped.
 */

/** A block normally takes a few milliseconds; beyond this limit, the search stops. */
const BLOCK_MS_MAX = 2_000;

/** Port to a worker; tests replace it. */
export interface SearchWorker {
  post(task: SearchTask): void;
  end(): void;
}
export type StartWorker = (onAnswer: (answer: SearchAnswer) => void) => SearchWorker;

export interface FinderState {
  readonly found: MatchList;
  /** Incremented by each change. */
  readonly version: number;
  /** True if all complete lines are searched. */
  readonly isDone: boolean;
  /** Why the pattern cannot be used; empty if it can. */
  readonly problem: string;
}

export class LogFinder {
  readonly #log: ReadableLog;
  readonly #query: SearchQuery;
  readonly #found = new MatchList();
  readonly #listeners = new Set<() => void>();
  readonly #start: StartWorker;
  #state: FinderState;
  #worker: SearchWorker | null = null;
  #isReady = false;
  #nextLine: number;
  #lastId = 0;
  /** Request that the worker is processing. */
  #asked: { readonly id: number; readonly lines: number } | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(log: ReadableLog, query: SearchQuery, start: StartWorker) {
    this.#log = log;
    this.#nextLine = log.firstLine;
    this.#query = query;
    this.#start = start;
    const pattern = patternOf(query);
    const problem = typeof pattern === 'string' ? pattern : '';
    this.#state = { found: this.#found, version: 0, isDone: problem !== '', problem };
  }

  readonly state = (): FinderState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Continues with new lines. */
  continueSearch(): void {
    if (this.#asked !== null || this.#state.problem !== '') return;
    const block = this.#found.isFull ? null : blockOf(this.#log.blocks(), this.#nextLine);
    const lines =
      block === null ? 0 : Math.min(this.#log.lineCount, block.firstLine + block.lineCount) - this.#nextLine;
    if (block === null || lines <= 0) {
      if (!this.#state.isDone) this.#change({ isDone: true });
      return;
    }
    if (this.#worker === null) this.#worker = this.#start((answer) => this.#answered(answer));
    if (!this.#isReady) return;
    const id = ++this.#lastId;
    this.#asked = { id, lines };
    const text = linesFrom(shownText(block), this.#nextLine - block.firstLine);
    this.#timer = setTimeout(() => this.#giveUp(), BLOCK_MS_MAX);
    this.#worker.post({
      id,
      query: this.#query,
      text,
      firstLine: this.#nextLine,
      max: FOUND_MAX - this.#found.count,
    });
    if (this.#state.isDone) this.#change({ isDone: false });
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#worker?.end();
    this.#worker = null;
    this.#isReady = false;
    this.#asked = null;
  }

  #answered(answer: SearchAnswer): void {
    if (answer.is === 'ready') this.#isReady = true;
    else if (answer.id === this.#asked?.id) {
      clearTimeout(this.#timer);
      this.#nextLine += this.#asked.lines;
      this.#asked = null;
      this.#found.add(answer.places);
      if (answer.places.length > 0) this.#change({});
    }
    this.continueSearch();
  }

  #giveUp(): void {
    this.close();
    const line = (this.#nextLine + 1).toLocaleString('en');
    this.#change({
      isDone: true,
      problem: `takes too long near line ${line}. Simplify it: patterns such as (a+)+ are slow.`,
    });
  }

  #change(change: Partial<FinderState>): void {
    this.#state = { ...this.#state, ...change, version: this.#state.version + 1 };
    for (const listener of this.#listeners) listener();
  }
}

/** Returns a text without its first lines. */
function linesFrom(text: string, skipped: number): string {
  let from = 0;
  for (let line = 0; line < skipped; line++) from = text.indexOf('\n', from) + 1;
  return text.slice(from);
}
