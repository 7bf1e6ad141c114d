/**
 * Messages by which a node copies the state store of another one over the bus, which limits their size.
 *
 * - To `copyOffers`, as JSON: `{ v, node, logId }`. A node that has the log and is not busy answers `{ v, node, copy }`, and makes the copy.
 * - To `copyOf(node)`, as JSON: `{ v, copy, at }`. The answer is a frame: its kind (u8), and
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

const decoder = new TextDecoder();

/** Reads a message that is JSON. Returns its fields; undefined if it is not of this version. */
export function readCopyMessage(data: Uint8Array): object | undefined {
  try {
    const value: unknown = JSON.parse(decoder.decode(data));
    const isKnown = typeof value === 'object' && value !== null && Reflect.get(value, 'v') === COPY_VERSION;
    return isKnown ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a text or a number of the message; undefined if it has no such field. */
export function copyField(message: object | undefined, name: string): string | number | undefined {
  const value: unknown = message === undefined ? undefined : Reflect.get(message, name);
  return typeof value === 'string' || typeof value === 'number' ? value : undefined;
}
