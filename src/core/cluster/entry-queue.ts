import type { RecordBody } from './record-bodies.ts';

/** The next record to be made, and the entry that it closes. */
export interface PlannedRecord {
  readonly body: RecordBody;
  readonly entry: number | null;
}

interface QueuedEntry {
  readonly entry: number;
  readonly bodies: readonly RecordBody[];
}

/** Entries that are not completely in the log, in order. */
export class EntryQueue {
  readonly #entries: QueuedEntry[] = [];
  #planned: PlannedRecord[] = [];

  /** Number of records that have no place in the log. */
  get plannedCount(): number {
    return this.#planned.length;
  }

  add(entry: number, bodies: readonly RecordBody[]): void {
    const queued = { entry, bodies };
    this.#entries.push(queued);
    this.#plan(queued);
  }

  takeNext(): PlannedRecord | undefined {
    return this.#planned.shift();
  }

  /** Notes that all records of the first entry are in the log. */
  completed(): void {
    this.#entries.shift();
  }

  /** Plans all records of all entries again. */
  restart(): void {
    this.#planned = [];
    for (const entry of this.#entries) this.#plan(entry);
  }

  #plan({ entry, bodies }: QueuedEntry): void {
    bodies.forEach((body, at) => {
      this.#planned.push({ body, entry: at === bodies.length - 1 ? entry : null });
    });
  }
}
