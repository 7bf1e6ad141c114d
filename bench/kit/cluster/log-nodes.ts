import { randomInt } from 'node:crypto';
import {
  openReplicatedJournal,
  type ReplicatedJournal,
} from '../../../src/adapters/cluster/replicated-journal.ts';
import { SharedStanding, standingMemory } from '../../../src/adapters/cluster/standing.ts';
import {
  encodeChangeSet,
  readChangeSet,
  type EncodedChangeSet,
} from '../../../src/adapters/lmdb/change-set-codec.ts';
import { parseServerList } from '../../../src/adapters/nats/server-address.ts';
import { put } from '../../../src/core/records/change-set.ts';

const CLUSTER = 'appends';

/** Resolves when a change set is accepted. */
export type Accepting = (set: EncodedChangeSet) => Promise<void>;

/** Returns a function that makes change sets of a size. They can be compressed as rows of tasks can: about nine times. */
export function changeSets(bytes: number): () => EncodedChangeSet {
  const row = (at: number): string =>
    `task ${at} succeeded on worker-${randomInt(1000)} after ${randomInt(1000)} s; exit code 0; attempt 1; `;
  const texts = Array.from({ length: 64 }, () => {
    let text = '';
    for (let at = 0; text.length < bytes; at++) text += row(at);
    return Buffer.from(text.slice(0, bytes));
  });
  let sequence = 0;
  return () => {
    sequence++;
    const value = texts[sequence % texts.length] ?? Buffer.alloc(0);
    const changes = [put('taskPage', `page ${sequence % 1000}`, value)];
    return readChangeSet(encodeChangeSet({ version: 1, shard: 0, sequence, changes }));
  };
}

interface Node {
  readonly journal: ReplicatedJournal;
  readonly standing: SharedStanding;
}

/** Three nodes of a cluster in this process, without stores. */
export class LogNodes {
  /** Milliseconds from the acceptance of an entry to the moment at which a follower has read it. */
  readonly lags: number[] = [];
  readonly #acceptedAt = new Map<number, number>();
  #nodes: readonly Node[] = [];
  #position = 0;

  /** Starts the nodes, and waits until one of them owns the log. */
  static async start(busUrl: string): Promise<LogNodes> {
    const nodes = new LogNodes();
    nodes.#nodes = await Promise.all(['n1', 'n2', 'n3'].map((name) => nodes.#open(name, busUrl)));
    while (nodes.#owner === undefined) await new Promise((resolve) => setTimeout(resolve, 50));
    return nodes;
  }

  /** Resolves when the entry is accepted. */
  submit(set: EncodedChangeSet): Promise<void> {
    const journal = this.#owner?.journal;
    if (journal === undefined) throw new Error('the log has no owner any more');
    return new Promise((resolve) => {
      journal.submit({ sets: [set], isAwaited: false }, ({ position }) => {
        this.#acceptedAt.set(position, performance.now());
        this.#position = position;
        journal.appliedMark(position);
        journal.applied(position);
        resolve();
      });
    });
  }

  /** Waits until the followers have read everything. */
  async settle(): Promise<void> {
    while (this.#nodes.some(({ standing }) => standing.read().applied < this.#position))
      await new Promise((resolve) => setTimeout(resolve, 10));
    this.#acceptedAt.clear();
  }

  async close(): Promise<void> {
    for (const { journal } of this.#nodes) journal.close();
    await Promise.all(this.#nodes.map(({ journal }) => journal.closed));
  }

  get #owner(): Node | undefined {
    return this.#nodes.find(({ standing }) => standing.canAnswer());
  }

  async #open(node: string, busUrl: string): Promise<Node> {
    const servers = parseServerList(busUrl);
    if (servers === null) throw new Error(`${busUrl} is not the URL of a bus`);
    const standing = standingMemory();
    const journal: ReplicatedJournal = await openReplicatedJournal(
      { servers, cluster: CLUSTER, node, replicas: 3, standing, storedMark: null, isEmptyStore: true },
      {
        apply: (_, position) => {
          this.#read(position);
          journal.applied(position);
        },
        stateChanged: () => undefined,
        ended: (_, text) => {
          throw new Error(text);
        },
        warned: (text) => process.stderr.write(`${text}\n`),
      },
    );
    return { journal, standing: new SharedStanding(standing) };
  }

  /** A follower has read all records up to a position. Those of one read are passed together. */
  #read(position: number): void {
    const acceptedAt = this.#acceptedAt.get(position);
    if (acceptedAt !== undefined) this.lags.push(performance.now() - acceptedAt);
  }
}
