import { randomBytes, randomInt } from 'node:crypto';
import { LogNode } from '../../core/cluster/log-node.ts';
import { EMPTY_LOG, NONCE_BYTES, type CommitWindow, type LogMark } from '../../core/cluster/log-record.ts';
import type { EndReason, NodeEffect, NodeInput } from '../../core/cluster/node-messages.ts';
import { NODE_LIMITS } from '../../core/cluster/node-options.ts';
import { isOwning, isTerminal, type NodeState } from '../../core/cluster/node-states.ts';
import type { Acceptance, AppliedMark, Journal, JournalEntry } from '../../core/ports/journal.ts';
import { BackoffTimer } from '../nats/backoff.ts';
import type { ServerList } from '../nats/server-address.ts';
import { appliedMarkRow, parseAppliedMark, type StoredMark } from './applied-mark.ts';
import { endText } from './end-texts.ts';
import { LogStream } from '../nats/log/log-stream.ts';
import { LogUpkeep, UPKEEP_LIMITS, type UpkeepLimits } from './log-upkeep.ts';
import { findSuccessor, serveStatus } from './node-status.ts';
import { QuietWarnings } from './quiet-warnings.ts';
import { StoreMarks } from './store-marks.ts';
import { findOrCreateLog, LogOpenError } from './open-log.ts';
import { StoreSource } from './store-source.ts';
import { recordTools } from './record-tools.ts';
import { SharedStanding, steadyMs, type StandingMemory } from './standing.ts';
import { commitWindowOf } from './window-of-set.ts';

/** Followers become candidates at different times, so that one of them succeeds at once. */
const TAKEOVER_SPREAD_MS = 400;

export interface ReplicatedJournalOptions {
  /** Access to the stream of the log. */
  readonly servers: ServerList;
  /** Name of the cluster: a token of a subject. */
  readonly cluster: string;
  /** Name of this node. */
  readonly node: string;
  /** Copies of the stream if this node creates it. */
  readonly replicas: number;
  /** Kept current by the journal. */
  readonly standing: StandingMemory;
  /** Value of the row CLUSTER_MARK_KEY of the store; null without this row. */
  readonly storedMark: string | null;
  /** Names of all nodes: the log is not trimmed before it has heard of each of them, or has not for an hour. Default: none. */
  readonly members?: readonly string[];
  readonly upkeep?: UpkeepLimits;
  /** Directory of the state store, from which this node sends copies to nodes that are far behind. Null or absent: it does not. */
  readonly stateDirectory?: string | null;
  /** Nothing was ever written to the store. A store without mark and with rows is that of a single node: it is refused. */
  readonly isEmptyStore: boolean;
}

export interface ReplicatedJournalEvents {
  /**
   * Changes of another owner, in order: encoded change sets, perhaps none. To be applied as one transaction with
   * `appliedMark(position)`, followed by `applied(position)`. Several calls may be applied together, with the last position.
   */
  apply(sets: readonly Uint8Array[], position: number): void;
  /** Called after all changes before the change of the state were passed to `apply`. */
  stateChanged(state: NodeState, epoch: number): void;
  /** The process must end, and no entry gets an outcome any more. One line: what, where, what to do. */
  ended(reason: EndReason, text: string): void;
  /** One line about trouble that may pass. */
  warned(text: string): void;
}

/**
 * The journal of a node of a cluster (docs/decisions/replicated-log.md): entries are accepted when a quorum has flushed their
 * records, so all acceptances are durable. Only an owner may submit: `submit` throws a RangeError in the states `follower` and
 * `candidate`. Entries without an outcome when the journal ends get none.
 */
export interface ReplicatedJournal extends Journal {
  readonly logId: string;
  /** Epoch of the last valid record. */
  readonly epoch: number;
  readonly state: NodeState;
  /**
   * Hands the log over to a follower, which takes over at once: the named one, or null for the most current of the members.
   * Entries that are submitted from then on get no outcome, and the node sends no output when all earlier ones are accepted.
   * Resolves when the log has the hand-over record; then the journal ends with the reason `handed-over`. Rejects with why the
   * log is not handed over: this node remains the owner, unless it ends.
   *
   * @param begun - Called when the successor is known to be current, before the record is appended.
   */
  handOver(to: string | null, begun?: (successor: string) => void): Promise<void>;
  /** Resolves when the connection is closed, after `close`. */
  readonly closed: Promise<void>;
}

/**
 * Opens the journal, and begins to follow the log. A node with a mark needs no answer of the log for it; a node without one
 * waits until the log exists, and creates it if there is none.
 *
 * @throws LogOpenError if this store cannot follow the log. One line that says what to do.
 */
export async function openReplicatedJournal(
  options: ReplicatedJournalOptions,
  events: ReplicatedJournalEvents,
): Promise<ReplicatedJournal> {
  const { storedMark, isEmptyStore, cluster, node } = options;
  const stored = storedMark === null ? null : parseAppliedMark(storedMark);
  if (storedMark !== null && stored === null)
    throw new LogOpenError(
      `the state store of node ${node} has a mark of the log that this version cannot read: ${storedMark.slice(0, 80)}. Upgrade the node`,
    );
  if (stored === null && !isEmptyStore)
    throw new LogOpenError(
      `the state store of node ${node} is that of a single node, and it would be lost in cluster ${cluster}. ` +
        `To make the log of the cluster from it, run on this node: callsheet cluster recover`,
    );
  const driver = new JournalDriver(options, events);
  try {
    await driver.open(stored);
  } catch (error) {
    driver.close();
    throw error;
  }
  return driver;
}

/**
 * Drives a LogNode: performs its effects over the stream, and passes results and time to it.
 *
 * - States: opening (`#node` is null), running, ended (the node is terminal or the journal is closed).
 * - Effects are performed in their order, also if a callback leads to further input.
 */
class JournalDriver implements ReplicatedJournal {
  readonly #options: ReplicatedJournalOptions;
  readonly #events: ReplicatedJournalEvents;
  readonly #stream: LogStream;
  readonly #standing: SharedStanding;
  readonly #pauses = new BackoffTimer();
  #upkeep: LogUpkeep | null = null;
  #source: StoreSource | null = null;
  #node: LogNode | null = null;
  #logId = '';
  #isClosed = false;
  #closed: Promise<void> = Promise.resolve();
  readonly #effects: NodeEffect[] = [];
  #isPerforming = false;
  #timer: { readonly handle: NodeJS.Timeout; readonly dueMs: number } | null = null;
  #entries = 0;
  readonly #submitted = new Map<number, (acceptance: Acceptance) => void>();
  #marks = new StoreMarks();
  /** Changes for the next `apply`; null if there are none. */
  #unpassed: { readonly sets: Uint8Array[]; mark: LogMark } | null = null;
  readonly #warnings: QuietWarnings;
  #leaving: { readonly resolve: () => void; readonly reject: (error: Error) => void } | null = null;

  constructor(options: ReplicatedJournalOptions, events: ReplicatedJournalEvents) {
    const { servers, cluster, node } = options;
    this.#options = options;
    this.#events = events;
    this.#standing = new SharedStanding(options.standing);
    this.#warnings = new QuietWarnings((text) => events.warned(text));
    this.#stream = new LogStream(
      { servers, cluster, node },
      { connected: () => void this.#checkLog(), troubled: (text) => this.#warn(text) },
    );
  }

  get logId(): string {
    return this.#logId;
  }

  get epoch(): number {
    return this.#node?.epoch ?? 0;
  }

  get state(): NodeState {
    return this.#node?.state ?? 'follower';
  }

  get closed(): Promise<void> {
    return this.#closed;
  }

  async open(stored: StoredMark | null): Promise<void> {
    if (stored === null) await this.#join();
    else this.#begin(stored);
  }

  /** Begins at the first record of the log, if the log begins with an empty store. */
  async #join(): Promise<void> {
    const identity = await findOrCreateLog(this.#stream, this.#options.replicas, {
      pause: (ms) => this.#pauses.pause(ms),
      isClosing: () => this.#isClosed,
      warned: (text) => this.#warn(text),
    });
    if (identity === null) return;
    this.#logId = identity.logId;
    if (identity.base === 'empty') this.#begin({ logId: identity.logId, mark: EMPTY_LOG });
    else setImmediate(() => this.#end('behind', 0));
  }

  /** A new log with the same name may have a record at the next position, or none: its id tells it at once. */
  async #checkLog(): Promise<void> {
    const look = await this.#stream.lookUp();
    const node = this.#node;
    if (node === null || look.type !== 'found') return;
    if (look.info.identity?.logId !== this.#logId) this.#end('other-log', node.mark.position);
  }

  #begin({ logId, mark }: StoredMark): void {
    this.#logId = logId;
    this.#marks = new StoreMarks(mark);
    this.#node = new LogNode({
      node: this.#options.node,
      logId,
      mark,
      tools: recordTools,
      nonce: () => randomBytes(NONCE_BYTES),
      limits: { ...NODE_LIMITS, takeoverMs: NODE_LIMITS.takeoverMs + randomInt(TAKEOVER_SPREAD_MS) },
    });
    this.#standing.setState(this.#node.state, mark.epoch);
    this.#standing.setApplied(mark.position);
    this.#upkeep = this.#startUpkeep();
    this.#source = this.#startSource();
    serveStatus(this.#stream, this.#options, () => ({
      state: this.state,
      position: this.#node?.mark.position ?? 0,
    }));
    // The caller gets the journal before the first event.
    setImmediate(() => this.#handle({ type: 'time.passed' }));
  }

  #startUpkeep(): LogUpkeep {
    const { cluster, node, members = [], upkeep = UPKEEP_LIMITS } = this.#options;
    return new LogUpkeep({
      stream: this.#stream,
      cluster,
      node,
      members,
      limits: upkeep,
      flushed: () => {
        this.#markIdle();
        return this.#marks.applied.position;
      },
      isOwner: () => this.#node?.canAnswer(steadyMs()) ?? false,
    });
  }

  #startSource(): StoreSource | null {
    const { cluster, node, stateDirectory = null } = this.#options;
    if (stateDirectory === null) return null;
    return new StoreSource({
      stream: this.#stream,
      cluster,
      node,
      logId: this.#logId,
      directory: stateDirectory,
      isOwner: () => this.state === 'owner',
      warned: (text) => this.#warn(text),
    });
  }

  /** An idle owner stores its mark as well, so that its next start finds the next record in a log that was trimmed. */
  #markIdle(): void {
    const mark = this.#node?.mark ?? EMPTY_LOG;
    const isIdle = this.state === 'owner' && this.#isSettled;
    if (!isIdle || !this.#marks.isFarAhead(mark)) return;
    this.#pass(mark);
    this.#events.apply([], mark.position);
  }

  submit({ sets }: JournalEntry, onAccepted: (acceptance: Acceptance) => void): void {
    if (this.#isClosed || isTerminal(this.state)) return;
    const timeMs = Date.now();
    const windows = sets.map((set) => commitWindowOf(set, timeMs));
    this.#entries++;
    this.#submitted.set(this.#entries, onAccepted);
    this.#handle({ type: 'entry.submitted', entry: this.#entries, windows });
  }

  appliedMark(position: number): AppliedMark {
    return appliedMarkRow({ logId: this.#logId, mark: this.#marks.markAt(position) });
  }

  applied(position: number): void {
    this.#marks.apply(position);
    this.#standing.setApplied(this.#marks.applied.position);
    // Heartbeats that were read meanwhile: reads wait for the last position of the owner.
    if (this.#node !== null) this.#shareUnchanged(this.#node);
  }

  async handOver(to: string | null, begun: (successor: string) => void = () => undefined): Promise<void> {
    const { cluster, node, members = [] } = this.#options;
    const refusal = (reason: string): Error => new Error(`cluster ${cluster} is not handed over: ${reason}`);
    if (this.#node?.state !== 'owner') throw refusal(`node ${node} does not own it`);
    if (to === node) throw refusal(`node ${node} owns it already`);
    const nodes = to === null ? members.filter((name) => name !== node) : [to];
    const found = await findSuccessor(this.#stream, cluster, nodes, this.#node.mark.position);
    if ('fault' in found) throw refusal(found.fault);
    if (this.#isClosed || !isOwning(this.state)) throw refusal(`node ${node} does not own it any more`);
    const successor = found.node;
    begun(successor);
    await new Promise<void>((resolve, reject) => {
      this.#leaving = { resolve, reject };
      this.#handle({ type: 'hand-over.requested', successor });
    });
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer.handle);
    this.#standing.setLease(-Infinity);
    this.#pauses.end();
    this.#upkeep?.close();
    this.#source?.close();
    this.#closed = this.#stream.close();
  }

  #handle(input: NodeInput): void {
    const node = this.#node;
    if (node === null || this.#isClosed) return;
    this.#effects.push(...node.handle(input, steadyMs()));
    if (this.#isPerforming) return;
    this.#isPerforming = true;
    for (let effect = this.#effects.shift(); effect !== undefined; effect = this.#effects.shift()) {
      if (effect.type !== 'apply') this.#passChanges();
      this.#perform(effect);
    }
    this.#passChanges();
    this.#isPerforming = false;
    this.#shareStanding(node);
    this.#shareUnchanged(node);
    this.#wakeLater(node);
  }

  #perform(effect: NodeEffect): void {
    switch (effect.type) {
      case 'append':
        void this.#append(effect.append, effect.position, effect.bytes);
        break;
      case 'read':
        void this.#read(effect.from);
        break;
      case 'apply':
        this.#gather(effect.windows, effect.mark);
        break;
      case 'accept':
        this.#accept(effect.entries, effect.mark);
        break;
      case 'state':
        if (this.#node !== null) this.#shareStanding(this.#node);
        this.#events.stateChanged(effect.state, effect.epoch);
        break;
      case 'end':
        this.#end(effect.reason, effect.position);
    }
  }

  async #append(append: number, position: number, bytes: Uint8Array): Promise<void> {
    // Before the record leaves: no other node can have read it earlier.
    this.#standing.setAppended(position);
    const result = await this.#stream.append(position, bytes);
    if (result.type === 'stored') {
      this.#stream.announce(result.position);
      this.#handle({ type: 'append.stored', append, position: result.position });
    } else this.#handle({ type: `append.${result.type}`, append });
  }

  async #read(from: number): Promise<void> {
    // Only a follower waits for records that do not exist yet.
    const read = await this.#stream.read(from, this.state === 'follower');
    this.#handle(read === null ? { type: 'tail.unreachable' } : { type: 'tail.read', ...read });
  }

  /** Entries of one record have the same position. */
  #accept(entries: readonly number[], mark: LogMark): void {
    this.#pass(mark);
    for (const entry of entries) {
      const onAccepted = this.#submitted.get(entry);
      this.#submitted.delete(entry);
      onAccepted?.({ position: mark.position, isDurable: true });
    }
  }

  /** Gathers the changes of consecutive records for one transaction. */
  #gather(windows: readonly CommitWindow[], mark: LogMark): void {
    this.#unpassed ??= { sets: [], mark };
    this.#unpassed.mark = mark;
    for (const { changes } of windows) this.#unpassed.sets.push(changes);
  }

  /** Passes gathered changes to the store. Records without changes need no transaction, unless there are many of them. */
  #passChanges(): void {
    const unpassed = this.#unpassed;
    if (unpassed === null) return;
    const { sets, mark } = unpassed;
    if (sets.length === 0 && !this.#marks.isFarAhead(mark)) return;
    this.#pass(mark);
    this.#events.apply(sets, mark.position);
  }

  #pass(mark: LogMark): void {
    this.#unpassed = null;
    this.#marks.pass(mark);
  }

  #end(reason: EndReason, position: number): void {
    if (this.#isClosed) return;
    const { cluster, node } = this.#options;
    const text = endText(reason, { cluster, node, logId: this.#logId, position });
    this.close();
    if (reason === 'handed-over') this.#leaving?.resolve();
    else this.#leaving?.reject(new Error(text));
    this.#events.ended(reason, text);
  }

  #shareStanding(node: LogNode): void {
    this.#standing.setLease(this.#isClosed ? -Infinity : node.leaseUntilMs);
    this.#standing.setState(node.state, node.epoch);
  }

  /** Records without changes need no transaction: they are applied when everything before them is. */
  #shareUnchanged(node: LogNode): void {
    if (this.#isSettled && !this.#isClosed) this.#standing.setApplied(node.mark.position);
  }

  #wakeLater(node: LogNode): void {
    const { dueMs } = node;
    if (this.#isClosed || !Number.isFinite(dueMs)) return;
    if (this.#timer !== null) {
      if (this.#timer.dueMs <= dueMs) return;
      clearTimeout(this.#timer.handle);
    }
    const handle = setTimeout(
      () => {
        this.#timer = null;
        this.#handle({ type: 'time.passed' });
      },
      Math.max(0, Math.ceil(dueMs - steadyMs())),
    );
    this.#timer = { handle, dueMs };
  }

  /** Everything that was submitted or passed is in the store. */
  get #isSettled(): boolean {
    return this.#submitted.size === 0 && this.#marks.isApplied;
  }

  #warn(text: string): void {
    this.#warnings.warn(text);
  }
}
