import type { JobNotice } from '../../core/ports/committed-changes.ts';

const RING_BYTES = 256 * 1024;
const PLACES = { written: 0, read: 1 } as const;
const HEADER_BYTES = Object.keys(PLACES).length * Int32Array.BYTES_PER_ELEMENT;
const LENGTH_BYTES = 4;
/** In place of a length: the next notice is at the ring's beginning. */
const AT_THE_BEGINNING = 0xffff_ffff;

/** Returns the memory of a ring, for its single writer and single reader. */
export const noticeRingMemory = (): SharedArrayBuffer => new SharedArrayBuffer(HEADER_BYTES + RING_BYTES);

/**
 * Notices in shared memory. Writing one wakes no thread, unlike a message; the reader polls them. A notice is visible
 * to the reader once `put` has returned true.
 */
export class NoticeRing {
  readonly #places: Int32Array;
  readonly #bytes: Buffer;

  constructor(memory: SharedArrayBuffer) {
    this.#places = new Int32Array(memory, 0, HEADER_BYTES / Int32Array.BYTES_PER_ELEMENT);
    this.#bytes = Buffer.from(memory, HEADER_BYTES, RING_BYTES);
  }

  /** Writes a notice. Returns false if the ring is full. */
  put({ transaction, keys, prefixes }: JobNotice): boolean {
    const text = JSON.stringify([transaction, keys, prefixes]);
    const length = Buffer.byteLength(text);
    const needed = LENGTH_BYTES + length;
    const read = Atomics.load(this.#places, PLACES.read);
    let at = Atomics.load(this.#places, PLACES.written);
    // One byte always stays free between the end and the beginning, because equal positions mean an empty ring. There
    // must also be space for the wrap mark.
    if (at >= read) {
      if (at + needed + LENGTH_BYTES > RING_BYTES) {
        if (needed >= read) return false;
        this.#bytes.writeUInt32LE(AT_THE_BEGINNING, at);
        at = 0;
      }
    } else if (at + needed >= read) return false;
    this.#bytes.writeUInt32LE(length, at);
    this.#bytes.write(text, at + LENGTH_BYTES);
    Atomics.store(this.#places, PLACES.written, at + needed);
    return true;
  }

  /** Reports whether at least half of the ring is unread. */
  get isHalfFull(): boolean {
    const waiting = Atomics.load(this.#places, PLACES.written) - Atomics.load(this.#places, PLACES.read);
    return (waiting + RING_BYTES) % RING_BYTES >= RING_BYTES / 2;
  }

  /** Returns the notices since the previous call, in order. */
  take(): JobNotice[] {
    const taken: JobNotice[] = [];
    const written = Atomics.load(this.#places, PLACES.written);
    let at = Atomics.load(this.#places, PLACES.read);
    while (at !== written) {
      const length = this.#bytes.readUInt32LE(at);
      if (length === AT_THE_BEGINNING) {
        at = 0;
        continue;
      }
      const from = at + LENGTH_BYTES;
      at = from + length;
      // Written by `put`.
      const [transaction, keys, prefixes] = JSON.parse(this.#bytes.toString('utf8', from, at)) as [
        number,
        string[],
        string[],
      ];
      taken.push({ transaction, keys, prefixes });
    }
    Atomics.store(this.#places, PLACES.read, at);
    return taken;
  }
}
