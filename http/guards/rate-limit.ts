import type { Problem } from '../../src/core/problems.ts';
import type { TrustedPeers } from '../../src/core/config/http-types.ts';
import type { RateLimit } from '../../src/core/rate-limit/rate-limiter.ts';
import type { Header, HttpRequest } from '../pipeline/message.ts';
import { createSeededLimiter } from './seeded-limiter.ts';

const SECOND_MS = 1_000;

export interface RateLimitSettings {
  /** Null if the limit is off (`http.rate_limit.enabled`). */
  readonly limit: RateLimit | null;
  /** Peers whose `X-Forwarded-For` identifies the client (`http.trust_proxy`). */
  readonly trustProxy: TrustedPeers;
}

export interface RateLimitRefusal {
  readonly problem: Problem;
  readonly headers: readonly Header[];
}

/** Returns the refusal of a request that exceeds the limit of its client, or null. */
export type RateLimitGuard = (request: HttpRequest) => RateLimitRefusal | null;

/** Null for no limit. `steadyNow` returns milliseconds of a clock that never goes back. */
export function rateLimitGuard(
  limit: RateLimit | null,
  clientOf: (request: HttpRequest) => string,
  steadyNow: () => number,
): RateLimitGuard {
  if (limit === null) return () => null;
  const limiter = createSeededLimiter(limit);
  return (request) => {
    const waitMs = limiter.take(clientOf(request), Math.floor(steadyNow()));
    if (waitMs === 0) return null;
    const seconds = String(Math.ceil(waitMs / SECOND_MS));
    return {
      problem: {
        kind: 'too-many-requests',
        detail: `more than ${limit.rps} requests per second from one address; retry in ${seconds} s`,
      },
      headers: [['Retry-After', seconds]],
    };
  };
}
