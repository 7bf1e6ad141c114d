import { NODE_TRANSITIONS, type NodeState } from '../../core/cluster/node-states.ts';

/** Memory of the standing of a node: created by the main thread, written by the store thread, read by all threads. */
export type StandingMemory = SharedArrayBuffer;

/** The standing of this node in its cluster. */
export interface Standing {
  readonly state: NodeState;
  /** Epoch of the last valid record that the node has read. */
  readonly epoch: number;
  /** Position of the last record that is applied: readers see its changes. */
  readonly applied: number;
  /** End of the lease of an owner, by `steadyMs`; -Infinity if it has none. */
  readonly leaseUntilMs: number;
}

const STATES = Object.keys(NODE_TRANSITIONS);
const FIELDS = { state: 0, epoch: 1, applied: 2, leaseUntilMs: 3 } as const;

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
    const leaseMicros = this.#get('leaseUntilMs');
    return {
      state: (STATES[this.#get('state')] ?? 'follower') as NodeState,
      epoch: this.#get('epoch'),
      applied: this.#get('applied'),
      leaseUntilMs: leaseMicros === 0 ? -Infinity : leaseMicros / 1000,
    };
  }

  /** Reports whether this node may send output now. */
  canAnswer(): boolean {
    const { state, leaseUntilMs } = this.read();
    return state === 'owner' && steadyMs() < leaseUntilMs;
  }

  setState(state: NodeState, epoch: number): void {
    this.#set('state', STATES.indexOf(state));
    this.#set('epoch', epoch);
  }

  setApplied(position: number): void {
    this.#set('applied', position);
  }

  /** @param untilMs - By `steadyMs`; -Infinity if the node has no lease. */
  setLease(untilMs: number): void {
    this.#set('leaseUntilMs', untilMs === -Infinity ? 0 : Math.floor(untilMs * 1000));
  }

  #get(field: keyof typeof FIELDS): number {
    return Number(Atomics.load(this.#cells, FIELDS[field]));
  }

  #set(field: keyof typeof FIELDS, value: number): void {
    Atomics.store(this.#cells, FIELDS[field], BigInt(value));
  }
}
