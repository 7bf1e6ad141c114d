import { ProcessModel } from './process-model.ts';

/** A message of the stream as a server stores it. */
export interface LogEntry {
  readonly term: number;
  readonly bytes: Uint8Array;
}

/** Messages between servers. */
export interface Replication {
  readonly term: number;
  readonly leader: number;
  /** Number of entries before the first one. */
  readonly from: number;
  readonly entries: readonly LogEntry[];
  readonly committed: number;
}

/**
 * A server of the stream: what it has on its disk, and its role in the group. It votes and stores like Raft, without
 * snapshots.
 */
export class LogServer {
  readonly id: number;
  readonly process = new ProcessModel();
  term = 0;
  votedFor: number | null = null;
  /** Term of the last message that changed the log. */
  lastTerm = 0;
  log: LogEntry[] = [];
  /** Number of entries that are flushed. */
  flushed = 0;
  committed = 0;
  role: 'follower' | 'candidate' | 'leader' = 'follower';
  leader: number | null = null;
  electionDueMs = 0;
  votes = new Set<number>();
  /** Of a leader: the number of entries of each server that are the same. */
  matched: number[] = [];
  /** Of a leader: when each server last answered. */
  answeredMs: number[] = [];
  /** Of a leader: the number of entries when it was elected. */
  firstOfTerm = 0;

  constructor(id: number) {
    this.id = id;
  }

  becomeFollower(term: number): void {
    if (term > this.term) this.votedFor = null;
    this.term = Math.max(term, this.term);
    this.role = 'follower';
  }

  /** Whether a candidate with this log has everything that this server has. */
  isCoveredBy(lastTerm: number, length: number): boolean {
    return lastTerm === this.lastTerm ? length >= this.log.length : lastTerm > this.lastTerm;
  }

  /** Takes over entries of the leader. Returns the number of entries that are the same; null if some are missing. */
  store({ term, from, entries, committed }: Replication): number | null {
    if (from > this.log.length) return null;
    entries.forEach((entry, offset) => {
      const at = from + offset;
      if (this.log[at]?.term === entry.term) return;
      this.log.length = at;
      this.flushed = Math.min(this.flushed, at);
      this.log.push(entry);
    });
    const same = from + entries.length;
    // Entries after those of the leader are of an earlier term, or of a message that was overtaken.
    if (this.lastTerm !== term) this.log.length = Math.min(this.log.length, same);
    this.lastTerm = term;
    this.committed = Math.max(this.committed, Math.min(committed, same));
    return same;
  }

  /** The machine has lost power: what was not flushed is lost. */
  losePower(): void {
    this.log.length = Math.min(this.log.length, this.flushed);
    this.committed = Math.min(this.committed, this.log.length);
  }
}
