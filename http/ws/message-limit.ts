import type { RateLimiter, RateLimit } from '../../src/core/rate-limit/rate-limiter.ts';
import { TokenBucket } from '../../src/core/rate-limit/token-bucket.ts';
import { createSeededLimiter } from '../guards/seeded-limiter.ts';

/** Frames of one connection. The burst is enough for a client that subscribes again to 1,000 subjects. */
export const CONNECTION_FRAMES: RateLimit = { rps: 100, burst: 2_000 };

/** Frames of all connections of one client. */
export const CLIENT_FRAMES: RateLimit = { rps: 1_000, burst: 10_000 };

/** Sets of the limiter: 2,048 clients. */
const SETS = 256;

/** Limits the frames that clients send, ping and pong frames too (docs/contract/limits.md#event-channel). */
export class MessageLimit {
  readonly #steadyNow: () => number;
  readonly #clients: RateLimiter | null;

  /** Without `isPerClient` only the frames of each connection are limited. */
  constructor(steadyNow: () => number, isPerClient: boolean) {
    this.#steadyNow = steadyNow;
    this.#clients = isPerClient ? createSeededLimiter(CLIENT_FRAMES, SETS) : null;
  }

  /** Returns a function that counts a frame of a new connection; it returns why the frame is refused, or null. */
  ofConnection(client: string): () => string | null {
    const bucket = new TokenBucket(CONNECTION_FRAMES, this.#steadyNow());
    return () => {
      const now = this.#steadyNow();
      if (!bucket.take(now)) return `more than ${CONNECTION_FRAMES.rps} frames per second`;
      const waitMs = this.#clients?.take(client, Math.floor(now)) ?? 0;
      return waitMs === 0 ? null : `more than ${CLIENT_FRAMES.rps} frames per second from one address`;
    };
  }
}
