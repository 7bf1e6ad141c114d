import {
  DIAGNOSTIC_LEVELS,
  SERVER_COMPONENT,
  type DiagnosticLevel,
  type DiagnosticNote,
  type DiagnosticRecord,
} from './record.ts';
import { Ring } from './ring.ts';

/**
 * docs/contract/limits.md#diagnostics: component rings; beyond that the least recently active one goes, the server's
 * never.
 */
export const COMPONENTS_MAX = 512;

/** Characters that all rings hold together, so that long records cannot take the memory of the service. */
const DIAGNOSTIC_TEXT_MAX = 64 * 1024 * 1024;

export interface DiagnosticQuery {
  readonly component?: string;
  /** The least level. */
  readonly level?: DiagnosticLevel;
  readonly taskId?: string;
  /** Nanoseconds since the epoch: only what is later. */
  readonly since?: bigint;
  /** The newest of what fits. */
  readonly limit: number;
}

/** The diagnostics of all components, in memory (docs/contract/rest.md#diagnostics). */
export class DiagnosticLog {
  private readonly ringSize: number;
  private readonly textMax: number;
  private readonly listeners: ((record: DiagnosticRecord) => void)[] = [];
  /** The least recently active first. */
  private readonly rings = new Map<string, Ring>();
  private textLength = 0;

  /** `ringSize` is the number of records that are kept of one component, at least 1. */
  constructor(ringSize: number, textMax = DIAGNOSTIC_TEXT_MAX) {
    this.ringSize = ringSize;
    this.textMax = textMax;
  }

  /**
   * Keeps a record. `at` is when it was said, in nanoseconds since the epoch; a record that is not later than the last one
   * of its component is put right behind that, so that no two of a component have one time.
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

  /** Calls `heard` with every record that is kept from now on. */
  listen(heard: (record: DiagnosticRecord) => void): void {
    this.listeners.push(heard);
  }

  /** Records by time, the oldest first; those of one time by component. */
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

  /** Lets go of whole components when there are too many. */
  private dropIdle(active: string): void {
    while (this.rings.size > COMPONENTS_MAX) {
      const idle = [...this.rings.keys()].find((each) => each !== SERVER_COMPONENT && each !== active);
      if (idle === undefined) return;
      this.textLength -= this.rings.get(idle)?.textLength ?? 0;
      this.rings.delete(idle);
    }
  }

  /** Drops the oldest records of whatever component holds the most text, so that the others keep theirs. */
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

/** The newest records of one component that fit, as many as are asked for. */
function newestOf(ring: Ring, { level, taskId, since, limit }: DiagnosticQuery): DiagnosticRecord[] {
  const least = level === undefined ? 0 : rankOf(level);
  const found: DiagnosticRecord[] = [];
  for (const record of ring.newestFirst()) {
    // Times rise within a ring: nothing behind this one is later.
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
