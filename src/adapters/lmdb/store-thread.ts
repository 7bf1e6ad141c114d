import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import type { JobId } from '../../core/ids.ts';
import type { LargeRows } from '../../core/ports/large-jobs.ts';
import { EventLoopWatch } from '../system/event-loop-lag.ts';
import type { DiskState } from '../system/disk-watermark.ts';
import { readChangeSet, type EncodedChange, type EncodedChangeSet } from './change-set-codec.ts';
import { piecesOf } from './coming-jobs.ts';
import { ChangeTeller } from './change-teller.ts';
import { failStop } from './fail-stop.ts';
import { openStateWriter, type StateWriter } from './state-writer.ts';
import { StoreOpenError } from './store-format.ts';
import {
  STORE_PROTOCOL,
  type CommitRequest,
  type DurableNotice,
  type StoreCommand,
  type StoreNotice,
  type StoreThreadOptions,
} from './store-protocol.ts';
import type { StoreFailure } from './writer-environment.ts';

/**
 * The body of the store thread: the one writer of the state store. Each shard posts encoded change sets on a port of its own; all that
 * arrived by the end of a turn of the event loop becomes one flushed transaction, and what arrives while it is committed becomes the
 * next (group commit). A shard is told the sequence up to which its sets are on disk. Rows of large jobs are committed in pieces by themselves,
 * and what shards have sent meanwhile goes before the next piece.
 */

/** How often the disk is looked at and the event loop's lag is told. */
const CHECK_MS = 1_000;

/** A shard's port and what it sent since the last commit. */
interface Lane {
  readonly shard: number;
  readonly port: MessagePort;
  queued: EncodedChangeSet[];
  /** Sequence of the last set that arrived; null before the first, which begins the count. */
  lastSequence: number | null;
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
    failStop(failure, () => tell({ v: STORE_PROTOCOL, type: 'failed', failure }));
  const warn = (text: string): void => tell({ v: STORE_PROTOCOL, type: 'warning', text });
  let writer: StateWriter;
  try {
    writer = await openStateWriter({ ...options, endProcess: end, warn });
  } catch (error) {
    if (!(error instanceof StoreOpenError)) throw error;
    tell({ v: STORE_PROTOCOL, type: 'refused', reason: error.message });
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
  const lanes: Lane[] = [];
  const tellers: ChangeTeller[] = [];
  let arrived: EncodedChangeSet[] = [];
  let commitDue: NodeJS.Immediate | null = null;
  let disk: DiskState = writer.diskState();

  const accept = (lane: Lane, request: CommitRequest): void => {
    const set = decodeOrEnd(lane, request, end);
    lane.lastSequence = set.sequence;
    lane.queued.push(set);
    arrived.push(set);
    commitDue ??= setImmediate(commitArrived);
  };

  const commitArrived = (): void => {
    commitDue = null;
    const sets = arrived;
    arrived = [];
    if (sets.length === 0) return;
    for (const teller of tellers) teller.begins(sets);
    writer.apply(sets);
    for (const teller of tellers) teller.ended(sets);
    for (const lane of lanes) tellDurable(lane);
  };

  const pieces: Piece[] = [];
  const storeAhead = (job: JobId, rows: LargeRows): void => {
    const ofJob = piecesOf(job, rows);
    if (pieces.length === 0) setImmediate(commitPiece);
    for (const [at, changes] of ofJob.entries()) {
      pieces.push({ changes, endsRowsOf: at === ofJob.length - 1 ? job : null });
    }
  };

  const commitPiece = (): void => {
    // Leases that came during the last piece wait for no other.
    if (commitDue !== null) clearImmediate(commitDue);
    commitArrived();
    const piece = pieces.shift();
    if (piece === undefined) return;
    writer.apply([piece]);
    if (pieces.length > 0) setImmediate(commitPiece);
    if (piece.endsRowsOf !== null) tell({ v: STORE_PROTOCOL, type: 'stored-ahead', job: piece.endsRowsOf });
  };

  const checkDisk = (): void => {
    const now = writer.diskState();
    if (now === disk) return;
    disk = now;
    tell({ v: STORE_PROTOCOL, type: 'disk', disk });
  };
  const watch = new EventLoopWatch();
  const diskCheck = setInterval(() => {
    checkDisk();
    tell({ v: STORE_PROTOCOL, type: 'measured', lag: watch.read() });
  }, CHECK_MS);

  const attach = (shard: number, port: MessagePort): void => {
    const lane: Lane = { shard, port, queued: [], lastSequence: null };
    lanes.push(lane);
    port.on('message', (request: CommitRequest) => accept(lane, request));
  };

  const stop = async (): Promise<void> => {
    clearInterval(diskCheck);
    // Whoever waits for them is not answered any more; the next start removes what is stored of them.
    pieces.length = 0;
    for (const lane of lanes) drain(lane.port, (request) => accept(lane, request));
    if (commitDue !== null) clearImmediate(commitDue);
    commitArrived();
    for (const { port } of lanes) port.close();
    for (const teller of tellers) teller.close();
    await writer.close();
    tell({ v: STORE_PROTOCOL, type: 'stopped' });
    control.close();
  };

  control.on('message', (command: StoreCommand) => {
    if (command.v !== STORE_PROTOCOL) {
      end({ kind: 'broken-protocol', detail: `a store command of version ${String(command.v)}` });
    }
    switch (command.type) {
      case 'attach':
        attach(command.shard, command.port);
        return;
      case 'watch':
        tellers.push(new ChangeTeller(command.port, command.memory));
        return;
      case 'store-ahead':
        storeAhead(command.job, command.rows);
        return;
      case 'remove-coming':
        writer.removeComing(command.job);
        return;
      case 'stop':
        void stop();
    }
  });
  tell({ v: STORE_PROTOCOL, type: 'ready', storeId: writer.storeId, disk });
}

/** The set of a request. A set of another shard, or out of its turn, is an error of the program: it ends the process. */
function decodeOrEnd(
  lane: Lane,
  request: CommitRequest,
  end: (failure: StoreFailure) => never,
): EncodedChangeSet {
  const broken = (detail: string): never =>
    end({ kind: 'broken-protocol', detail: `shard ${lane.shard} sent ${detail}` });
  if (request.v !== STORE_PROTOCOL) return broken(`a request of version ${String(request.v)}`);
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

function tellDurable(lane: Lane): void {
  const last = lane.queued.at(-1);
  if (last === undefined) return;
  lane.queued = [];
  const notice: DurableNotice = { v: STORE_PROTOCOL, type: 'durable', sequence: last.sequence };
  lane.port.postMessage(notice);
}

/** Handles what waits in a port now. */
function drain(port: MessagePort, handle: (request: CommitRequest) => void): void {
  for (;;) {
    const received: { message: CommitRequest } | undefined = receiveMessageOnPort(port);
    if (received === undefined) return;
    handle(received.message);
  }
}
