import {
  EMPTY_LOG,
  NONCE_BYTES,
  type CommitWindow,
  type LogMark,
} from '../../../src/core/cluster/log-record.ts';
import { LogNode } from '../../../src/core/cluster/log-node.ts';
import type { NodeEffect, NodeInput } from '../../../src/core/cluster/node-messages.ts';
import { NODE_LIMITS } from '../../../src/core/cluster/node-options.ts';
import { isOwning } from '../../../src/core/cluster/node-states.ts';
import { encodeCauses } from '../../../src/core/cluster/sections.ts';
import type { Random } from '../random.ts';
import { Violation } from '../violation.ts';
import type { EventLoop } from './event-loop.ts';
import type { LogModel } from './log-model.ts';
import { modelTools } from './model-tools.ts';
import { EMPTY_FOLD, foldWindow, type Fold, type Oracle } from './oracle.ts';
import { ProcessModel } from './process-model.ts';

const LOG_ID = '0198c0de-0000-7000-8000-000000000026';
/** An append or a read without a result by then has none. */
const RESULT_MS = 1000;
const DECISION_MS = 180;
const PRESENCE_MS = 250;
/** Small records, so that many bodies have parts. */
const RECORD_BYTES = 320;
const GROUP_BYTES = 100;
const LONG_SHARE = 0.15;
const LONG_BYTES = 700;
const SPREAD_MS = 400;
/** The supervisor of a process starts it again after this time. */
const RESTART_MS = [100, 1500] as const;
/** Share of commits after which the store is flushed. */
const FLUSH_SHARE = 0.1;
/** Clocks of services run this much faster or slower. */
const RATE_SPREAD = 0.02;

interface Stored {
  readonly fold: Fold;
  readonly mark: LogMark;
}

const EMPTY_STORE: Stored = { fold: EMPTY_FOLD, mark: EMPTY_LOG };

export interface ServiceParts {
  readonly loop: EventLoop;
  readonly log: LogModel;
  readonly random: Random;
  readonly oracle: Oracle;
  readonly note: (...parts: readonly (string | number)[]) => void;
}

/** A service: its node of the log, its store, and decisions that it makes while it owns the log. */
export class ServiceModel {
  readonly id: number;
  readonly name: string;
  readonly process = new ProcessModel();
  readonly #parts: ServiceParts;
  readonly #rate: number;
  readonly #inFlight: number;
  #node: LogNode;
  #store = EMPTY_STORE;
  /** The store after a loss of power. */
  #flushed = EMPTY_STORE;
  /** Number of the last decision in memory. */
  #decided = 0;
  #entries = 0;
  #submitted = new Map<number, readonly CommitWindow[]>();
  #wakeMs = Infinity;
  /** Faults that ended the node, without fencing. */
  readonly failures: string[] = [];

  constructor(id: number, parts: ServiceParts) {
    this.id = id;
    this.name = `service ${id}`;
    this.#parts = parts;
    this.#inFlight = parts.random.between(1, NODE_LIMITS.inFlight);
    this.#rate = 1 + RATE_SPREAD * (2 * parts.random.next() - 1);
    this.#node = this.#newNode();
    this.#begin();
    this.#decideLater();
    this.#answerLater();
  }

  get store(): Stored {
    return this.#store;
  }

  get isOwner(): boolean {
    return this.process.isRunning && this.#node.canAnswer(this.#clockMs);
  }

  /** Hands the log over, if this service owns it. */
  handOver(successor: string): void {
    if (this.process.isRunning && isOwning(this.#node.state))
      this.#handle({ type: 'hand-over.requested', successor });
  }

  kill(hasPower: boolean): void {
    this.process.kill();
    if (!hasPower) this.#store = this.#flushed;
  }

  start(): void {
    if (this.process.isUp) return;
    this.process.start();
    this.#node = this.#newNode();
    this.#submitted = new Map();
    this.#begin();
  }

  get #clockMs(): number {
    return this.#parts.loop.nowMs * this.#rate;
  }

  #newNode(): LogNode {
    const { random } = this.#parts;
    return new LogNode({
      node: this.name,
      logId: LOG_ID,
      mark: this.#store.mark,
      tools: modelTools,
      nonce: () => Uint8Array.from({ length: NONCE_BYTES }, () => random.between(0, 255)),
      limits: {
        ...NODE_LIMITS,
        takeoverMs: NODE_LIMITS.takeoverMs + random.between(0, SPREAD_MS),
        recordBytes: RECORD_BYTES,
        groupBytes: GROUP_BYTES,
        inFlight: this.#inFlight,
      },
    });
  }

  #begin(): void {
    this.#wakeMs = Infinity;
    this.#handle({ type: 'time.passed' });
  }

  #handle(input: NodeInput): void {
    for (const effect of this.#node.handle(input, this.#clockMs)) this.#perform(effect);
    if (this.process.isUp) this.#wakeLater();
  }

  #perform(effect: NodeEffect): void {
    const { log, note } = this.#parts;
    switch (effect.type) {
      case 'append':
        this.#append(effect);
        break;
      case 'read':
        this.#request<NodeInput>(
          (onResult) =>
            log.read(this.id, effect.from, (result) => onResult({ type: 'tail.read', ...result })),
          { type: 'tail.unreachable' },
        );
        break;
      case 'apply':
        this.#apply(effect.windows, effect.mark);
        break;
      case 'accept':
        this.#apply(
          effect.entries.flatMap((entry) => this.#submitted.get(entry) ?? []),
          effect.mark,
        );
        for (const entry of effect.entries) this.#submitted.delete(entry);
        this.#parts.oracle.checkOutput(this.name, effect.mark, this.#node.epoch);
        note(this.name, 'sends output for', effect.mark.position);
        break;
      case 'state':
        note(this.name, 'is', effect.state, 'in epoch', effect.epoch);
        // The first state after the takeover: the actors start from the store.
        if (effect.state === 'candidate') this.#decided = this.#store.fold.decisions;
        break;
      case 'end':
        note(this.name, 'ends:', effect.reason, 'at', effect.position);
        this.kill(true);
        if (effect.reason === 'fenced' || effect.reason === 'handed-over') this.#restartLater();
        else this.failures.push(effect.reason);
    }
  }

  #append({ append, position, bytes }: Extract<NodeEffect, { type: 'append' }>): void {
    this.#request<NodeInput>(
      (onResult) =>
        this.#parts.log.append(this.id, {
          position,
          bytes,
          onResult: (stored) =>
            onResult(
              stored === null
                ? { type: 'append.refused', append }
                : { type: 'append.stored', append, position: stored },
            ),
        }),
      { type: 'append.unanswered', append },
    );
  }

  /** Sends a request. The first of its result and the end of the time reaches the process that sent it. */
  #request<Result extends NodeInput>(send: (onResult: (result: Result) => void) => void, late: Result): void {
    const { incarnation } = this.process;
    let isDone = false;
    const finish = (result: Result): void =>
      this.process.deliverTo(incarnation, () => {
        if (isDone) return;
        isDone = true;
        this.#handle(result);
      });
    send(finish);
    this.#parts.loop.after(RESULT_MS, () => finish(late));
  }

  #apply(windows: readonly CommitWindow[], mark: LogMark): void {
    this.#store = { fold: windows.reduce(foldWindow, this.#store.fold), mark };
    this.#parts.oracle.checkStore(this.name, this.#store.fold, mark);
    if (this.#parts.random.chance(FLUSH_SHARE)) this.#flushed = this.#store;
  }

  #wakeLater(): void {
    const { loop } = this.#parts;
    const dueMs = Math.max(this.#node.dueMs / this.#rate, loop.nowMs);
    if (!Number.isFinite(dueMs) || dueMs >= this.#wakeMs) return;
    this.#wakeMs = dueMs;
    const { incarnation } = this.process;
    // A millisecond later, because the clocks of services have fractions.
    loop.after(dueMs - loop.nowMs + 1, () =>
      this.process.deliverTo(incarnation, () => {
        this.#wakeMs = Infinity;
        this.#handle({ type: 'time.passed' });
      }),
    );
  }

  #restartLater(): void {
    const { loop, random } = this.#parts;
    loop.after(random.between(...RESTART_MS), () => this.start());
  }

  #decideLater(): void {
    const { loop, random } = this.#parts;
    loop.after(1 + random.around(DECISION_MS), () => {
      if (this.process.isRunning && isOwning(this.#node.state)) this.#decide();
      this.#decideLater();
    });
  }

  #decide(): void {
    const { random, loop } = this.#parts;
    const windows = Array.from({ length: random.between(1, 2) }, (): CommitWindow => {
      this.#decided++;
      return {
        timeMs: loop.nowMs,
        shard: this.id,
        number: this.#decided,
        causes: encodeCauses(
          [{ kind: 'decision', id: String(this.#decided), requestId: '', principal: this.name }],
          modelTools,
        ),
        changes: changesOf(random, this.name),
      };
    });
    this.#entries++;
    this.#submitted.set(this.#entries, windows);
    this.#handle({ type: 'entry.submitted', entry: this.#entries, windows });
  }

  /** Replies that write nothing, such as those to heartbeats of workers. */
  #answerLater(): void {
    const { loop, random, oracle } = this.#parts;
    loop.after(1 + random.around(PRESENCE_MS), () => {
      if (this.isOwner) oracle.checkEpoch(this.name, this.#node.epoch);
      this.#answerLater();
    });
  }
}

function changesOf(random: Random, name: string): Uint8Array {
  const length = random.chance(LONG_SHARE) ? LONG_BYTES : 1;
  const digits = Array.from({ length }, () => random.between(0, 9)).join('');
  return modelTools.encodeText(`${name} ${digits}`);
}

/** Ends the simulation if a node refused a log without a fault. */
export function checkFailures(services: readonly ServiceModel[], expected: readonly string[]): void {
  for (const { name, failures } of services) {
    const failure = failures.find((reason) => !expected.includes(reason));
    if (failure !== undefined) throw new Violation('a sound log is read', `${name}: ${failure}`);
  }
}
