import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import type { JobId } from '../../core/ids.ts';
import type { LargeRows } from '../../core/ports/large-jobs.ts';
import type { TableName } from '../../core/records/tables.ts';
import type { StandingMemory } from '../cluster/standing.ts';
import { reasonOf, withDeadline } from '../nats/connection.ts';
import type { ServerList } from '../nats/server-address.ts';
import { EventLoopWatch } from '../system/event-loop-lag.ts';
import type { DiskState } from '../system/disk-watermark.ts';
import type { NodeState } from '../../core/cluster/node-states.ts';
import { readChangeSet, type EncodedChangeSet } from './change-set-codec.ts';
import { piecesOf } from './provisional-jobs.ts';
import { ChangePublisher } from './change-publisher.ts';
import { CommitPipeline, type CommitAcks } from './commit-pipeline.ts';
import { failStop, type StoreFailure } from './fail-stop.ts';
import type { JournaledStore } from './local-journal.ts';
import { StoreOpenError } from './store-format.ts';
import {
  STORE_PROTOCOL_VERSION,
  type CommitNotice,
  type ShardRequest,
  type StoreCommand,
  type StoreNotice,
} from './store-protocol.ts';
import { TouchedJobsPublisher, type TouchedJobs } from './touched-jobs.ts';
import type { DiskLimits, WriterOptions } from './writer-environment.ts';

/**
 * Implementation of the store thread, the single writer of the state store.
 *
 * - Input: each shard sends encoded change sets on its own port.
 * - Durable: all sets that arrived by the end of a turn of the event loop are written to the journal as one group;
 *   later ones form the next (group commit).
 * - Readable: some milliseconds later, or immediately if a reader waits, the sets become one flushed transaction of the
 *   tables (docs/decisions/journal.md).
 *
 * A shard receives the sequences up to which its sets are durable and readable. Rows of large jobs are committed in
 * separate pieces; sets that arrive meanwhile take precedence over the next piece.
 *
 * Exits: `stop` commits queued sets and closes the store; a failed write ends the process.
 */

/** Interval of checking the disk and reporting the event loop lag. */
const CHECK_MS = 1_000;

/**
 * Time that a node of a cluster waits at its stop for the outcome of its last entries. Without a quorum they get none, and
 * nothing of them was sent.
 */
const OUTCOME_WAIT_MS = 5_000;
/** Time in which an owner hands over at its stop. Without it, another node takes over by itself two seconds later. */
const LEAVE_MS = 3_000;

/** Receives what the journal of a cluster reads. */
export interface ClusterHooks {
  /** Changes of another process, in the order of the journal. */
  readonly foreignChanges: (sets: readonly EncodedChangeSet[], position: number) => void;
  /** Called with the first state, and after each change. */
  readonly standingChanged: (state: NodeState, epoch: number, logId: string) => void;
}

/**
 * Opens the tables and the journal. A journal of a cluster calls the hooks, but not before the promise is resolved.
 * Throws `StoreOpenError`.
 */
export type OpenStore = (options: WriterOptions, hooks: ClusterHooks) => Promise<JournaledStore>;

type CommitRequest = Extract<ShardRequest, { readonly type: 'commit' }>;

/** A shard's port, and the sequence of its latest set; null before the first, which starts the sequence. */
interface ShardConnection {
  readonly shard: number;
  readonly port: MessagePort;
  lastSequence: number | null;
}

/** Runs until the control port requests `stop`. If the store cannot be opened, reports it there and ends the thread. */
export async function runStoreThread(
  control: MessagePort,
  options: StoreThreadOptions,
  openStore: OpenStore,
): Promise<void> {
  const tell = (notice: StoreNotice): void => control.postMessage(notice);
  const end = (failure: StoreFailure): never =>
    failStop(failure, () => tell({ v: STORE_PROTOCOL_VERSION, type: 'failed', failure }));
  const warn = (text: string): void => tell({ v: STORE_PROTOCOL_VERSION, type: 'warning', text });
  let served: Served | null = null;
  const hooks: ClusterHooks = {
    foreignChanges: (sets, position) => served?.pipeline.addForeign(sets, position),
    standingChanged: (state, epoch, logId) => {
      served?.pipeline.applyForeign();
      if (state === 'owner') {
        served?.endJobWatches();
        // Only the owner may write: a follower gets the removal of the rows by the journal.
        served?.pipeline.discardProvisionalJobs();
      }
      tell({ v: STORE_PROTOCOL_VERSION, type: 'standing', state, epoch, logId });
    },
  };
  let store: JournaledStore;
  try {
    store = await openStore({ ...options, endProcess: end, warn }, hooks);
  } catch (error) {
    if (!(error instanceof StoreOpenError)) throw error;
    tell({ v: STORE_PROTOCOL_VERSION, type: 'refused', reason: error.message });
    control.close();
    return;
  }
  served = serve(control, store, tell, end);
}

interface Served {
  /** The path of the changes. */
  readonly pipeline: CommitPipeline;
  /** Posts the last notices about touched jobs. From now on no thread may watch them. */
  readonly endJobWatches: () => void;
}

/** Starts to handle requests. */
function serve(
  control: MessagePort,
  { writer, journal, isShared, handOver, leave }: JournaledStore,
  tell: (notice: StoreNotice) => void,
  end: (failure: StoreFailure) => never,
): Served {
  const lanes = new Map<number, ShardConnection>();
  const publishers: (ChangePublisher | TouchedJobsPublisher)[] = [];
  let mayWatchJobs = true;
  const acks: CommitAcks = {
    durable: (shard, sequence) => tellLane(lanes.get(shard), 'durable', sequence),
    readable: (shard, sequence) => tellLane(lanes.get(shard), 'readable', sequence),
  };
  const pipeline = new CommitPipeline({ writer, journal, publishers, acks });
  if (!isShared) pipeline.discardProvisionalJobs();
  let disk: DiskState = writer.diskState();

  const accept = (lane: ShardConnection, request: CommitRequest): void => {
    const set = decodeOrEnd(lane, request, end);
    lane.lastSequence = set.sequence;
    pipeline.add(
      request.causes === null ? set : { ...set, causes: request.causes },
      request.isAwaited || mustBeReadFirst(set),
    );
  };

  const storeProvisionalJob = (job: JobId, rows: LargeRows): void => {
    const pieces = piecesOf(job, rows);
    const stored = (): void => tell({ v: STORE_PROTOCOL_VERSION, type: 'provisional-job-stored', job });
    for (const [at, changes] of pieces.entries())
      pipeline.addPiece(changes, at === pieces.length - 1 ? stored : () => undefined);
  };

  const checkDisk = (): void => {
    const now = writer.diskState();
    if (now === disk) return;
    disk = now;
    tell({ v: STORE_PROTOCOL_VERSION, type: 'disk', disk });
  };
  const watch = new EventLoopWatch();
  const diskCheck = setInterval(() => {
    checkDisk();
    tell({ v: STORE_PROTOCOL_VERSION, type: 'measured', lag: watch.read() });
  }, CHECK_MS);

  const attach = (shard: number, port: MessagePort): void => {
    const lane: ShardConnection = { shard, port, lastSequence: null };
    lanes.set(shard, lane);
    port.on('message', (request: ShardRequest) => hear(lane, request));
  };

  const hear = (lane: ShardConnection, request: ShardRequest): void => {
    if (request.type === 'request-apply') pipeline.requestApply();
    else accept(lane, request);
  };

  const giveUp = async (to: string | null): Promise<void> => {
    try {
      if (handOver === null) throw new Error('this service is a single node');
      await handOver(to, (successor) => tell({ v: STORE_PROTOCOL_VERSION, type: 'handing-over', successor }));
    } catch (error) {
      tell({ v: STORE_PROTOCOL_VERSION, type: 'hand-over-refused', reason: reasonOf(error) });
    }
  };

  /** The first notice says that the subscriber gets all later changes. */
  const watchJobs = (port: MessagePort): void => {
    if (!mayWatchJobs) {
      port.close();
      return;
    }
    publishers.push(new TouchedJobsPublisher(port));
    port.postMessage({ v: STORE_PROTOCOL_VERSION, jobs: [], isEveryJob: true } satisfies TouchedJobs);
  };

  const endJobWatches = (): void => {
    mayWatchJobs = false;
    for (const [at, publisher] of [...publishers.entries()].reverse()) {
      if (!(publisher instanceof TouchedJobsPublisher)) continue;
      publisher.close();
      publishers.splice(at, 1);
    }
  };

  const stop = async (): Promise<void> => {
    clearInterval(diskCheck);
    for (const lane of lanes.values()) drain(lane.port, (request) => hear(lane, request));
    // Requests to store further rows are no longer answered; the next start removes the rows stored so far.
    await (isShared ? withDeadline(pipeline.stop(), OUTCOME_WAIT_MS) : pipeline.stop());
    if (leave !== null) await withDeadline(leave(), LEAVE_MS);
    for (const { port } of lanes.values()) port.close();
    for (const publisher of publishers) publisher.close();
    journal.close();
    await writer.close();
    tell({ v: STORE_PROTOCOL_VERSION, type: 'stopped' });
    control.close();
  };

  control.on('message', (command: StoreCommand) => {
    if (command.v !== STORE_PROTOCOL_VERSION) {
      end({ kind: 'broken-protocol', detail: `a store command of version ${String(command.v)}` });
    }
    switch (command.type) {
      case 'attach':
        attach(command.shard, command.port);
        return;
      case 'watch':
        // Sets must be reported as durable before they are reported as readable.
        pipeline.applyAccepted();
        publishers.push(new ChangePublisher(command.port, command.memory, () => pipeline.requestRead()));
        return;
      case 'watch-jobs':
        watchJobs(command.port);
        return;
      case 'store-provisional-job':
        storeProvisionalJob(command.job, command.rows);
        return;
      case 'discard-provisional-job':
        pipeline.discardProvisionalJob(command.job);
        return;
      case 'hand-over':
        void giveUp(command.to);
        return;
      case 'stop':
        void stop();
    }
  });
  tell({ v: STORE_PROTOCOL_VERSION, type: 'ready', storeId: writer.storeId, disk });
  return { pipeline, endJobWatches };
}

/**
 * Tables whose rows must be readable before a commit is acknowledged: threads that receive worker messages look up the
 * job and the worker in them, and treat missing ones as deleted.
 */
const READ_FIRST: ReadonlySet<TableName> = new Set<TableName>(['activeJob', 'workerOrdinal']);

const mustBeReadFirst = ({ changes }: EncodedChangeSet): boolean =>
  changes.some(({ op, table }) => op === 'put' && READ_FIRST.has(table));

/**
 * Decodes the set of a request. A set of another shard, or out of sequence, is a bug of the program: it ends the
 * process.
 */
function decodeOrEnd(
  lane: ShardConnection,
  request: CommitRequest,
  end: (failure: StoreFailure) => never,
): EncodedChangeSet {
  const broken = (detail: string): never =>
    end({ kind: 'broken-protocol', detail: `shard ${lane.shard} sent ${detail}` });
  if (request.v !== STORE_PROTOCOL_VERSION) return broken(`a request of version ${String(request.v)}`);
  const set = readOrEnd(request.set, broken);
  if (set.shard !== lane.shard) return broken(`a change set of shard ${set.shard}`);
  if (lane.lastSequence !== null && set.sequence !== lane.lastSequence + 1) {
    return broken(`change set ${set.sequence} after ${lane.lastSequence}`);
  }
  return set;
}

function readOrEnd(bytes: ArrayBuffer, broken: (detail: string) => never): EncodedChangeSet {
  try {
    return readChangeSet(bytes);
  } catch (error) {
    return broken(error instanceof Error ? error.message : String(error));
  }
}

function tellLane(lane: ShardConnection | undefined, type: CommitNotice['type'], sequence: number): void {
  const notice: CommitNotice = { v: STORE_PROTOCOL_VERSION, type, sequence };
  lane?.port.postMessage(notice);
}

/** Handles all messages that wait in a port. */
function drain(port: MessagePort, handle: (request: ShardRequest) => void): void {
  for (;;) {
    const received: { message: ShardRequest } | undefined = receiveMessageOnPort(port);
    if (received === undefined) return;
    handle(received.message);
  }
}

/** How the store thread of a node reaches the log of its cluster. */
export interface ClusterStoreOptions {
  readonly cluster: string;
  readonly node: string;
  /** Names of all nodes. */
  readonly members: readonly string[];
  /** Access to the streams. */
  readonly servers: ServerList;
  /** Copies of the log if this node creates it. */
  readonly replicas: number;
  readonly standing: StandingMemory;
}

/** Start options of the store thread. */
export interface StoreThreadOptions {
  readonly directory: string;
  readonly softwareVersion: string;
  readonly disk: DiskLimits;
  /** Size of the file of a journal of a single node; default JOURNAL_BYTES. */
  readonly journalBytes?: number;
  /** The cluster of the node; null or absent for a single node. */
  readonly cluster?: ClusterStoreOptions | null;
}
