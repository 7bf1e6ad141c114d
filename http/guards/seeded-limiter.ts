import { randomBytes } from 'node:crypto';
import { RateLimiter, type RateLimit } from '../../src/core/rate-limit/rate-limiter.ts';

/** Creates a limiter with random seeds. `sets` is its memory; the default is that of `RateLimiter`. */
export function createSeededLimiter(limit: RateLimit, sets?: number): RateLimiter {
  const random = randomBytes(8);
  return new RateLimiter(limit, [random.readUInt32LE(0), random.readUInt32LE(4)], sets);
}
