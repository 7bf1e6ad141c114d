/**
 * Invariants: times increase within a component; `textLength` is the sum over all rings and at most `textMax` after
 * each `add`. Exits: a full ring and too much text drop the oldest records; too many components drop the least recently
 * active one.
 */

import {
  DIAGNOSTIC_LEVELS,
  SERVER_COMPONENT,
  type DiagnosticLevel,
  type DiagnosticNote,
  type DiagnosticRecord,
} from './record.ts';
import { Ring } from './ring.ts';

/**
 * docs/contract/limits.md#diagnostics: component rings. Beyond that the least recently active one is dropped, but never
 * the server's.
 */
export const COMPONENTS_MAX = 512;

/** Maximum number of characters in all rings together, which limits the memory of long records. */
const DIAGNOSTIC_TEXT_MAX = 64 * 1024 * 1024;

export interface DiagnosticQuery {
  readonly component?: string;
  /** Minimum level. */
  readonly level?: DiagnosticLevel;
  readonly taskId?: string;
  /** Nanoseconds since the epoch; only later records match. */
  readonly since?: bigint;
  /** Maximum number of records, newest first to be kept. */
  readonly limit: number;
}

/** The diagnostics of all components, in memory (docs/contract/rest.md#diagnostics). */
export class DiagnosticLog {
  private readonly ringSize: number;
  private readonly textMax: number;
  private readonly listeners: ((record: DiagnosticRecord) => void)[] = [];
  /** Least recently active component first. */
  private readonly rings = new Map<string, Ring>();
  private textLength = 0;

  /** `ringSize` is the number of records kept per component, at least 1. */
  constructor(ringSize: number, textMax = DIAGNOSTIC_TEXT_MAX) {
    this.ringSize = ringSize;
    this.textMax = textMax;
  }

  /**
   * Adds a record. `at` is the time of the record in nanoseconds since the epoch. If it is not later than the
   * component's last record, it becomes one nanosecond later than that, so that times within a component are unique.
   */
  add(component: string, at: bigint, { level, msg, attrs }: DiagnosticNote): void {
    const ring = this.rings.get(component) ?? new Ring(this.ringSize);
    this.rings.delete(component);
    this.rings.set(component, ring);
    const last = ring.last()?.at ?? null;
    const record = { at: last !== null && at <= last ? last + 1n : at, component, level, msg, attrs };
    this.textLength += ring.push(record, lengthOf(record));
    this.dropIdle(component);
    this.shorten();
    for (const heard of this.listeners) heard(record);
  }

  /** Calls the listener with every record that is added from now on. */
  listen(heard: (record: DiagnosticRecord) => void): void {
    this.listeners.push(heard);
  }

  /** Returns records by time, the oldest first; records of the same time by component. */
  records(query: DiagnosticQuery): readonly DiagnosticRecord[] {
    const rings = query.component === undefined ? [...this.rings.values()] : this.ringsOf(query.component);
    const newest = rings.flatMap((ring) => newestOf(ring, query));
    newest.sort(byTime);
    return newest.slice(Math.max(0, newest.length - query.limit));
  }

  private ringsOf(component: string): readonly Ring[] {
    const ring = this.rings.get(component);
    return ring === undefined ? [] : [ring];
  }

  /** Drops whole components if there are too many. */
  private dropIdle(active: string): void {
    while (this.rings.size > COMPONENTS_MAX) {
      const idle = [...this.rings.keys()].find((each) => each !== SERVER_COMPONENT && each !== active);
      if (idle === undefined) return;
      this.textLength -= this.rings.get(idle)?.textLength ?? 0;
      this.rings.delete(idle);
    }
  }

  /** Drops the oldest records of the component with the most text, so that the other components keep theirs. */
  private shorten(): void {
    while (this.textLength > this.textMax) {
      let largest: Ring | null = null;
      for (const ring of this.rings.values()) {
        if (largest === null || ring.textLength > largest.textLength) largest = ring;
      }
      if (largest === null) return;
      this.textLength -= largest.dropOldest();
    }
  }
}

const RANKS = new Map<DiagnosticLevel, number>(DIAGNOSTIC_LEVELS.map((level, rank) => [level, rank]));
const rankOf = (level: DiagnosticLevel): number => RANKS.get(level) ?? 0;

/** Returns the newest matching records of one component, up to `limit`. */
function newestOf(ring: Ring, { level, taskId, since, limit }: DiagnosticQuery): DiagnosticRecord[] {
  const least = level === undefined ? 0 : rankOf(level);
  const found: DiagnosticRecord[] = [];
  for (const record of ring.newestFirst()) {
    // Times increase within a ring: no record before this one is later.
    if (found.length === limit || (since !== undefined && record.at <= since)) break;
    if (rankOf(record.level) < least) continue;
    if (taskId !== undefined && record.attrs['task_id'] !== taskId) continue;
    found.push(record);
  }
  return found;
}

function byTime(a: DiagnosticRecord, b: DiagnosticRecord): number {
  if (a.at !== b.at) return a.at < b.at ? -1 : 1;
  return a.component < b.component ? -1 : a.component > b.component ? 1 : 0;
}

function lengthOf({ component, msg, attrs }: DiagnosticRecord): number {
  let length = component.length + msg.length;
  for (const [name, value] of Object.entries(attrs)) length += name.length + value.length;
  return length;
}
