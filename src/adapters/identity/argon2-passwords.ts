import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import type { HashResult, Passwords } from '../../core/ports/passwords.ts';

/** Parameters of new hashes: the first of OWASP's password storage recommendations for argon2id. */
const ARGON2 = { memoryKib: 19_456, iterations: 2, lanes: 1 } as const;

/** Maximum number of hashes at the same time. Each takes a thread of libuv and `memoryKib`. */
const RUNNING_MAX = 2;
/** Maximum number of requests that wait for a hash. */
const WAITING_MAX = 64;

const PHC = /^\$argon2id\$v=(\d+)\$m=(\d+),t=(\d+),p=(\d+)\$/;
const ARGON2_VERSION = 19;

/**
 * Passwords hashed with argon2id (docs/decisions/accounts.md). States of a request: waiting (`#waiting`), running.
 * Invariants: at most `RUNNING_MAX` run; nothing waits while fewer run. A request beyond `WAITING_MAX` is refused.
 */
export class Argon2Passwords implements Passwords {
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  /** Hash of a random text that no caller knows, made at the first use. */
  #dummy: Promise<string> | null = null;

  hash(password: string): Promise<HashResult<string>> {
    return this.#limited(() => newHash(password));
  }

  verify(stored: string | null, password: string): Promise<HashResult<boolean>> {
    return this.#limited(async () => {
      if (stored !== null) return verify(stored, password);
      this.#dummy ??= newHash(randomBytes(32).toString('base64url'));
      await verify(await this.#dummy, password);
      return false;
    });
  }

  isOutdated(stored: string): boolean {
    const [, version, memory, iterations, lanes] = PHC.exec(stored) ?? [];
    return (
      Number(version ?? 0) < ARGON2_VERSION ||
      Number(memory) < ARGON2.memoryKib ||
      Number(iterations) < ARGON2.iterations ||
      Number(lanes) < ARGON2.lanes
    );
  }

  async #limited<T>(work: () => Promise<T>): Promise<HashResult<T>> {
    if (this.#running >= RUNNING_MAX) {
      if (this.#waiting.length >= WAITING_MAX) return { ok: false };
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    } else {
      this.#running += 1;
    }
    try {
      return { ok: true, value: await work() };
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}

// argon2id is the default algorithm of the library.
const newHash = (password: string): Promise<string> =>
  hash(password, {
    memoryCost: ARGON2.memoryKib,
    timeCost: ARGON2.iterations,
    parallelism: ARGON2.lanes,
  });
