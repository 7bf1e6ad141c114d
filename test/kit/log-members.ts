import { randomBytes } from 'node:crypto';
import {
  openReplicatedJournal,
  type ReplicatedJournal,
  type ReplicatedJournalOptions,
} from '../../src/adapters/cluster/replicated-journal.ts';
import { SharedStanding, standingMemory } from '../../src/adapters/cluster/standing.ts';
import { decodeChangeSet, encodeChangeSet } from '../../src/adapters/lmdb/change-set-codec.ts';
import type { ServerList } from '../../src/adapters/nats/server-address.ts';
import type { EndReason } from '../../src/core/cluster/node-messages.ts';
import type { NodeState } from '../../src/core/cluster/node-states.ts';
import { put, remove, type ChangeSet } from '../../src/core/records/change-set.ts';
import { until } from './until.ts';

export const CLUSTER = 'farm';

/** Rows and mark of a store, written in one step like a transaction. */
interface Stored {
  readonly rows: Map<string, string>;
  mark: string | null;
}

/** A node of a cluster with a store in memory that outlives its journal. */
export class LogMember {
  readonly name: string;
  readonly states: NodeState[] = [];
  readonly warnings: string[] = [];
  /** Numbers of the entries that were accepted, in order. */
  readonly accepted: number[] = [];
  ended: { readonly reason: EndReason; readonly text: string } | null = null;
  readonly #stored: Stored;
  #journal: ReplicatedJournal | null = null;
  #standing = new SharedStanding(standingMemory());
  #sequence = 0;

  constructor(name: string, stored: Stored = { rows: new Map(), mark: null }) {
    this.name = name;
    this.#stored = stored;
  }

  /** Opens the journal of a node. */
  static async open(
    name: string,
    servers: ServerList,
    stored?: Stored,
    over: Partial<ReplicatedJournalOptions> = {},
  ): Promise<LogMember> {
    const member = new LogMember(name, stored);
    await member.#open(servers, over);
    return member;
  }

  get stored(): Stored {
    return this.#stored;
  }

  get standing(): SharedStanding {
    return this.#standing;
  }

  get journal(): ReplicatedJournal {
    if (this.#journal === null) throw new Error(`the journal of ${this.name} is not open`);
    return this.#journal;
  }

  get position(): number {
    return this.#standing.read().applied;
  }

  /** The rows as text, to compare stores. */
  get fold(): string {
    return JSON.stringify([...this.#stored.rows].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Submits rows as one entry. Returns its number. */
  write(rows: Readonly<Record<string, Uint8Array | null>>): number {
    this.#sequence++;
    const sequence = this.#sequence;
    const changes = Object.entries(rows).map(([key, value]) =>
      value === null ? remove('taskPage', key) : put('taskPage', key, value),
    );
    const set: ChangeSet = { version: 1, shard: 0, sequence, changes };
    const encoded = encodeChangeSet(set);
    this.journal.submit({ sets: [{ encoded }], isAwaited: false }, ({ position }) => {
      this.accepted.push(sequence);
      this.#apply([new Uint8Array(encoded)], position);
    });
    return sequence;
  }

  until(what: string, condition: () => boolean): Promise<boolean> {
    return until(`${this.name}: ${what}`, condition);
  }

  isOwner(): boolean {
    return this.#standing.canAnswer();
  }

  async close(): Promise<void> {
    this.#journal?.close();
    await this.#journal?.closed;
  }

  async #open(servers: ServerList, over: Partial<ReplicatedJournalOptions>): Promise<void> {
    const standing = standingMemory();
    this.#standing = new SharedStanding(standing);
    const { mark, rows } = this.#stored;
    this.#journal = await openReplicatedJournal(
      {
        servers,
        cluster: CLUSTER,
        node: this.name,
        replicas: 3,
        standing,
        storedMark: mark,
        isEmptyStore: rows.size === 0,
        ...over,
      },
      {
        apply: (sets, position) => this.#apply(sets, position),
        stateChanged: (state) => this.states.push(state),
        ended: (reason, text) => {
          this.ended = { reason, text };
        },
        warned: (text) => this.warnings.push(text),
      },
    );
  }

  #apply(sets: readonly Uint8Array[], position: number): void {
    for (const bytes of sets) {
      const { changes } = decodeChangeSet(Uint8Array.from(bytes).buffer);
      for (const change of changes) {
        if (change.op === 'put') this.#stored.rows.set(change.key, textOf(change.value));
        else if (change.op === 'remove') this.#stored.rows.delete(change.key);
      }
    }
    this.#stored.mark = this.journal.appliedMark(position)?.value ?? null;
    this.journal.applied(position);
  }
}

const textOf = (value: unknown): string =>
  value instanceof Uint8Array ? Buffer.from(value).toString('base64') : '';

/** Bytes that cannot be compressed. */
export const noise = (bytes: number): Uint8Array => Uint8Array.from(randomBytes(bytes));

/** Resolves with the member that is the owner. */
export const ownerOf = (members: readonly LogMember[]): Promise<LogMember> =>
  until('one node is the owner', () => members.find((member) => member.isOwner()) ?? null);
