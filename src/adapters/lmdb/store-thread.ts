import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import type { JobId } from '../../core/ids.ts';
import type { LargeRows } from '../../core/ports/large-jobs.ts';
import type { TableName } from '../../core/records/tables.ts';
import { EventLoopWatch } from '../system/event-loop-lag.ts';
import type { DiskState } from '../system/disk-watermark.ts';
import { readChangeSet, type EncodedChange, type EncodedChangeSet } from './change-set-codec.ts';
import { piecesOf } from './provisional-jobs.ts';
import { ChangePublisher } from './change-publisher.ts';
import { failStop, type StoreFailure } from './fail-stop.ts';
import { openStateWriter, type StateWriter } from './state-writer.ts';
import { StoreOpenError } from './store-format.ts';
import {
  STORE_PROTOCOL_VERSION,
  type CommitNotice,
  type ShardRequest,
  type StoreCommand,
  type StoreNotice,
} from './store-protocol.ts';
import type { DiskLimits } from './writer-environment.ts';

/**
 * The body of the store thread: the one writer of the state store. Each shard posts encoded change sets on a port of its own; all that
 * arrived by the end of a turn of the event loop is written to the journal as one, and what arrives meanwhile is the next (group commit). Some
 * milliseconds later, or at once when somebody waits to read them, the sets become one flushed transaction of the tables (docs/decisions/journal.md). A
 * shard is told the sequences up to which its sets are on disk and can be read. Rows of large jobs are committed in pieces by themselves, and what shards
 * have sent meanwhile goes before the next piece.
 */

/** How often the disk is looked at and the event loop's lag is told. */
const CHECK_MS = 1_000;

/** How long sets are on disk, at the most, before they can be read when nobody waits for it; and what share of the time that may take. */
const READ_AFTER_MS = 10;
const READING_SHARE = 0.2;

type CommitRequest = Extract<ShardRequest, { readonly type: 'commit' }>;

/** A shard's port, and up to where its sets have arrived, are on disk and can be read. */
interface ShardConnection {
  readonly shard: number;
  readonly port: MessagePort;
  /** Sequence of the last set that arrived; null before the first, which begins the count. */
  lastSequence: number | null;
  ackedDurable: number | null;
  ackedReadable: number | null;
}

/** Rows that are to be committed by themselves. */
interface Piece {
  readonly changes: readonly EncodedChange[];
  /** The job whose last piece it is; null of others. */
  readonly endsRowsOf: JobId | null;
}

/** Runs until `stop` is asked for on the control port. A store that cannot be opened is told there, and the thread ends. */
export async function runStoreThread(control: MessagePort, options: StoreThreadOptions): Promise<void> {
  const tell = (notice: StoreNotice): void => control.postMessage(notice);
  const end = (failure: StoreFailure): never =>
    failStop(failure, () => tell({ v: STORE_PROTOCOL_VERSION, type: 'failed', failure }));
  const warn = (text: string): void => tell({ v: STORE_PROTOCOL_VERSION, type: 'warning', text });
  let writer: StateWriter;
  try {
    writer = await openStateWriter({ ...options, endProcess: end, warn });
  } catch (error) {
    if (!(error instanceof StoreOpenError)) throw error;
    tell({ v: STORE_PROTOCOL_VERSION, type: 'refused', reason: error.message });
    control.close();
    return;
  }
  serve(control, writer, tell, end);
}

function serve(
  control: MessagePort,
  writer: StateWriter,
  tell: (notice: StoreNotice) => void,
  end: (failure: StoreFailure) => never,
): void {
  const lanes: ShardConnection[] = [];
  const publishers: ChangePublisher[] = [];
  let arrived: EncodedChangeSet[] = [];
  let commitDue: NodeJS.Immediate | null = null;
  let readDue: NodeJS.Timeout | null = null;
  let readAfterMs = READ_AFTER_MS;
  let isReadAwaited = false;
  let disk: DiskState = writer.diskState();

  const accept = (lane: ShardConnection, request: CommitRequest): void => {
    const set = decodeOrEnd(lane, request, end);
    lane.lastSequence = set.sequence;
    arrived.push(set);
    if (request.isAwaited || mustBeReadFirst(set)) isReadAwaited = true;
    commitDue ??= setImmediate(commitArrived);
  };

  const requestApply = (): void => {
    isReadAwaited = true;
    commitDue ??= setImmediate(commitArrived);
  };

  const commitArrived = (): void => {
    commitDue = null;
    if (isReadAwaited) {
      applyJournal();
      return;
    }
    if (arrived.length === 0) return;
    if (!writer.append(arrived)) {
      applyJournal();
      return;
    }
    for (const publisher of publishers) publisher.markDurable(arrived.length);
    arrived = [];
    for (const lane of lanes) ackDurable(lane);
    readDue ??= setTimeout(applyJournal, readAfterMs);
  };

  /** Brings what was appended and what has arrived into the tables. */
  const applyJournal = (): void => {
    if (readDue !== null) clearTimeout(readDue);
    readDue = null;
    isReadAwaited = false;
    const sets = [...writer.appended, ...arrived];
    if (sets.length > 0) {
      const begunAt = performance.now();
      for (const publisher of publishers) publisher.beforeApply(sets);
      writer.apply(arrived);
      for (const publisher of publishers) {
        publisher.markDurable(arrived.length);
        publisher.afterApply(sets);
      }
      arrived = [];
      for (const lane of lanes) ackReadable(lane);
      readAfterMs = Math.max(READ_AFTER_MS, (performance.now() - begunAt) / READING_SHARE);
    }
    for (const publisher of publishers) publisher.notifyReadable();
  };

  const pieces: Piece[] = [];
  const storeProvisionalJob = (job: JobId, rows: LargeRows): void => {
    const ofJob = piecesOf(job, rows);
    if (pieces.length === 0) setImmediate(commitPiece);
    for (const [at, changes] of ofJob.entries()) {
      pieces.push({ changes, endsRowsOf: at === ofJob.length - 1 ? job : null });
    }
  };

  const commitPiece = (): void => {
    // Leases that came during the last piece wait for no other.
    if (commitDue !== null) clearImmediate(commitDue);
    commitDue = null;
    applyJournal();
    const piece = pieces.shift();
    if (piece === undefined) return;
    writer.apply([piece]);
    if (pieces.length > 0) setImmediate(commitPiece);
    if (piece.endsRowsOf !== null)
      tell({ v: STORE_PROTOCOL_VERSION, type: 'provisional-job-stored', job: piece.endsRowsOf });
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
    const lane: ShardConnection = {
      shard,
      port,
      lastSequence: null,
      ackedDurable: null,
      ackedReadable: null,
    };
    lanes.push(lane);
    port.on('message', (request: ShardRequest) => hear(lane, request));
  };

  const hear = (lane: ShardConnection, request: ShardRequest): void => {
    if (request.type === 'request-apply') requestApply();
    else accept(lane, request);
  };

  const stop = async (): Promise<void> => {
    clearInterval(diskCheck);
    // Whoever waits for them is not answered any more; the next start removes what is stored of them.
    pieces.length = 0;
    for (const lane of lanes) drain(lane.port, (request) => hear(lane, request));
    if (commitDue !== null) clearImmediate(commitDue);
    applyJournal();
    for (const { port } of lanes) port.close();
    for (const publisher of publishers) publisher.close();
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
        // What is told to be readable must have been told to be on disk.
        applyJournal();
        publishers.push(new ChangePublisher(command.port, command.memory, requestApply));
        return;
      case 'store-provisional-job':
        storeProvisionalJob(command.job, command.rows);
        return;
      case 'discard-provisional-job':
        // What is on disk and not in the tables may be that the job has come.
        applyJournal();
        writer.discardProvisionalJob(command.job);
        return;
      case 'stop':
        void stop();
    }
  });
  tell({ v: STORE_PROTOCOL_VERSION, type: 'ready', storeId: writer.storeId, disk });
}

/**
 * Threads that hear workers look into the tables for the job or the worker that is spoken of, and take what they do not find for gone: both can be read
 * before a worker is told of them.
 */
const READ_FIRST: ReadonlySet<TableName> = new Set<TableName>(['activeJob', 'workerOrdinal']);

const mustBeReadFirst = ({ changes }: EncodedChangeSet): boolean =>
  changes.some(({ op, table }) => op === 'put' && READ_FIRST.has(table));

/** The set of a request. A set of another shard, or out of its turn, is an error of the program: it ends the process. */
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

function ackDurable(lane: ShardConnection): void {
  if (lane.lastSequence === null || lane.ackedDurable === lane.lastSequence) return;
  lane.ackedDurable = lane.lastSequence;
  tellLane(lane, 'durable', lane.lastSequence);
}

function ackReadable(lane: ShardConnection): void {
  if (lane.lastSequence === null || lane.ackedReadable === lane.lastSequence) return;
  lane.ackedDurable = lane.lastSequence;
  lane.ackedReadable = lane.lastSequence;
  tellLane(lane, 'readable', lane.lastSequence);
}

function tellLane(lane: ShardConnection, type: CommitNotice['type'], sequence: number): void {
  const notice: CommitNotice = { v: STORE_PROTOCOL_VERSION, type, sequence };
  lane.port.postMessage(notice);
}

/** Handles what waits in a port now. */
function drain(port: MessagePort, handle: (request: ShardRequest) => void): void {
  for (;;) {
    const received: { message: ShardRequest } | undefined = receiveMessageOnPort(port);
    if (received === undefined) return;
    handle(received.message);
  }
}

/** What the store thread is started with. */
export interface StoreThreadOptions {
  readonly directory: string;
  readonly softwareVersion: string;
  readonly disk: DiskLimits;
  /** Size of the journal's file; JOURNAL_BYTES without it. */
  readonly journalBytes?: number;
}
