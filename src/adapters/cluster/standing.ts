/// <reference lib="es2024.sharedmemory" />

import { NODE_STATES, type NodeState } from '../../core/cluster/node-states.ts';

/** Memory of the standing of a node: created by the main thread, written by the store thread, read by all threads. */
export type StandingMemory = SharedArrayBuffer;

/** The standing of this node in its cluster. */
export interface Standing {
  readonly state: NodeState;
  /** Epoch of the last valid record that the node has read. */
  readonly epoch: number;
  /** Position of the last record that is applied: readers see its changes. */
  readonly applied: number;
  /** End of the lease of an owner, by `steadyMs`; -Infinity without a lease. */
  readonly leaseUntilMs: number;
  /** Position of the last record that this node has tried to append as owner; 0 if it has not. */
  readonly appended: number;
  /**
   * Time, by `steadyMs`, up to which this node certainly shows everything that any client has received; -Infinity before the
   * first check. The main thread writes it.
   */
  readonly currentAtMs: number;
}

const FIELDS = { state: 0, epoch: 1, applied: 2, leaseUntilMs: 3, appended: 4, currentAtMs: 5 } as const;

export const standingMemory = (): StandingMemory =>
  new SharedArrayBuffer(Object.keys(FIELDS).length * BigInt64Array.BYTES_PER_ELEMENT);

/** Milliseconds of the monotonic clock of the machine, the same in all threads. */
export const steadyMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** The standing of this node in memory that all threads share. Each field is written and read by itself. */
export class SharedStanding {
  readonly #cells: BigInt64Array;

  constructor(memory: StandingMemory) {
    this.#cells = new BigInt64Array(memory);
  }

  read(): Standing {
    return {
      state: NODE_STATES[this.#get('state')] ?? 'follower',
      epoch: this.#get('epoch'),
      applied: this.#get('applied'),
      leaseUntilMs: this.#time('leaseUntilMs'),
      appended: this.#get('appended'),
      currentAtMs: this.#time('currentAtMs'),
    };
  }

  /** Reports whether this node may send output now. */
  canAnswer(): boolean {
    const { state, leaseUntilMs } = this.read();
    return state === 'owner' && steadyMs() < leaseUntilMs;
  }

  setState(state: NodeState, epoch: number): void {
    this.#set('state', NODE_STATES.indexOf(state));
    this.#set('epoch', epoch);
  }

  /** Sets the position of the last applied record, and wakes the threads that wait for it. */
  setApplied(position: number): void {
    this.#set('applied', position);
    Atomics.notify(this.#cells, FIELDS.applied);
  }

  /** Must be called before the record leaves this node. A record that is sent again changes nothing. */
  setAppended(position: number): void {
    if (position > this.#get('appended')) this.#set('appended', position);
  }

  /** @param atMs - By `steadyMs`. */
  setCurrent(atMs: number): void {
    this.#set('currentAtMs', Math.floor(atMs * 1000));
  }

  /** Resolves with true when a position is applied, and with false if it is not within a time. */
  async untilApplied(position: number, timeoutMs: number): Promise<boolean> {
    const deadline = steadyMs() + timeoutMs;
    for (;;) {
      const applied = Atomics.load(this.#cells, FIELDS.applied);
      if (applied >= BigInt(position)) return true;
      const left = deadline - steadyMs();
      if (left <= 0) return false;
      await this.#changed(applied, left);
    }
  }

  /** @param untilMs - By `steadyMs`; -Infinity if the node has no lease. */
  setLease(untilMs: number): void {
    this.#set('leaseUntilMs', untilMs === -Infinity ? 0 : Math.floor(untilMs * 1000));
  }

  /** Resolves when the applied position may differ from `applied`, or after a time. */
  #changed(applied: bigint, timeoutMs: number): Promise<unknown> {
    const waited = Atomics.waitAsync(this.#cells, FIELDS.applied, applied, Math.ceil(timeoutMs));
    return Promise.resolve(waited.value);
  }

  /** Microseconds since the start of the clock; 0 stands for never. */
  #time(field: keyof typeof FIELDS): number {
    const micros = this.#get(field);
    return micros === 0 ? -Infinity : micros / 1000;
  }

  #get(field: keyof typeof FIELDS): number {
    return Number(Atomics.load(this.#cells, FIELDS[field]));
  }

  #set(field: keyof typeof FIELDS, value: number): void {
    Atomics.store(this.#cells, FIELDS[field], BigInt(value));
  }
}
