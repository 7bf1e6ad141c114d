import type { RecordTools } from '../ports/record-tools.ts';
import type { CommitWindow, LogMark, LogRecord } from './log-record.ts';
import type { NodeLimits } from './node-options.ts';
import { PartJoiner } from './record-bodies.ts';
import { readWindows } from './sections.ts';

/** Changes of a record, and the mark that is stored with them. */
export interface AppliedRecord {
  readonly windows: readonly CommitWindow[];
  readonly mark: LogMark;
}

/** The reading side of a node: the changes to apply, and whether the owner is silent. */
export class LogFollower {
  readonly #limits: NodeLimits;
  readonly #joiner: PartJoiner;
  #lastReadMs = -Infinity;
  /** The log has ended with the same record since then. */
  #quietFromMs = Infinity;

  constructor(tools: RecordTools, limits: NodeLimits) {
    this.#limits = limits;
    this.#joiner = new PartJoiner(tools);
  }

  /** The log could be read. `isNew`: it had records that were not read before, or has more of them. */
  onRead(nowMs: number, isNew: boolean): void {
    const isStalled = nowMs - this.#lastReadMs > this.#limits.stallMs;
    if (isNew || isStalled) this.#quietFromMs = nowMs;
    this.#lastReadMs = nowMs;
  }

  /** Whether the owner has appended nothing for the takeover time, at the time of a read. */
  isOwnerSilent(nowMs: number): boolean {
    return nowMs - this.#quietFromMs >= this.#limits.takeoverMs;
  }

  /** Returns what a valid record applies; null if it is a part of a body that is not complete. */
  take(record: LogRecord, mark: LogMark): AppliedRecord | null | 'damaged' {
    const body = this.#joiner.add(record);
    if (body === null || body === 'damaged') return body;
    if (record.kind !== 'changes') return { windows: [], mark };
    const windows = readWindows(body);
    return windows === null ? 'damaged' : { windows, mark };
  }
}
