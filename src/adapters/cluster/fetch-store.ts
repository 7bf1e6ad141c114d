import { createHash } from 'node:crypto';
import { renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { storeForCluster } from '../lmdb/cluster-mark.ts';
import { dataFileOf } from '../lmdb/existing-store.ts';
import { clusterNames } from '../nats/log/cluster-names.ts';
import type { LogStream } from '../nats/log/log-stream.ts';
import { lockDirectory } from '../system/disk-lock.ts';
import { makeDirectory } from '../system/make-directory.ts';
import { syncDirectory } from '../system/sync-file.ts';
import { parseAppliedMark } from './applied-mark.ts';
import {
  COPY_VERSION,
  readCopyOffer,
  readFrame,
  type CopyFrame,
  type CopyOffer,
  type CopyRequest,
  type PieceRequest,
} from './copy-protocol.ts';
import { LogOpenError, type Pause } from './open-log.ts';

/** Folder of the copy within the directory of the store, until it is complete. */
const INCOMING_FOLDER = 'incoming-copy';
const OFFER_MS = 2000;
const PIECE_MS = 5000;
const WAIT_MS = 200;
/** Requests without an answer in a row after which another node is asked. */
const SILENCES = 3;

export interface FetchParts {
  readonly stream: LogStream;
  readonly cluster: string;
  readonly node: string;
  readonly logId: string;
  /** Directory of the state store, which no process has open. Its store is replaced. */
  readonly directory: string;
  readonly pause: Pause;
  readonly isClosing: () => boolean;
  readonly warned: (text: string) => void;
}

/** A copy that has arrived and replaced the store. */
export interface FetchedStore {
  readonly from: string;
  readonly bytes: number;
  /** The last record of the log that it contains. */
  readonly position: number;
}

/**
 * Replaces the state store by a copy of another node's store: at once, and only when the copy is complete and has a mark of the
 * log. Asks until a node has one; resolves with null if `isClosing` before.
 *
 * @throws LogOpenError if the copy cannot be used.
 */
export async function fetchStore(parts: FetchParts): Promise<FetchedStore | null> {
  const { directory, cluster, node, pause, isClosing, warned } = parts;
  makeDirectory(directory, 0o700);
  const lock = lockDirectory(directory);
  try {
    while (!isClosing()) {
      const offer = await askForOffer(parts);
      const reason =
        offer === null ? 'no other node offers one' : await received(parts, offer, incomingOf(directory));
      if (offer !== null && reason === null) return install(parts, offer.node);
      warned(`node ${node} needs a copy of the state store of another node of cluster ${cluster}: ${reason}`);
      await pause(OFFER_MS);
    }
    return null;
  } finally {
    lock.release();
  }
}

const incomingOf = (directory: string): string => join(directory, INCOMING_FOLDER);

async function askForOffer({ stream, cluster, node, logId }: FetchParts): Promise<CopyOffer | null> {
  const { copyOffers } = clusterNames(cluster);
  const request: CopyRequest = { v: COPY_VERSION, node, logId };
  const answer = await stream.messages.ask(copyOffers, JSON.stringify(request), OFFER_MS);
  return answer === null ? null : readCopyOffer(answer);
}

/** As `receive`, also if the disk of this node cannot take the copy. */
async function received(parts: FetchParts, offer: CopyOffer, folder: string): Promise<string | null> {
  try {
    return await receive(parts, offer, folder);
  } catch (error) {
    return `the copy cannot be written: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Writes the pieces of the copy to a file. Returns why it is not complete, or null. */
async function receive(parts: FetchParts, offer: CopyOffer, folder: string): Promise<string | null> {
  rmSync(folder, { recursive: true, force: true });
  makeDirectory(folder, 0o700);
  const hash = createHash('sha256');
  const file = await open(dataFileOf(folder), 'wx', 0o600);
  try {
    for (let at = 0; ;) {
      const frame = await nextPiece(parts, offer, at);
      if (typeof frame === 'string') return frame;
      hash.update(frame.bytes);
      await file.write(frame.bytes, 0, frame.bytes.length, at);
      at += frame.bytes.length;
      if (at < frame.size && frame.bytes.length > 0) continue;
      await file.sync();
      return at === frame.size && hash.digest().equals(frame.digest)
        ? null
        : `the copy of node ${offer.node} did not arrive as it was sent`;
    }
  } finally {
    await file.close();
  }
}

/** Returns the piece at a place, or why there is none. */
async function nextPiece(
  { stream, cluster, pause, isClosing }: FetchParts,
  { node, copy }: CopyOffer,
  at: number,
): Promise<Extract<CopyFrame, { kind: 'piece' }> | string> {
  const subject = clusterNames(cluster).copyOf(node);
  for (let silences = 0; silences < SILENCES && !isClosing();) {
    const request: PieceRequest = { v: COPY_VERSION, copy, at };
    const answer = await stream.messages.ask(subject, JSON.stringify(request), PIECE_MS);
    const frame = answer === null ? null : readFrame(answer);
    if (frame?.kind === 'piece') return frame;
    if (frame?.kind === 'refused') return `node ${node} refused: ${frame.reason}`;
    if (frame === null) silences++;
    await pause(WAIT_MS);
  }
  return `node ${node} does not answer`;
}

/** Puts the complete copy in the place of the store. */
async function install({ directory, logId }: FetchParts, from: string): Promise<FetchedStore> {
  const folder = incomingOf(directory);
  const { storedMark, bytes } = await storeForCluster(folder);
  const stored = storedMark === null ? null : parseAppliedMark(storedMark);
  if (stored === null || stored.logId !== logId)
    throw new LogOpenError(
      `the copy of the state store of node ${from} has no mark of log ${logId}. Upgrade the nodes to the same version`,
    );
  renameSync(dataFileOf(folder), dataFileOf(directory));
  syncDirectory(directory);
  rmSync(folder, { recursive: true, force: true });
  return { from, bytes, position: stored.mark.position };
}
