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
 * Maximum time that durable sets wait to become readable if no reader waits, and the maximum share of time spent on it.
 */
const READ_AFTER_MS = 10;
const READING_SHARE = 0.2;

type CommitRequest = Extract<ShardRequest, { readonly type: 'commit' }>;

/** A shard's port, and the sequences up to which its sets have arrived, are durable and are readable. */
interface ShardConnection {
  readonly shard: number;
  readonly port: MessagePort;
  /** Sequence of the latest set; null before the first, which starts the sequence. */
  lastSequence: number | null;
  ackedDurable: number | null;
  ackedReadable: number | null;
}

/** Rows that are committed separately. */
interface Piece {
  readonly changes: readonly EncodedChange[];
  /** The job whose last piece it is; null for other pieces. */
  readonly endsRowsOf: JobId | null;
}

/** Runs until the control port requests `stop`. If the store cannot be opened, reports it there and ends the thread. */
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
    for (const publisher of publishers) publisher.markDurable();
    arrived = [];
    for (const lane of lanes) ackDurable(lane);
    readDue ??= setTimeout(applyJournal, readAfterMs);
  };

  /** Applies the appended and the arrived sets to the tables. */
  const applyJournal = (): void => {
    if (readDue !== null) clearTimeout(readDue);
    readDue = null;
    isReadAwaited = false;
    const sets = [...writer.appended, ...arrived];
    if (sets.length > 0) {
      const begunAt = performance.now();
      for (const publisher of publishers) publisher.beforeApply(sets);
      writer.apply(arrived);
      for (const publisher of publishers) publisher.afterApply();
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
    // Leases that arrived during the last piece do not wait for another one.
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
    // Requests for them are no longer answered; the next start removes their stored rows.
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
        // Sets must be reported as durable before they are reported as readable.
        applyJournal();
        publishers.push(new ChangePublisher(command.port, command.memory, requestApply));
        return;
      case 'store-provisional-job':
        storeProvisionalJob(command.job, command.rows);
        return;
      case 'discard-provisional-job':
        // The creation of the job may be on disk, but not in the tables yet.
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

/** Handles all messages that wait in a port. */
function drain(port: MessagePort, handle: (request: ShardRequest) => void): void {
  for (;;) {
    const received: { message: ShardRequest } | undefined = receiveMessageOnPort(port);
    if (received === undefined) return;
    handle(received.message);
  }
}

/** Start options of the store thread. */
export interface StoreThreadOptions {
  readonly directory: string;
  readonly softwareVersion: string;
  readonly disk: DiskLimits;
  /** Size of the journal's file; default JOURNAL_BYTES. */
  readonly journalBytes?: number;
}
