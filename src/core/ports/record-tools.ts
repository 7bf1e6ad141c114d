/** Digests, compression and texts of log records (docs/decisions/replicated-log.md#records). */
export interface RecordTools {
  /** Returns the 32 bytes of the digest. */
  digest(bytes: Uint8Array): Uint8Array;
  compress(bytes: Uint8Array): Uint8Array;
  /** Returns null unless the bytes are the compressed form of exactly `length` bytes. */
  decompress(bytes: Uint8Array, length: number): Uint8Array | null;
  /** Returns the lowest record format whose readers know all tables of an encoded change set. */
  formatOf(changes: Uint8Array): number;
  /** Returns the UTF-8 bytes of a text. */
  encodeText(text: string): Uint8Array;
  /** Writes the UTF-8 bytes of as many whole characters as fit. Returns the number of bytes. */
  encodeInto(text: string, target: Uint8Array): number;
  decodeText(bytes: Uint8Array): string;
}
