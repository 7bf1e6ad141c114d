import type { RecordTools } from '../ports/record-tools.ts';
import { AppendWindow, type Settled, type Slot } from './append-window.ts';
import { equalBytes, uuidBytes } from './bytes.ts';
import { EntryQueue } from './entry-queue.ts';
import { LogChain } from './log-chain.ts';
import type { CommitWindow, LogMark, RecordKind } from './log-record.ts';
import { LogFollower } from './log-follower.ts';
import type { EndReason, NodeEffect, NodeInput, StoredRecord } from './node-messages.ts';
import { NODE_LIMITS, type LogNodeOptions, type NodeLimits } from './node-options.ts';
import { isOwning, isTerminal, nextState, type NodeEvent, type NodeState } from './node-states.ts';
import { splitBody, type RecordBody } from './record-bodies.ts';
import { FIRST_FORMAT } from './record-formats.ts';
import { encodeRecord } from './record-codec.ts';
import { encodeOwner, encodeSuccessor, encodeWindows, readSuccessor } from './sections.ts';

type Input<T extends NodeInput['type']> = Extract<NodeInput, { type: T }>;

/** Returns a body that is neither compressed nor split. */
const wholeBody = (kind: RecordKind, body: Uint8Array): RecordBody => ({
  format: FIRST_FORMAT,
  kind,
  part: 0,
  isCompressed: false,
  bodyLength: body.length,
  body,
});

const HEARTBEAT = wholeBody('heartbeat', new Uint8Array());

/** Reasons other than a log that cannot be read. */
const END_EVENTS: Readonly<Partial<Record<EndReason, NodeEvent>>> = {
  fenced: 'superseded',
  'handed-over': 'handed-over',
};

/**
 * A node of the replicated log: follows it, takes it over, appends to it (docs/decisions/replicated-log.md). States:
 * node-states.ts. Invariants:
 *
 * - Records in flight follow each other and the last valid record without a gap.
 * - An entry is accepted when its records are in the log and the lease is current. The lease is counted from the first
 *   send of the record that was acknowledged last.
 * - A hand-over record follows all entries of its owner, which sends no output from then on.
 * - A node that owns an epoch reads only to find the end of the log (`isSearching`), and appends nothing new meanwhile.
 */
export class LogNode {
  readonly #node: string;
  readonly #logId: Uint8Array;
  readonly #tools: RecordTools;
  readonly #nonce: () => Uint8Array;
  readonly #limits: NodeLimits;
  readonly #chain: LogChain;
  readonly #follower: LogFollower;
  readonly #window = new AppendWindow();
  readonly #queue: EntryQueue;
  #state: NodeState = 'follower';
  #effects: NodeEffect[] = [];
  #nowMs = 0;
  /** First send of the record that was acknowledged last. */
  #leaseFromMs = -Infinity;
  #lastSentMs = -Infinity;
  #appends = 0;
  /** Entries and epoch records of this node in the log that wait for a lease. */
  #stored: { readonly entries: readonly number[]; readonly mark: LogMark }[] = [];
  #isReading = false;
  #isSearching = false;
  #readAllowedMs = -Infinity;
  #shorterSinceMs: number | null = null;
  /** The node to which this owner is to hand the log over. */
  #successor: string | null = null;
  /** Whether the last valid record hands the log over to this node. */
  #isNamed = false;

  constructor({ node, logId, mark, tools, nonce, limits = NODE_LIMITS }: LogNodeOptions) {
    if (limits.takeoverMs <= limits.leaseMs)
      throw new RangeError(
        `a takeover after ${limits.takeoverMs} ms is within a lease of ${limits.leaseMs} ms`,
      );
    this.#node = node;
    this.#logId = uuidBytes(logId);
    this.#tools = tools;
    this.#nonce = nonce;
    this.#limits = limits;
    this.#chain = new LogChain(this.#logId, mark, tools);
    this.#follower = new LogFollower(tools, limits);
    this.#queue = new EntryQueue((windows) => this.#bodiesOf(windows), limits.groupBytes);
  }

  get state(): NodeState {
    return this.#state;
  }

  /** Epoch of the last valid record. */
  get epoch(): number {
    return this.#chain.mark.epoch;
  }

  /** The last valid record that the node has read, or has appended with success. */
  get mark(): LogMark {
    return this.#chain.mark;
  }

  /** Until when the node may send output, by the clock of its inputs; -Infinity if it may not. */
  get leaseUntilMs(): number {
    return this.#state === 'owner' ? this.#leaseFromMs + this.#limits.leaseMs : -Infinity;
  }

  /** Whether the node may send output now. */
  canAnswer(nowMs: number): boolean {
    return this.#state === 'owner' && this.#hasLease(this.#leaseFromMs, nowMs);
  }

  /** When the node must get `time.passed`; Infinity if it waits for results only. */
  get dueMs(): number {
    if (isTerminal(this.#state)) return Infinity;
    const { heartbeatMs, leaseMs } = this.#limits;
    const dues = [this.#mustRead() ? this.#readAllowedMs : Infinity];
    if (this.#state === 'owner') dues.push(this.#leaseFromMs + leaseMs);
    if (this.#state === 'owner' && this.#isIdle()) dues.push(this.#lastSentMs + heartbeatMs);
    return Math.min(...dues);
  }

  /** Handles an input. `nowMs` is monotonic time: it never decreases. */
  handle(input: NodeInput, nowMs: number): readonly NodeEffect[] {
    if (isTerminal(this.#state)) return [];
    this.#effects = [];
    this.#nowMs = nowMs;
    if (this.#state === 'owner' && !this.canAnswer(nowMs)) {
      this.#transit('lease-expired');
      this.#isSearching = true;
    }
    this.#take(input);
    if (!isTerminal(this.#state)) this.#continue();
    return this.#effects;
  }

  #take(input: NodeInput): void {
    switch (input.type) {
      case 'entry.submitted':
        this.#onSubmitted(input);
        break;
      case 'hand-over.requested':
        if (!isOwning(this.#state)) throw new RangeError(`a ${this.#state} cannot hand the log over`);
        this.#successor = input.successor;
        break;
      case 'append.stored':
        this.#onStored(input);
        break;
      case 'append.refused':
      case 'append.unanswered':
        if (this.#window.takeResult(input.append) !== null) this.#isSearching = true;
        break;
      case 'tail.read':
        this.#onRead(input);
        break;
      case 'tail.unreachable':
        this.#isReading = false;
        this.#readAllowedMs = this.#nowMs + this.#limits.rereadMs;
        break;
      case 'time.passed':
    }
  }

  #onSubmitted({ entry, windows }: Input<'entry.submitted'>): void {
    if (!isOwning(this.#state)) throw new RangeError(`entry ${entry} was submitted to a ${this.#state}`);
    // The process ends. What it still decides is lost, as in a crash.
    if (this.#successor === null) this.#queue.add(entry, windows);
  }

  #bodiesOf(windows: readonly CommitWindow[]): readonly RecordBody[] {
    const format = Math.max(FIRST_FORMAT, ...windows.map(({ changes }) => this.#tools.formatOf(changes)));
    return splitBody(encodeWindows(windows), format, this.#tools, this.#limits.recordBytes);
  }

  #onStored({ append, position }: Input<'append.stored'>): void {
    const expected = this.#window.takeResult(append);
    if (expected === null) return;
    if (position !== expected) {
      this.#end('broken-chain');
      return;
    }
    this.#window.stored(position, true);
    this.#settle();
  }

  #onRead({ records, first, last, isFromLeader }: Input<'tail.read'>): void {
    this.#isReading = false;
    // An owner reads only to find the end of the log: the results of its appends are more recent.
    if (this.#state !== 'follower' && !this.#isSearching) return;
    if (first > this.#chain.position + 1) {
      this.#end('behind');
      return;
    }
    if (last < this.#chain.position) {
      this.#onShorter(isFromLeader);
      return;
    }
    this.#shorterSinceMs = null;
    const from = this.#chain.position;
    for (const record of records) if (!this.#readRecord(record)) return;
    const isEnd = this.#chain.position >= last;
    if (this.#state !== 'follower') {
      if (isEnd) this.#onEndFound();
      return;
    }
    this.#follower.onRead(this.#nowMs, this.#chain.position > from || !isEnd);
    if (this.#isNamed && isEnd) this.#transit('named');
    else if (this.#follower.isOwnerSilent(this.#nowMs)) this.#transit('owner-silent');
    else return;
    this.#isNamed = false;
    this.#beginEpoch();
  }

  /** The copy of the log is an old one, unless it is that of the leader, and this lasts. */
  #onShorter(isFromLeader: boolean): void {
    this.#readAllowedMs = this.#nowMs + this.#limits.rereadMs;
    if (!isFromLeader) return;
    this.#shorterSinceMs ??= this.#nowMs;
    if (this.#nowMs - this.#shorterSinceMs >= this.#limits.shorterMs) this.#end('log-shorter');
  }

  /** Returns whether the node can read the next record. */
  #readRecord({ position, bytes }: StoredRecord): boolean {
    if (position <= this.#chain.position) return true;
    if (position > this.#chain.position + 1) return this.#end('broken-chain');
    const step = this.#chain.read(bytes);
    if (step.kind === 'fault') return this.#end(step.fault);
    const slot = this.#window.slots.find((each) => each.position === position);
    const isOwn =
      step.kind === 'valid' && slot !== undefined && equalBytes(slot.record.digest, step.record.digest);
    if (isOwn) {
      this.#window.stored(position, false);
      this.#settle();
      return !isTerminal(this.#state);
    }
    if (this.#state === 'candidate') {
      this.#window.clear();
      this.#isSearching = false;
      this.#transit('overtaken');
    }
    if (step.kind === 'void') return true;
    if (isOwning(this.#state)) return this.#end('fenced');
    this.#isNamed =
      step.record.kind === 'hand-over' && readSuccessor(step.record.body, this.#tools) === this.#node;
    const applied = this.#follower.take(step.record, this.#chain.mark);
    if (applied === 'damaged') return this.#end('damaged');
    if (applied !== null) this.#effects.push({ type: 'apply', ...applied });
    return true;
  }

  /** Everything in the log has been read: sends again what is missing, or begins an epoch after void records. */
  #onEndFound(): void {
    this.#isSearching = false;
    const next = this.#window.slots[0]?.position ?? this.#chain.mark.position + 1;
    if (this.#chain.position < next) {
      for (const slot of this.#window.slots) if (!this.#window.isStored(slot)) this.#send(slot);
      return;
    }
    this.#transit(this.#state === 'renewing' ? 'overtaken' : 'displaced');
    this.#beginEpoch();
  }

  /** Forgets the records in flight, which can never become valid, and begins an epoch after the end of the log. */
  #beginEpoch(): void {
    this.#window.clear();
    this.#queue.restart();
    const body = encodeOwner({ node: this.#node, nonce: this.#nonce() }, this.#tools);
    this.#append(wholeBody('epoch', body), [], this.#chain.mark.epoch + 1);
  }

  #settle(): void {
    for (const settled of this.#window.settle()) this.#onSettled(settled);
  }

  #onSettled({ slot, isAcknowledged }: Settled): void {
    const { position, epoch, entries, record, kind } = slot;
    if (this.#chain.position < position) this.#chain.extend(position, epoch, record);
    const leaseFromMs = isAcknowledged ? slot.sentMs : -Infinity;
    this.#leaseFromMs = Math.max(this.#leaseFromMs, leaseFromMs);
    const hasLease = this.#hasLease(leaseFromMs, this.#nowMs);
    if (kind === 'hand-over') {
      this.#end('handed-over');
      return;
    }
    if (kind === 'epoch') {
      this.#transit(hasLease ? 'acknowledged' : 'epoch-stored');
    } else if (this.#state === 'suspended' && hasLease) this.#transit('acknowledged');
    this.#queue.completed(entries.length);
    if (entries.length > 0 || kind === 'epoch')
      this.#stored.push({ entries, mark: { position, epoch, digest: record.digest } });
  }

  /** Does what has become possible or due. */
  #continue(): void {
    if (this.#state === 'owner' || this.#state === 'suspended') {
      if (this.canAnswer(this.#nowMs)) this.#acceptStored();
      if (!this.#isSearching) this.#appendNext();
    }
    if (!this.#mustRead() || this.#nowMs < this.#readAllowedMs) return;
    this.#isReading = true;
    if (this.#isSearching) this.#readAllowedMs = this.#nowMs + this.#limits.rereadMs;
    this.#effects.push({ type: 'read', from: this.#chain.position + 1 });
  }

  #acceptStored(): void {
    for (const { entries, mark } of this.#stored) {
      if (entries.length === 0) this.#effects.push({ type: 'apply', windows: [], mark });
      else this.#effects.push({ type: 'accept', entries, mark });
    }
    this.#stored = [];
  }

  #appendNext(): void {
    while (this.#window.size < this.#limits.inFlight) {
      const next = this.#queue.takeNext();
      if (next === undefined) break;
      this.#append(next.body, next.entries, this.#chain.mark.epoch);
    }
    if (this.#isIdle() && this.#state === 'owner' && this.#successor !== null) {
      this.#transit('handing-over');
      const body = encodeSuccessor(this.#successor, this.#tools);
      this.#append(wholeBody('hand-over', body), [], this.#chain.mark.epoch);
      return;
    }
    const isDue = this.#state === 'suspended' || this.#nowMs - this.#lastSentMs >= this.#limits.heartbeatMs;
    if (this.#isIdle() && isDue) this.#append(HEARTBEAT, [], this.#chain.mark.epoch);
  }

  #append(body: RecordBody, entries: readonly number[], epoch: number): void {
    const previous = this.#window.mark ?? this.#chain.mark;
    const position = (this.#window.mark ?? this.#chain).position + 1;
    const record = encodeRecord({ ...body, logId: this.#logId, epoch, position, previous }, this.#tools);
    const slot: Slot = { position, epoch, kind: body.kind, entries, record, sentMs: this.#nowMs };
    this.#window.add(slot);
    this.#send(slot);
  }

  #send(slot: Slot): void {
    this.#appends++;
    this.#lastSentMs = this.#nowMs;
    this.#window.sent(this.#appends, slot);
    const { position, record } = slot;
    this.#effects.push({ type: 'append', append: this.#appends, position, bytes: record.bytes });
  }

  #isIdle(): boolean {
    return this.#window.size === 0 && this.#queue.isPlaced && !this.#isSearching;
  }

  #mustRead(): boolean {
    return !this.#isReading && (this.#state === 'follower' || this.#isSearching);
  }

  #hasLease(fromMs: number, nowMs: number): boolean {
    return nowMs - fromMs < this.#limits.leaseMs;
  }

  #transit(event: NodeEvent): void {
    this.#state = nextState(this.#state, event);
    this.#effects.push({ type: 'state', state: this.#state, epoch: this.#chain.mark.epoch });
  }

  /** Ends the node. Returns false. */
  #end(reason: EndReason): false {
    this.#transit(END_EVENTS[reason] ?? 'unreadable');
    this.#effects.push({ type: 'end', reason, position: this.#chain.position });
    return false;
  }
}
