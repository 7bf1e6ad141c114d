import { EMPTY_LOG, NONCE_BYTES, type LogMark } from '../../../src/core/cluster/log-record.ts';
import { LogNode } from '../../../src/core/cluster/log-node.ts';
import type { NodeEffect, NodeInput } from '../../../src/core/cluster/node-messages.ts';
import { NODE_LIMITS, type NodeLimits } from '../../../src/core/cluster/node-options.ts';
import { LOG_ID, windowOf, type TestRecord, textTools } from './records.ts';

export type Append = Extract<NodeEffect, { type: 'append' }>;

const READ_MS = 200;

/** A node with inputs by hand: what it appends reaches `log` only if the test stores it. */
export class NodeBench {
  readonly node: LogNode;
  nowMs = 10_000;
  /** Records that reads return. */
  readonly log: Uint8Array[];
  effects: NodeEffect[] = [];
  #nonces = 0;

  constructor(log: readonly TestRecord[], mark: LogMark = EMPTY_LOG, limits: Partial<NodeLimits> = {}) {
    this.log = log.map(({ bytes }) => bytes);
    this.node = new LogNode({
      node: 'node a',
      logId: LOG_ID,
      mark,
      tools: textTools,
      nonce: () => new Uint8Array(NONCE_BYTES).fill(++this.#nonces),
      limits: { ...NODE_LIMITS, ...limits },
    });
  }

  /** Gives an input, and returns its effects. */
  give(input: NodeInput, afterMs = 0): readonly NodeEffect[] {
    this.nowMs += afterMs;
    const effects = this.node.handle(input, this.nowMs);
    this.effects.push(...effects);
    return effects;
  }

  wait(ms: number): readonly NodeEffect[] {
    return this.give({ type: 'time.passed' }, ms);
  }

  /** Answers the read that the node waits for. */
  read(afterMs = 0, isFromLeader = true): readonly NodeEffect[] {
    const from = this.effects.findLast((effect) => effect.type === 'read')?.from;
    if (from === undefined) throw new Error('the node does not read');
    const records = this.log.slice(from - 1).map((bytes, at) => ({ position: from + at, bytes }));
    return this.give({ type: 'tail.read', records, first: 1, last: this.log.length, isFromLeader }, afterMs);
  }

  /** Reads until the node has appended an epoch record, which it returns. */
  becomeCandidate(): Append {
    this.wait(0);
    for (let at = 0; at < 20; at++) {
      const [append] = appendsOf(this.read(READ_MS));
      if (append !== undefined) return append;
    }
    throw new Error('the node does not take over');
  }

  becomeOwner(): void {
    this.store(this.becomeCandidate());
  }

  submit(entry: number, text?: string): readonly NodeEffect[] {
    return this.give({ type: 'entry.submitted', entry, windows: [windowOf(entry, text)] });
  }

  /** Puts a record into the log, without a result for the node. */
  keep({ position, bytes }: Append): void {
    if (position !== this.log.length + 1) throw new Error(`position ${position} is not the next one`);
    this.log.push(bytes);
  }

  /** Puts a record into the log, and acknowledges it. */
  store(append: Append, afterMs = 0): readonly NodeEffect[] {
    this.keep(append);
    return this.acknowledge(append, afterMs);
  }

  acknowledge({ append, position }: Append, afterMs = 0): readonly NodeEffect[] {
    return this.give({ type: 'append.stored', append, position }, afterMs);
  }

  refuse({ append }: Append): readonly NodeEffect[] {
    return this.give({ type: 'append.refused', append });
  }

  get canAnswer(): boolean {
    return this.node.canAnswer(this.nowMs);
  }
}

export const appendsOf = (effects: readonly NodeEffect[]): readonly Append[] =>
  effects.filter((effect) => effect.type === 'append');

export function firstAppend(effects: readonly NodeEffect[]): Append {
  const [append] = appendsOf(effects);
  if (append === undefined) throw new Error('nothing was appended');
  return append;
}

export const acceptedIn = (effects: readonly NodeEffect[]): readonly number[] =>
  effects.flatMap((effect) => (effect.type === 'accept' ? effect.entries : []));

export const endOf = (effects: readonly NodeEffect[]): string | undefined =>
  effects.find((effect) => effect.type === 'end')?.reason;
