import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Time in which a command must redeem its code. */
export const GRANT_SECONDS = 120;
const GRANTS_MAX = 1_000;
const GRANTS_PER_USER = 5;

/** Permission of a signed-in user for one command to get an API key. */
export interface CommandGrant {
  readonly userId: string;
  /** Name of the key. */
  readonly keyName: string;
}

interface StoredGrant extends CommandGrant {
  readonly challenge: string;
  /** Milliseconds of the steady clock. */
  readonly expiresAt: number;
}

/**
 * Codes by which `callsheet login` gets an API key after the user confirmed in the browser. A code can be redeemed once,
 * within two minutes, by the command that knows the verifier. At most 1,000 are open, 5 for each user: a further one ends
 * the oldest of the user. Codes are kept as digests, in memory only.
 *
 * @see docs/decisions/oidc.md
 */
export class CommandGrants {
  readonly #steadyNow: () => number;
  /** By digest of the code, the oldest first. */
  readonly #grants = new Map<string, StoredGrant>();

  constructor(steadyNow: () => number) {
    this.#steadyNow = steadyNow;
  }

  /**
   * Returns the code of a new grant, null if too many are open.
   *
   * @param challenge - SHA-256 of the verifier, base64url.
   */
  create(grant: CommandGrant, challenge: string): string | null {
    this.#dropExpired();
    const own = [...this.#grants].filter(([, { userId }]) => userId === grant.userId);
    for (const [digest] of own.slice(0, Math.max(0, own.length - GRANTS_PER_USER + 1)))
      this.#grants.delete(digest);
    if (this.#grants.size >= GRANTS_MAX) return null;
    const code = randomBytes(32).toString('base64url');
    const expiresAt = this.#steadyNow() + GRANT_SECONDS * 1000;
    this.#grants.set(digestOf(code), { ...grant, challenge, expiresAt });
    return code;
  }

  /** Redeems a code. Null if it is unknown, used or expired, or if the verifier is wrong; it is used then too. */
  redeem(code: string, verifier: string): CommandGrant | null {
    this.#dropExpired();
    const digest = digestOf(code);
    const grant = this.#grants.get(digest);
    if (grant === undefined) return null;
    this.#grants.delete(digest);
    if (!isEqual(digestOf(verifier), grant.challenge)) return null;
    return { userId: grant.userId, keyName: grant.keyName };
  }

  #dropExpired(): void {
    const now = this.#steadyNow();
    for (const [digest, { expiresAt }] of this.#grants) {
      if (expiresAt > now) return;
      this.#grants.delete(digest);
    }
  }
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

const isEqual = (one: string, other: string): boolean => {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.byteLength === right.byteLength && timingSafeEqual(left, right);
};
