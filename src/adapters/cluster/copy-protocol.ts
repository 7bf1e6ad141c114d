import { integer, literal, messageParser, record, text } from '../../core/wire/field-readers.ts';
import type { Parsed } from '../../core/wire/json-text.ts';
import { WIRE_LIMITS } from '../../core/wire/limits.ts';
import { readText } from '../nats/message-text.ts';

/**
 * Messages by which a node copies the state store of another one over the bus, which limits their size.
 *
 * - To `copyOffers`, as JSON: a CopyRequest. A node that has the log and is not busy answers a CopyOffer, and makes the copy.
 * - To `copyOf(node)`, as JSON: a PieceRequest. The answer is a frame: its kind (u8), and
 *   - `waiting`: nothing; the copy is not complete;
 *   - `refused`: why, as text;
 *   - `piece`: size of the whole copy (f64), its SHA-256 digest (32 bytes), bytes of the copy from `at`. Little-endian.
 */
export const COPY_VERSION = 1;
export const PIECE_BYTES = 512 * 1024;

const KINDS = { waiting: 0, refused: 1, piece: 2 } as const;
const DIGEST_BYTES = 32;
const SIZE_AT = 1;
const DIGEST_AT = 9;
const PIECE_AT = DIGEST_AT + DIGEST_BYTES;

export type CopyFrame =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'refused'; readonly reason: string }
  | {
      readonly kind: 'piece';
      readonly size: number;
      readonly digest: Uint8Array;
      readonly bytes: Uint8Array;
    };

export function encodeFrame(frame: CopyFrame): Uint8Array {
  switch (frame.kind) {
    case 'waiting':
      return Uint8Array.of(KINDS.waiting);
    case 'refused':
      return Buffer.concat([Uint8Array.of(KINDS.refused), Buffer.from(frame.reason, 'utf8')]);
    case 'piece': {
      const header = Buffer.alloc(PIECE_AT);
      header.writeUInt8(KINDS.piece, 0);
      header.writeDoubleLE(frame.size, SIZE_AT);
      header.set(frame.digest, DIGEST_AT);
      return Buffer.concat([header, frame.bytes]);
    }
  }
}

/** Returns null if the bytes are not a frame. */
export function readFrame(bytes: Uint8Array): CopyFrame | null {
  const frame = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  switch (frame[0]) {
    case KINDS.waiting:
      return { kind: 'waiting' };
    case KINDS.refused:
      return { kind: 'refused', reason: frame.toString('utf8', 1) };
    case KINDS.piece:
      if (frame.length < PIECE_AT) return null;
      return {
        kind: 'piece',
        size: frame.readDoubleLE(SIZE_AT),
        digest: frame.subarray(DIGEST_AT, PIECE_AT),
        bytes: frame.subarray(PIECE_AT),
      };
    default:
      return null;
  }
}

/** A node asks for a copy of the store of another one that follows the same log. */
export interface CopyRequest {
  readonly v: typeof COPY_VERSION;
  readonly node: string;
  readonly logId: string;
}

/** A node makes a copy, which has an id. */
export interface CopyOffer {
  readonly v: typeof COPY_VERSION;
  readonly node: string;
  readonly copy: string;
}

/** Request for the bytes of a copy from `at`. */
export interface PieceRequest {
  readonly v: typeof COPY_VERSION;
  readonly copy: string;
  readonly at: number;
}

const NAME = text(WIRE_LIMITS.name, 1);
const version = literal(COPY_VERSION);
const limits = { length: WIRE_LIMITS.statusText, nesting: 2 };
const parseRequest = messageParser(record<CopyRequest>({ v: version, node: NAME, logId: NAME }), limits);
const parseOffer = messageParser(record<CopyOffer>({ v: version, node: NAME, copy: NAME }), limits);
const parsePiece = messageParser(
  record<PieceRequest>({ v: version, copy: NAME, at: integer(0, Number.MAX_SAFE_INTEGER) }),
  limits,
);

/** Readers of the messages; null for one that is not valid or of another version. */
export const readCopyRequest = (data: Uint8Array): CopyRequest | null =>
  valueOf(readText(data, parseRequest));
export const readCopyOffer = (data: Uint8Array): CopyOffer | null => valueOf(readText(data, parseOffer));
export const readPieceRequest = (data: Uint8Array): PieceRequest | null =>
  valueOf(readText(data, parsePiece));

const valueOf = <T>(read: Parsed<T>): T | null => (read.ok ? read.value : null);
