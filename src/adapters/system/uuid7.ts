import { randomBytes } from 'node:crypto';

/** Size of the pool of random bytes, which serves many ids: one system call per id would dominate the cost. */
const POOL_BYTES = 8192;
const RANDOM_BYTES = 8;
const COUNTER_MAX = 0xfff;

/**
 * Generates UUIDs of version 7 (RFC 9562) that strictly increase in this process: milliseconds, then a counter within
 * the millisecond, then 62 random bits. If the counter overflows, or the clock goes back, the time runs ahead of the
 * clock.
 */
export class Uuid7 {
  private readonly readClock: () => number;
  private lastMs = 0;
  private counter = 0;
  private pool = Buffer.alloc(0);
  private poolAt = 0;

  /** `readClock` returns milliseconds since the epoch. */
  constructor(readClock: () => number) {
    this.readClock = readClock;
  }

  next(): string {
    const now = this.readClock();
    if (now > this.lastMs) {
      this.lastMs = now;
      this.counter = 0;
    } else if (this.counter < COUNTER_MAX) {
      this.counter++;
    } else {
      this.lastMs++;
      this.counter = 0;
    }
    const time = Math.floor(this.lastMs).toString(16).padStart(12, '0');
    const counter = this.counter.toString(16).padStart(3, '0');
    const random = this.random();
    random[0] = ((random[0] ?? 0) & 0x3f) | 0x80;
    const tail = random.toString('hex');
    const id = `${time.slice(0, 8)}-${time.slice(8)}-7${counter}-${tail.slice(0, 4)}-${tail.slice(4)}`;
    // As a flat string: concatenated text compares slowly, and ids are compared often.
    return Buffer.from(id, 'latin1').toString('latin1');
  }

  private random(): Buffer {
    if (this.poolAt + RANDOM_BYTES > this.pool.length) {
      this.pool = randomBytes(POOL_BYTES);
      this.poolAt = 0;
    }
    this.poolAt += RANDOM_BYTES;
    return this.pool.subarray(this.poolAt - RANDOM_BYTES, this.poolAt);
  }
}
