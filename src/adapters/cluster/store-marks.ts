import { EMPTY_LOG, type LogMark } from '../../core/cluster/log-record.ts';

/** Records without changes of others after which the store is asked to store its mark: some minutes of heartbeats. */
const UNMARKED_RECORDS = 600;

/** Marks of the records between those that were passed to the store, and those that it has applied. */
export class StoreMarks {
  readonly #passed = new Map<number, LogMark>();
  #last: LogMark;
  #applied: LogMark;

  /** @param mark - The mark of the store. */
  constructor(mark: LogMark = EMPTY_LOG) {
    this.#last = mark;
    this.#applied = mark;
  }

  /** The last mark that is in the store. */
  get applied(): LogMark {
    return this.#applied;
  }

  /** Whether the store has applied everything that was passed to it. */
  get isApplied(): boolean {
    return this.#passed.size === 0;
  }

  /** Whether a mark is so far after the last one that the store should have it, even without changes. */
  isFarAhead({ position }: LogMark): boolean {
    return position - this.#last.position >= UNMARKED_RECORDS;
  }

  pass(mark: LogMark): void {
    this.#last = mark;
    this.#passed.set(mark.position, mark);
  }

  /**
   * Returns the mark to be stored with the changes up to a position. A mark without changes may be due after later changes
   * were applied: the mark of the store never goes back. Throws if the position was not passed.
   */
  markAt(position: number): LogMark {
    if (position <= this.#applied.position) return this.#applied;
    const mark = this.#passed.get(position);
    if (mark !== undefined) return mark;
    throw new RangeError(`position ${position} is applied, and the journal has not passed it to the store`);
  }

  /** The store has applied the changes up to a position. */
  apply(position: number): void {
    for (const [passed, mark] of this.#passed) {
      if (passed > position) break;
      this.#passed.delete(passed);
      this.#applied = mark;
    }
  }
}
