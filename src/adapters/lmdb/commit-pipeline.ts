import type { JobId } from '../../core/ids.ts';
import type { Acceptance, Journal } from '../../core/ports/journal.ts';
import { joinChanges, type EncodedChange, type EncodedChangeSet } from './change-set-codec.ts';
import type { ChangePublisher } from './change-publisher.ts';
import { removalOf } from './provisional-jobs.ts';
import type { StateWriter } from './state-writer.ts';

/**
 * Maximum time that durable sets wait to become readable if no reader waits, and the maximum share of time spent on it.
 */
const READ_AFTER_MS = 10;
const READING_SHARE = 0.2;

/** Shard number of sets that the store thread makes itself. */
const OWN_SHARD = 0xffff;

/** Notified about the sets of a shard up to a sequence. Never called twice for the same stage and sequence. */
export interface CommitAcks {
  /** A crash does not take them back. */
  durable(shard: number, sequence: number): void;
  /** They are also readable. */
  readable(shard: number, sequence: number): void;
}

/** Change publishers as the pipeline uses them. */
export type Publisher = Pick<
  ChangePublisher,
  'markDurable' | 'beforeApply' | 'afterApply' | 'notifyReadable'
>;

export interface CommitPipelineParts {
  readonly writer: StateWriter;
  readonly journal: Journal;
  /** Publishers may be added later. */
  readonly publishers: readonly Publisher[];
  readonly acks: CommitAcks;
  /** Time that durable sets wait for a transaction if no reader waits; default READ_AFTER_MS. It grows on a slow disk. */
  readonly readAfterMs?: number;
}

/** An entry of the journal whose sets are not in the tables yet. */
interface Entry {
  /** From 1, in the order of the submissions. */
  readonly number: number;
  readonly sets: readonly EncodedChangeSet[];
  readonly reservedBytes: number;
}

/** Changes of another process that the journal has read. */
interface ForeignChanges {
  readonly sets: readonly EncodedChangeSet[];
  /** Position of their entry in the journal. */
  readonly position: number;
}

/** Rows that are committed separately. */
interface Piece {
  readonly changes: readonly EncodedChange[];
  readonly onReadable: () => void;
}

/**
 * The path of every change of the state store: arrived, submitted to the journal, accepted by it, applied to the tables
 * (docs/visibility.md#the-model).
 *
 * All sets that arrived by the end of a turn of the event loop are one entry of the journal. Accepted entries are
 * applied together: some milliseconds later, or at once if a reader waits or the journal does not make them durable.
 * Later entries may be submitted while earlier ones have no outcome yet.
 */
export class CommitPipeline {
  readonly #writer: StateWriter;
  readonly #journal: Journal;
  readonly #publishers: readonly Publisher[];
  readonly #acks: CommitAcks;
  #arrived: EncodedChangeSet[] = [];
  #commitDue: NodeJS.Immediate | null = null;
  #applyDue: NodeJS.Timeout | null = null;
  readonly #readAfterMs: number;
  #applyAfterMs: number;
  /** Set if the next commit applies what is accepted by then. */
  #isReadRequested = false;
  /** Set if the next commit makes everything urgent that was submitted by then. */
  #isUrgent = false;
  #submitted = 0;
  #applied = 0;
  /** Entries up to this number are applied as soon as they are accepted. */
  #urgentUpTo = 0;
  #isSubmitting = false;
  /** Accepted entries that are not applied. */
  #accepted: Entry[] = [];
  /** Position of the last accepted entry. */
  #position = 0;
  /** Set if an accepted entry becomes durable only with the tables. */
  #isApplyForced = false;
  /** Sets of durable entries that are not acknowledged. */
  #unacknowledged: EncodedChangeSet[] = [];
  #actions: { readonly after: number; readonly run: () => void }[] = [];
  #foreign: ForeignChanges[] = [];
  #pieces: Piece[] = [];
  #ownSequence = 0;

  constructor({ writer, journal, publishers, acks, readAfterMs = READ_AFTER_MS }: CommitPipelineParts) {
    this.#writer = writer;
    this.#journal = journal;
    this.#publishers = publishers;
    this.#acks = acks;
    this.#readAfterMs = readAfterMs;
    this.#applyAfterMs = readAfterMs;
  }

  /** Commits a set at the end of this turn. `isAwaited`: it must be readable as soon as possible. */
  add(set: EncodedChangeSet, isAwaited: boolean): void {
    this.#arrived.push(set);
    if (isAwaited) this.#isUrgent = true;
    this.#schedule();
  }

  /** Makes all sets readable that were added until now, as soon as the journal has accepted them. */
  requestApply(): void {
    this.#isUrgent = true;
    this.#schedule();
  }

  /** Makes all sets readable that are durable at the end of this turn, and notifies the waiting subscribers. */
  requestRead(): void {
    this.#isReadRequested = true;
    this.#schedule();
  }

  /** Applies everything accepted now, so that a new publisher does not miss the notices of its rows. */
  applyAccepted(): void {
    this.#isReadRequested = true;
    this.#commit();
  }

  /** Commits rows of a large job as an entry of their own. Sets that arrive meanwhile take precedence. */
  addPiece(changes: readonly EncodedChange[], onReadable: () => void): void {
    this.#pieces.push({ changes, onReadable });
    if (this.#pieces.length === 1) setImmediate(this.#commitPiece);
  }

  /** Removes the rows of a provisional job, unless an earlier set creates the job. */
  discardProvisionalJob(job: JobId): void {
    this.#afterAll(() => {
      if (this.#writer.isProvisional(job)) this.#removeRows([job]);
    });
  }

  /** Removes the rows of all provisional jobs that an earlier process left. */
  discardProvisionalJobs(): void {
    const jobs = this.#writer.provisionalJobs();
    if (jobs.length > 0) this.#removeRows(jobs);
  }

  /**
   * Applies changes of another process at the end of this turn, together with those that follow until then. Nothing may
   * be submitted before `applyForeign` was called.
   */
  addForeign(sets: readonly EncodedChangeSet[], position: number): void {
    if (this.#foreign.length === 0) setImmediate(() => this.applyForeign());
    this.#foreign.push({ sets, position });
  }

  /** Applies the changes of other processes now. */
  applyForeign(): void {
    const last = this.#foreign.at(-1);
    if (last === undefined) return;
    const sets = this.#foreign.flatMap((each) => each.sets);
    this.#foreign = [];
    for (const publisher of this.#publishers) publisher.beforeApply(sets);
    this.#writer.apply(sets, { mark: this.#journal.appliedMark(last.position) });
    for (const publisher of this.#publishers) {
      publisher.afterApply();
      publisher.notifyReadable();
    }
    // After the watermark: a read that waits for the position must not find a response from before it in a cache.
    this.#journal.applied(last.position);
  }

  /** Drops pieces that are not submitted, and resolves when all added sets are readable and acknowledged. */
  stop(): Promise<void> {
    this.#pieces = [];
    return new Promise((resolve) => this.#afterAll(resolve));
  }

  #schedule(): void {
    this.#commitDue ??= setImmediate(this.#commit);
  }

  readonly #commit = (): void => {
    if (this.#commitDue !== null) clearImmediate(this.#commitDue);
    this.#commitDue = null;
    const isUrgent = this.#isUrgent;
    const mustApply = isUrgent || this.#isReadRequested;
    this.#isUrgent = false;
    this.#isReadRequested = false;
    if (this.#arrived.length > 0) {
      const sets = this.#arrived;
      this.#arrived = [];
      this.#submit(sets, this.#writer.reserve(sets), mustApply);
    }
    if (isUrgent) this.#urgentUpTo = this.#submitted;
    this.#advance(mustApply);
  };

  #submit(sets: readonly EncodedChangeSet[], reservedBytes: number, isAwaited: boolean): void {
    this.#submitted++;
    const entry: Entry = { number: this.#submitted, sets, reservedBytes };
    this.#isSubmitting = true;
    this.#journal.submit({ sets, isAwaited }, (acceptance) => this.#accept(entry, acceptance));
    this.#isSubmitting = false;
  }

  #accept(entry: Entry, { position, isDurable }: Acceptance): void {
    this.#accepted.push(entry);
    this.#position = position;
    if (isDurable) for (const set of entry.sets) this.#unacknowledged.push(set);
    else this.#isApplyForced = true;
    if (!this.#isSubmitting) this.#schedule();
  }

  /** Acknowledges what became durable, or applies it if that must not wait. */
  #advance(mustApply: boolean): void {
    const first = this.#accepted[0];
    const isUrgent = first !== undefined && first.number <= this.#urgentUpTo;
    if (mustApply || isUrgent || this.#isApplyForced) {
      this.#apply();
      return;
    }
    if (this.#unacknowledged.length === 0) return;
    for (const publisher of this.#publishers) publisher.markDurable();
    acknowledge(this.#unacknowledged, (shard, sequence) => this.#acks.durable(shard, sequence));
    this.#unacknowledged = [];
    this.#applyDue ??= setTimeout(this.#applyWhenDue, this.#applyAfterMs);
  }

  /** Takes sets along that arrived meanwhile. */
  readonly #applyWhenDue = (): void => {
    this.#isReadRequested = true;
    this.#commit();
  };

  #apply(): void {
    if (this.#applyDue !== null) clearTimeout(this.#applyDue);
    this.#applyDue = null;
    if (this.#accepted.length > 0) this.#applyEntries(this.#accepted);
    for (const publisher of this.#publishers) publisher.notifyReadable();
    const due = this.#actions.filter(({ after }) => after <= this.#applied);
    if (due.length === 0) return;
    this.#actions = this.#actions.filter(({ after }) => after > this.#applied);
    for (const { run } of due) run();
  }

  #applyEntries(entries: readonly Entry[]): void {
    const begunAt = performance.now();
    const sets = entries.flatMap((entry) => entry.sets);
    const reservedBytes = entries.reduce((sum, entry) => sum + entry.reservedBytes, 0);
    for (const publisher of this.#publishers) publisher.beforeApply(sets);
    this.#writer.apply(sets, { mark: this.#journal.appliedMark(this.#position), reservedBytes });
    for (const publisher of this.#publishers) publisher.afterApply();
    this.#journal.applied(this.#position);
    this.#applied += entries.length;
    this.#accepted = [];
    this.#unacknowledged = [];
    this.#isApplyForced = false;
    acknowledge(sets, (shard, sequence) => this.#acks.readable(shard, sequence));
    this.#applyAfterMs = Math.max(this.#readAfterMs, (performance.now() - begunAt) / READING_SHARE);
  }

  /** Runs the action when everything added until now is readable. */
  #afterAll(run: () => void): void {
    this.#isUrgent = true;
    this.#commit();
    if (this.#applied === this.#submitted) run();
    else this.#actions.push({ after: this.#submitted, run });
  }

  readonly #commitPiece = (): void => {
    // Leases that arrived during the last piece do not wait for another one.
    this.#isUrgent = true;
    this.#commit();
    const piece = this.#pieces[0];
    if (piece === undefined) return;
    const set = this.#ownSet(piece.changes);
    this.#submit([set], this.#writer.reserve([set]), true);
    this.#afterAll(() => {
      this.#pieces.shift();
      if (this.#pieces.length > 0) setImmediate(this.#commitPiece);
      piece.onReadable();
    });
  };

  #removeRows(jobs: readonly JobId[]): void {
    const set = this.#ownSet(jobs.flatMap(removalOf));
    const reservedBytes = this.#writer.tryReserve([set]);
    // No write may meet a full disk, and these rows do no harm: the next start removes them.
    if (reservedBytes === null) return;
    this.#submit([set], reservedBytes, true);
    this.#isUrgent = true;
    this.#commit();
  }

  #ownSet(changes: readonly EncodedChange[]): EncodedChangeSet {
    this.#ownSequence++;
    return joinChanges(OWN_SHARD, this.#ownSequence, changes);
  }
}

/** Calls back once for each shard of these sets, with its last sequence. */
function acknowledge(
  sets: readonly EncodedChangeSet[],
  ack: (shard: number, sequence: number) => void,
): void {
  const last = new Map<number, number>();
  for (const { shard, sequence } of sets) if (shard !== OWN_SHARD) last.set(shard, sequence);
  for (const [shard, sequence] of last) ack(shard, sequence);
}
