import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, rmSync } from 'node:fs';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { copyStores, type EnvironmentCopy } from '../lmdb/copy-stores.ts';
import { openStateReader } from '../lmdb/state-reader.ts';
import { clusterNames } from '../nats/log/cluster-names.ts';
import type { LogStream } from '../nats/log/log-stream.ts';
import { makeDirectory } from '../system/make-directory.ts';
import {
  COPY_VERSION,
  encodeFrame,
  PIECE_BYTES,
  readCopyRequest,
  readPieceRequest,
  type CopyFrame,
  type CopyOffer,
} from './copy-protocol.ts';

/** Folder of the copy within the directory of the store. */
const OUTGOING_FOLDER = 'outgoing-copy';
/** The owner has other work: it offers its store if no follower has done so by then. */
const OWNER_WAIT_MS = 500;
/** A copy that is not read for this time is removed. */
const UNREAD_MS = 60_000;

export interface StoreSourceParts {
  readonly stream: LogStream;
  readonly cluster: string;
  readonly node: string;
  readonly logId: string;
  /** Directory of the state store, which this process has open. */
  readonly directory: string;
  readonly isOwner: () => boolean;
  readonly warned: (text: string) => void;
}

type Copy =
  | { readonly state: 'waiting' }
  | { readonly state: 'failed'; readonly reason: string }
  | {
      readonly state: 'ready';
      readonly file: FileHandle;
      readonly size: number;
      readonly digest: Uint8Array;
    };

/**
 * Sends copies of the state store of this node to nodes that are too far behind for the log. One copy at a time: it is of
 * one commit, with the mark of that commit.
 */
export class StoreSource {
  readonly #parts: StoreSourceParts;
  #id: string | null = null;
  #copy: Copy = { state: 'waiting' };
  #unread: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(parts: StoreSourceParts) {
    this.#parts = parts;
    // Of a process that was killed while it sent one.
    rmSync(join(parts.directory, OUTGOING_FOLDER), { recursive: true, force: true });
    const { copyOffers, copyOf } = clusterNames(parts.cluster);
    const { messages } = parts.stream;
    messages.listen(copyOffers, (data, answer) => this.#asked(data, answer));
    messages.listen(copyOf(parts.node), (data, answer) => {
      void this.#frameFor(data).then((frame) => answer(encodeFrame(frame)));
    });
  }

  close(): void {
    this.#isClosed = true;
    void this.#discard();
  }

  #asked(data: Uint8Array, answer: (data: Uint8Array) => void): void {
    const { node, logId, isOwner } = this.#parts;
    const request = readCopyRequest(data);
    if (request?.logId !== logId || request.node === node) return;
    const offer = (): void => {
      if (this.#id !== null || this.#isClosed) return;
      this.#id = randomUUID();
      this.#copy = { state: 'waiting' };
      this.#watch();
      void this.#make(this.#id);
      const offered: CopyOffer = { v: COPY_VERSION, node, copy: this.#id };
      answer(Buffer.from(JSON.stringify(offered)));
    };
    if (isOwner()) setTimeout(offer, OWNER_WAIT_MS);
    else offer();
  }

  async #make(id: string): Promise<void> {
    const { directory, node, warned } = this.#parts;
    const folder = join(directory, OUTGOING_FOLDER);
    try {
      await rm(folder, { recursive: true, force: true });
      makeDirectory(folder, 0o700);
      const copied = await copyOf(directory, folder);
      const hash = createHash('sha256');
      for await (const chunk of createReadStream(copied.path)) hash.update(chunk as Buffer);
      const file = await open(copied.path, 'r');
      if (this.#id === id) this.#copy = { state: 'ready', file, size: copied.bytes, digest: hash.digest() };
      else await file.close();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#copy = { state: 'failed', reason };
      warned(`node ${node} could not copy its state store for another node: ${reason}`);
    }
  }

  async #frameFor(data: Uint8Array): Promise<CopyFrame> {
    const request = readPieceRequest(data);
    if (this.#id === null || request?.copy !== this.#id)
      return { kind: 'refused', reason: 'this node no longer has the copy' };
    const { at } = request;
    this.#watch();
    const copy = this.#copy;
    switch (copy.state) {
      case 'waiting':
        return { kind: 'waiting' };
      case 'failed':
        await this.#discard();
        return { kind: 'refused', reason: copy.reason };
      case 'ready':
        return pieceOf(copy, at);
    }
  }

  #watch(): void {
    if (this.#unread !== null) clearTimeout(this.#unread);
    this.#unread = setTimeout(() => void this.#discard(), UNREAD_MS);
    this.#unread.unref();
  }

  async #discard(): Promise<void> {
    if (this.#unread !== null) clearTimeout(this.#unread);
    const copy = this.#copy;
    this.#id = null;
    this.#copy = { state: 'waiting' };
    if (copy.state === 'ready') await copy.file.close();
    await rm(join(this.#parts.directory, OUTGOING_FOLDER), { recursive: true, force: true });
  }
}

/** Copies the state store, as of one commit, into the folder. */
async function copyOf(directory: string, folder: string): Promise<EnvironmentCopy> {
  const reader = await openStateReader(directory);
  try {
    const [copied] = await copyStores([reader], folder);
    if (copied === undefined) throw new Error('nothing was copied');
    return copied;
  } finally {
    await reader.close();
  }
}

async function pieceOf(
  { file, size, digest }: Extract<Copy, { state: 'ready' }>,
  at: number,
): Promise<CopyFrame> {
  const piece = Buffer.alloc(Math.max(0, Math.min(PIECE_BYTES, size - at)));
  try {
    await file.read(piece, 0, piece.length, at);
  } catch (error) {
    return { kind: 'refused', reason: error instanceof Error ? error.message : String(error) };
  }
  return { kind: 'piece', size, digest, bytes: piece };
}
