import { parseAttemptId, type AttemptAddress, type TaskId, type WorkerId } from '../../src/core/ids.ts';
import type { LogDelivery } from '../../src/core/ports/bus.ts';
import type { IncomingLogChunk, LogStoreWriter } from '../../src/core/ports/log-store.ts';
import type { RefusalReason } from '../../src/core/wire/sender-check.ts';
import type { KnownJobs } from './known-jobs.ts';
import { LOG_PROTOCOL_VERSION, type LogNotice } from './log-protocol.ts';

/**
 * Time that a chunk waits for its predecessor: longer than the bus waits before it redelivers that one (10 s). Chunks
 * arrive early after a restart of the service and while the disk is low.
 */
export const EARLY_CHUNK_MS = 12_000;

/**
 * Time that a chunk waits for its attempt. A worker gets an assignment when it is durable, a moment before other threads can
 * read it: a short task may have sent its log by then.
 */
const UNREAD_ATTEMPT_MS = 12_000;

/** Pause between two looks for the attempts of waiting chunks. */
const LOOK_AGAIN_MS = 100;

/** Maximum number of chunks of one worker that wait for their attempts: a hostile one must not delay the logs of others. */
const UNREAD_CHUNKS_MAX = 256;

/**
 * Minimum time between two commits. Each commit waits for the disk, and so does a lease that is committed at the same
 * time. A chunk after a longer pause is stored at once.
 */
const GATHER_MS = 25;

/** The clock of an intake. */
export interface IntakeClock {
  /** Milliseconds of a monotonic clock. */
  now(): number;
  /** Runs the action after a delay. Returns the function that cancels it. */
  after(milliseconds: number, action: () => void): () => void;
}

/** The clock of the thread. */
export const STEADY_CLOCK: IntakeClock = {
  now: () => performance.now(),
  after: (milliseconds, action) => {
    const timer = setTimeout(action, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** Returns the worker of an attempt; null if there is no such attempt. */
export type WorkerLookUp = (attempt: AttemptAddress) => WorkerId | null;

/** Who may send the chunks of an attempt. */
export interface LogSenders {
  /** Returns a look-up for the chunks of one flush. */
  lookUp(): WorkerLookUp;
  /** Counts a chunk that is discarded. */
  refused(reason: RefusalReason, delivery: LogDelivery): void;
}

/** A delivery that is not stored and not acknowledged yet. */
interface Waiting {
  readonly delivery: LogDelivery;
  readonly since: number;
}

/**
 * Collects chunks for a moment, stores them together and then acknowledges them. A chunk that arrives before its
 * predecessor waits for it, so that a client that reads at the end of the log misses none. A late chunk of a deleted
 * job is acknowledged but not stored, because it would never be removed. A chunk of an attempt that its sender does not
 * have is discarded; one of an unknown attempt waits for it first.
 */
export class LogIntake {
  private readonly writer: Pick<LogStoreWriter, 'append' | 'streamFound'>;
  private readonly jobs: Pick<KnownJobs, 'has'>;
  private readonly senders: LogSenders;
  private readonly tell: (notice: LogNotice) => void;
  private readonly clock: IntakeClock;
  /** By stream sequence: the redelivery of a waiting chunk replaces it. */
  private readonly waiting = new Map<number, Waiting>();
  private callOffTimer: (() => void) | null = null;
  private isFlushDue = false;
  private flushedAt = -Infinity;
  private streamCreatedAt = '';
  private isDiskLow = false;

  constructor(
    writer: Pick<LogStoreWriter, 'append' | 'streamFound'>,
    jobs: Pick<KnownJobs, 'has'>,
    senders: LogSenders,
    tell: (notice: LogNotice) => void,
    clock: IntakeClock = STEADY_CLOCK,
  ) {
    this.writer = writer;
    this.jobs = jobs;
    this.senders = senders;
    this.tell = tell;
    this.clock = clock;
  }

  add(delivery: LogDelivery): void {
    if (delivery.streamCreatedAt !== this.streamCreatedAt) {
      this.flush();
      // Sequences of another stream could collide with those of this one.
      this.waiting.clear();
      this.streamCreatedAt = delivery.streamCreatedAt;
      this.writer.streamFound({ createdAt: delivery.streamCreatedAt, lastSequence: delivery.streamSequence });
    }
    const since = this.waiting.get(delivery.streamSequence)?.since ?? this.clock.now();
    this.waiting.set(delivery.streamSequence, { delivery, since });
    if (this.isFlushDue) return;
    this.isFlushDue = true;
    this.callOffTimer?.();
    const wait = Math.max(0, this.flushedAt + GATHER_MS - this.clock.now());
    this.callOffTimer = this.clock.after(wait, () => this.flush());
  }

  flush(): void {
    this.isFlushDue = false;
    this.callOffTimer?.();
    this.callOffTimer = null;
    if (this.waiting.size === 0) return;
    const entries = [...this.waiting];
    this.waiting.clear();
    const waiting = new Map<IncomingLogChunk, Waiting>();
    const unread = new Map<WorkerId, number>();
    const workerOf = this.senders.lookUp();
    let late = 0;
    for (const [sequence, entry] of entries) {
      const attempt = attemptOf(entry.delivery);
      if (!this.jobs.has(attempt.jobId)) {
        entry.delivery.acknowledge();
        late++;
        continue;
      }
      const verdict = this.verdictOn(entry, workerOf, attempt, unread);
      if (verdict === 'unread') this.waiting.set(sequence, entry);
      else if (verdict === 'accepted') {
        const mayOvertake = this.clock.now() - entry.since >= EARLY_CHUNK_MS;
        waiting.set(chunkOf(entry.delivery, attempt, mayOvertake), entry);
      } else {
        entry.delivery.discard();
        this.senders.refused(verdict, entry.delivery);
      }
    }
    if (late > 0) this.noteLate(late);
    if (waiting.size > 0) this.store(waiting);
    this.lookAgain(unread.size > 0);
  }

  private store(waiting: Map<IncomingLogChunk, Waiting>): void {
    this.flushedAt = this.clock.now();
    const outcome = this.writer.append([...waiting.keys()]);
    this.noteDisk(!outcome.ok);
    if (!outcome.ok) return;
    for (const chunk of outcome.early) {
      const entry = waiting.get(chunk);
      if (entry === undefined) continue;
      waiting.delete(chunk);
      this.waiting.set(chunk.streamSequence, entry);
    }
    for (const { delivery } of waiting.values()) delivery.acknowledge();
    const { tasks, cut } = outcome;
    if (tasks.length > 0) this.tell({ v: LOG_PROTOCOL_VERSION, type: 'stored', tasks });
    for (const task of cut) this.noteCut(task);
  }

  /** Stores the chunks that can be stored and drops the rest, which the bus redelivers after the next start. */
  stop(): void {
    this.flush();
    this.callOffTimer?.();
    this.waiting.clear();
  }

  /** Decides on a chunk, and counts in `unread` the chunks of each worker that wait for their attempts. */
  private verdictOn(
    { delivery: { sender }, since }: Waiting,
    workerOf: WorkerLookUp,
    attempt: AttemptAddress,
    unread: Map<WorkerId, number>,
  ): 'accepted' | 'unread' | RefusalReason {
    if (sender === null) return 'accepted';
    const worker = workerOf(attempt);
    if (worker === sender) return 'accepted';
    if (worker !== null) return 'other-attempt';
    const before = unread.get(sender) ?? 0;
    if (before >= UNREAD_CHUNKS_MAX || this.clock.now() - since >= UNREAD_ATTEMPT_MS)
      return 'unknown-attempt';
    unread.set(sender, before + 1);
    return 'unread';
  }

  /** Sets the timer for chunks that wait for an earlier one or for their attempts. */
  private lookAgain(hasUnread: boolean): void {
    if (this.waiting.size === 0) return;
    const oldest = Math.min(...[...this.waiting.values()].map(({ since }) => since));
    const wait = hasUnread ? LOOK_AGAIN_MS : Math.max(0, oldest + EARLY_CHUNK_MS - this.clock.now());
    this.callOffTimer = this.clock.after(wait, () => this.flush());
  }

  private noteCut(task: TaskId): void {
    const text = 'the log of a task exceeds its limit; the rest is dropped';
    this.tell({ v: LOG_PROTOCOL_VERSION, type: 'log', level: 'warn', text, attributes: { task_id: task } });
  }

  private noteLate(count: number): void {
    const text = 'log chunks of jobs that do not exist are dropped';
    this.tell({
      v: LOG_PROTOCOL_VERSION,
      type: 'log',
      level: 'debug',
      text,
      attributes: { chunks: String(count) },
    });
  }

  private noteDisk(isLow: boolean): void {
    if (isLow === this.isDiskLow) return;
    this.isDiskLow = isLow;
    const text = isLow
      ? 'disk space is low: task logs stay on the bus until there is space'
      : 'task logs are stored again';
    this.tell({ v: LOG_PROTOCOL_VERSION, type: 'log', level: 'warn', text, attributes: {} });
  }
}

function attemptOf({ message }: LogDelivery): AttemptAddress {
  const attempt = parseAttemptId(message.attempt_id);
  if (attempt === null) {
    throw new Error(`a log message passed validation with the attempt ${message.attempt_id}`);
  }
  return attempt;
}

const chunkOf = (
  { message, storedAt, streamSequence }: LogDelivery,
  attempt: AttemptAddress,
  mayOvertake: boolean,
): IncomingLogChunk => ({
  attempt,
  mayOvertake,
  seqNum: message.seq_num,
  stream: message.stream,
  data: message.data,
  at: message.at,
  receivedAt: storedAt,
  streamSequence,
});
