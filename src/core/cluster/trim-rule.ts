/** When records of the log are no longer needed. */
export interface TrimLimits {
  /** Records are kept for this time, so that a node that was stopped for a shorter time needs no copy of a store. */
  readonly keepMs: number;
  /** Records before the last ones of this size are not kept for that reason. */
  readonly keepBytes: number;
  /** A member that has reported nothing for so long is not waited for. */
  readonly absentMs: number;
  /** The log is trimmed by at least this number of records. */
  readonly recordsMin: number;
}

export const TRIM_LIMITS: TrimLimits = {
  keepMs: 3_600_000,
  keepBytes: 2 ** 30,
  absentMs: 3_600_000,
  recordsMin: 1000,
};

/** The log as its leader describes it. */
export interface LogExtent {
  readonly first: number;
  readonly last: number;
  readonly bytes: number;
}

interface Report {
  readonly position: number;
  readonly atMs: number;
}

/**
 * Decides which records the owner removes from the log: those that all present members have flushed to their stores, and
 * that are older than an hour or before the last gibibyte. Times are monotonic.
 */
export class TrimRule {
  readonly #limits: TrimLimits;
  readonly #reports: Map<string, Report>;
  /** Ends of the log at earlier times, the oldest first. */
  #ends: Report[] = [];

  /** @param members - Names of nodes that are waited for although they have reported nothing yet. */
  constructor(members: readonly string[], nowMs: number, limits = TRIM_LIMITS) {
    this.#limits = limits;
    this.#reports = new Map(members.map((name) => [name, { position: 0, atMs: nowMs }]));
  }

  /** A member has flushed all records up to a position. */
  reported(member: string, position: number, nowMs: number): void {
    this.#reports.set(member, { position, atMs: nowMs });
  }

  /** Returns the position of the first record to keep; null if nothing is to be removed. To be called regularly. */
  firstToKeep({ first, last, bytes }: LogExtent, nowMs: number): number | null {
    this.#ends.push({ position: last, atMs: nowMs });
    const flushed = this.#flushedByAll(nowMs);
    if (flushed === null) return null;
    const notKept = Math.max(
      this.#endBefore(nowMs - this.#limits.keepMs),
      this.#beforeKept(first, last, bytes),
    );
    const keepFrom = Math.min(flushed, notKept) + 1;
    return keepFrom - first >= this.#limits.recordsMin ? keepFrom : null;
  }

  /** Returns the last position that all present members have flushed; null if none is present. */
  #flushedByAll(nowMs: number): number | null {
    const present = [...this.#reports.values()].filter(({ atMs }) => nowMs - atMs < this.#limits.absentMs);
    return present.length === 0 ? null : Math.min(...present.map(({ position }) => position));
  }

  /** Returns the end of the log at a time; 0 if it is not known. */
  #endBefore(atMs: number): number {
    const known = this.#ends.findLastIndex((end) => end.atMs <= atMs);
    if (known === -1) return 0;
    this.#ends = this.#ends.slice(known);
    return this.#ends[0]?.position ?? 0;
  }

  /** Returns the position of the record before the last ones of the size to keep, by the mean size of records. */
  #beforeKept(first: number, last: number, bytes: number): number {
    if (bytes <= this.#limits.keepBytes) return 0;
    const kept = Math.ceil(((last - first + 1) * this.#limits.keepBytes) / bytes);
    return last - kept;
  }
}
