/** A change set as bytes, of a format that only its writer and reader know. */
export interface EncodedSet {
  readonly encoded: ArrayBuffer;
  /** The causes of its units of work, as sections of a record of the log. Absent if they are not known. */
  readonly causes?: Uint8Array;
}

/** Change sets that become durable together. */
export interface JournalEntry {
  /** In the order in which they were made. Not modified after the submission. */
  readonly sets: readonly EncodedSet[];
  /** A client or another shard waits until the sets are readable. */
  readonly isAwaited: boolean;
}

/** Outcome of an entry: its place in the journal is final. */
export interface Acceptance {
  /**
   * Never decreases from entry to entry. Entries with the same position are accepted in the same turn of the event loop, and
   * must be applied in one transaction.
   */
  readonly position: number;
  /**
   * True: no crash takes the entry back. False: this holds only after the tables have it, so the entry must be applied
   * before any of its output is sent.
   */
  readonly isDurable: boolean;
}

/** A row that tells the journal, at the next start, which entries the tables contain. */
export interface AppliedMark {
  readonly key: string;
  readonly value: string;
}

/**
 * The order of all changes of the state store (docs/visibility.md#1-journal). Every change set passes through it before
 * the tables have it.
 *
 * There is no failure to handle: a journal that cannot accept entries any more ends the process. An entry that has no
 * outcome yet may get one at any later time, and nothing of it may leave the process before.
 */
export interface Journal {
  /**
   * Submits the next entry. `onAccepted` is called once, in the order of the submissions, before or after `submit`
   * returns.
   */
  submit(entry: JournalEntry, onAccepted: (acceptance: Acceptance) => void): void;
  /**
   * Returns the row to be written by the transaction that applies all entries up to a position; null if no row changes.
   */
  appliedMark(position: number): AppliedMark | null;
  /** Must be called after that transaction is on disk. */
  applied(position: number): void;
  /** Closes the journal. Entries without an outcome get none. */
  close(): void;
}
