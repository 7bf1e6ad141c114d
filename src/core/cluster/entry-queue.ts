import type { CommitWindow } from './log-record.ts';
import type { RecordBody } from './record-bodies.ts';

/** The next record to be made, and the entries that it closes. */
export interface PlannedRecord {
  readonly body: RecordBody;
  readonly entries: readonly number[];
}

interface QueuedEntry {
  readonly entry: number;
  readonly windows: readonly CommitWindow[];
}

/**
 * Entries that are not completely in the log, in order. Entries that wait at the same time have one body: while the records in
 * flight limit the rate, each record takes more of them.
 */
export class EntryQueue {
  readonly #encode: (windows: readonly CommitWindow[]) => readonly RecordBody[];
  readonly #groupBytes: number;
  /** Entries with records that have a place in the log, then those that wait. */
  #entries: QueuedEntry[] = [];
  #placedCount = 0;
  /** Further records of the last body. */
  #planned: PlannedRecord[] = [];

  /**
   * @param encode - Returns the records of commit windows.
   * @param groupBytes - A body takes no further entry when its changes have this size.
   */
  constructor(encode: (windows: readonly CommitWindow[]) => readonly RecordBody[], groupBytes: number) {
    this.#encode = encode;
    this.#groupBytes = groupBytes;
  }

  /** Whether all entries are in records that have a place in the log. */
  get isPlaced(): boolean {
    return this.#planned.length === 0 && this.#placedCount === this.#entries.length;
  }

  add(entry: number, windows: readonly CommitWindow[]): void {
    this.#entries.push({ entry, windows });
  }

  takeNext(): PlannedRecord | undefined {
    if (this.#planned.length === 0) this.#plan();
    return this.#planned.shift();
  }

  /** Notes that all records of the first entries are in the log. */
  completed(count: number): void {
    this.#entries = this.#entries.slice(count);
    this.#placedCount -= count;
  }

  /** Plans all records of all entries again. */
  restart(): void {
    this.#planned = [];
    this.#placedCount = 0;
  }

  #plan(): void {
    const group = this.#takeGroup();
    if (group.length === 0) return;
    const bodies = this.#encode(group.flatMap(({ windows }) => windows));
    const entries = group.map(({ entry }) => entry);
    this.#planned = bodies.map((body, at) => ({ body, entries: at === bodies.length - 1 ? entries : [] }));
  }

  #takeGroup(): readonly QueuedEntry[] {
    const first = this.#placedCount;
    let bytes = 0;
    while (this.#placedCount < this.#entries.length && bytes < this.#groupBytes) {
      const { windows = [] } = this.#entries[this.#placedCount] ?? {};
      for (const { changes } of windows) bytes += changes.length;
      this.#placedCount++;
    }
    return this.#entries.slice(first, this.#placedCount);
  }
}
