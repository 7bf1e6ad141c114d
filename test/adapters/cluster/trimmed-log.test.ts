import { join } from 'node:path';
import tap, { test, type Test } from 'tap';
import { prepareStore } from '../../../src/adapters/cluster/prepare-store.ts';
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
import { openStateReader } from '../../../src/adapters/lmdb/state-reader.ts';
import { openStateWriter, type StateWriter } from '../../../src/adapters/lmdb/state-writer.ts';
import { CLUSTER_MARK_KEY } from '../../../src/adapters/lmdb/store-format.ts';
import { clusterNames } from '../../../src/adapters/nats/log/cluster-names.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { clusterFault, LogCluster } from '../../kit/log-cluster.ts';
import { CLUSTER } from '../../kit/log-members.ts';
import { until } from '../../kit/until.ts';
import { writerOptions } from '../lmdb/store-kit.ts';

tap.setTimeout(300_000);

const skip = (await clusterFault()) ?? false;
const { stream } = clusterNames(CLUSTER);

/** Keeps no record that all present members have flushed. */
const EAGER = {
  intervalMs: 50,
  trim: { keepMs: 0, keepBytes: 0, absentMs: 2000, recordsMin: 5 },
  moveMs: 1000,
};

/** A node with a state store on disk. */
class StoreMember {
  readonly #memory = standingMemory();
  readonly standing = new SharedStanding(this.#memory);
  ended = '';
  #writer: StateWriter | null = null;
  #journal: ReplicatedJournal | null = null;
  #sequence = 0;

  async open(t: Test, cluster: LogCluster, name: string, directory: string): Promise<void> {
    const writer = await openStateWriter(writerOptions(directory));
    this.#writer = writer;
    const apply = (sets: readonly EncodedChangeSet[], position: number): void => {
      writer.apply(sets, { mark: this.#journal?.appliedMark(position) ?? null });
      this.#journal?.applied(position);
    };
    this.#apply = apply;
    this.#journal = await openReplicatedJournal(
      {
        servers: cluster.servers(),
        cluster: CLUSTER,
        node: name,
        replicas: 3,
        standing: this.#memory,
        storedMark: writer.appliedMark(CLUSTER_MARK_KEY),
        isEmptyStore: writer.isEmpty(),
        stateDirectory: directory,
        upkeep: EAGER,
      },
      {
        apply: (sets, position) =>
          apply(
            sets.map((set) => readChangeSet(Uint8Array.from(set).buffer)),
            position,
          ),
        stateChanged: () => undefined,
        ended: (reason) => {
          this.ended = reason;
        },
        warned: () => undefined,
      },
    );
    t.teardown(() => this.close());
  }

  #apply: (sets: readonly EncodedChangeSet[], position: number) => void = () => undefined;

  async write(key: string): Promise<number> {
    this.#sequence++;
    const encoded = encodeChangeSet({
      version: 1,
      shard: 0,
      sequence: this.#sequence,
      changes: [put('taskPage', key, Buffer.from(key))],
    });
    const position = await new Promise<number>((resolve) => {
      this.#journal?.submit({ sets: [{ encoded }], isAwaited: false }, (acceptance) => {
        this.#apply([readChangeSet(encoded)], acceptance.position);
        resolve(acceptance.position);
      });
    });
    return position;
  }

  async has(position: number): Promise<void> {
    await until(`record ${position} is applied`, () => this.standing.read().applied >= position);
  }

  async close(): Promise<void> {
    this.#journal?.close();
    await this.#journal?.closed;
    await this.#writer?.close();
    this.#writer = null;
  }
}

async function rowsOf(directory: string): Promise<readonly string[]> {
  const reader = await openStateReader(directory);
  const rows = [...reader.scan('taskPage')].map(({ key }) => key);
  await reader.close();
  return rows;
}

test('the log is trimmed, and a node behind it gets a copy of a store', { skip }, async (t) => {
  const cluster = await LogCluster.start();
  t.teardown(() => cluster.stop());
  const folder = t.testdir();
  const directories = ['a', 'b', 'late'].map((name) => join(folder, name)) as [string, string, string];
  const [a, b, late] = [new StoreMember(), new StoreMember(), new StoreMember()];
  await a.open(t, cluster, 'a', directories[0]);
  await b.open(t, cluster, 'b', directories[1]);
  const owner = await until(
    'a node owns the log',
    () => [a, b].find(({ standing }) => standing.canAnswer()) ?? null,
  );
  for (let at = 0; at < 20; at++) await owner.write(`row ${at}`);
  const trimmed = await until('the log is trimmed', async () => {
    const { state } = await cluster.info(stream);
    return state.first_seq > 5 && state;
  });
  t.ok(trimmed.last_seq >= trimmed.first_seq, 'the last records are kept');

  const warnings: string[] = [];
  const options = {
    servers: cluster.servers(),
    cluster: CLUSTER,
    node: 'late',
    directory: directories[2],
    warned: (text: string) => warnings.push(text),
  };
  await late.open(t, cluster, 'late', directories[2]);
  await until('it is behind', () => late.ended === 'behind');
  await late.close();
  const fetched = await prepareStore(options).done;
  t.match(fetched, { from: owner === a ? 'b' : 'a' }, 'a follower sends its store, not the owner');
  t.same(warnings, []);
  t.equal(await prepareStore(options).done, null, 'the next start needs no copy');
  await late.open(t, cluster, 'late', directories[2]);
  await late.has(await owner.write('last'));
  t.same(await rowsOf(directories[2]), await rowsOf(directories[owner === a ? 0 : 1]));
});
