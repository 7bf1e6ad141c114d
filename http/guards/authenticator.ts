/**
 * State: principals of recent credentials. Invariants: all were read at the commit count `#count`. Exits: the next
 * commit clears the cache, so that a revoked key, a disabled account or an ended session is refused at the next request.
 */

import { ACCOUNTS_ID } from '../../actors/service/accounts/messages.ts';
import { API_KEY_START, API_KEY_USE_MS, isValidKey } from '../../src/core/records/api-key.ts';
import { keys } from '../../src/core/records/tables.ts';
import type { UserRecord } from '../../src/core/records/user.ts';
import { headerValues, type Header } from '../pipeline/message.ts';
import type { Ports } from '../ports.ts';
import { cookieValue } from '../accounts/session-cookie.ts';
import { principalOf, type Principal } from './principal.ts';

/** Ports of the authenticator. */
export type AuthenticatorPorts = Pick<Ports, 'store' | 'commits' | 'secrets' | 'actors' | 'now'>;

interface Known {
  readonly principal: Principal;
  /** Milliseconds since the epoch; Infinity: does not expire. */
  readonly expiresAt: number;
  /** Digest of an API key; null for a session. */
  readonly apiKey: string | null;
  /** From when on a use of the API key is reported again. */
  nextUseAt: number;
}

/** Maximum number of credentials in the cache. */
const KNOWN_MAX = 10_000;
/** Length of the longest credential that is looked up. */
const CREDENTIAL_LENGTH_MAX = 256;
const BEARER = /^bearer +(\S+)$/i;

/** Finds the principal of a request by its credential (docs/contract/authentication.md#credentials). */
export class Authenticator {
  readonly #ports: AuthenticatorPorts;
  readonly #cookieName: string;
  readonly #known = new Map<string, Known>();
  /** Digests of API keys with the time from which on a use is reported again. */
  readonly #reported = new Map<string, number>();
  #count = -1;

  constructor(ports: AuthenticatorPorts, cookieName: string) {
    this.#ports = ports;
    this.#cookieName = cookieName;
  }

  /** Returns the principal of a request, or null if it has no valid credential. An API key takes precedence. */
  principalOf(headers: readonly Header[]): Principal | null {
    const authorization = headerValues(headers, 'authorization');
    if (authorization.length > 0) {
      const key = authorization.length === 1 ? BEARER.exec(authorization[0] ?? '')?.[1] : undefined;
      return key === undefined ? null : this.#find(key, true);
    }
    const token = cookieValue(headers, this.#cookieName);
    return token === null ? null : this.#find(token, false);
  }

  #find(credential: string, isKey: boolean): Principal | null {
    if (credential.length > CREDENTIAL_LENGTH_MAX || credential.startsWith(API_KEY_START) !== isKey)
      return null;
    const count = this.#ports.commits.count();
    if (count !== this.#count || this.#known.size >= KNOWN_MAX) {
      this.#known.clear();
      this.#count = count;
      // The snapshot of the turn may be older than the count.
      this.#ports.commits.renew();
    }
    let known = this.#known.get(credential);
    if (known === undefined) {
      const read = isKey ? this.#readKey(credential) : this.#readSession(credential);
      if (read === null) return null;
      known = read;
      this.#known.set(credential, known);
    }
    const now = this.#ports.now();
    if (now >= known.expiresAt) return null;
    if (now >= known.nextUseAt) this.#reportUse(known, now);
    return known.principal;
  }

  #readKey(credential: string): Known | null {
    const { store, secrets, now } = this.#ports;
    const digest = secrets.digest(credential);
    const key = store.get('apiKey', keys.apiKey(digest));
    if (key === undefined || !isValidKey(key, now())) return null;
    const user = this.#enabledUser(key.userId);
    if (user === null) return null;
    const nextUseAt = Math.max((key.lastUsedAt ?? 0) + API_KEY_USE_MS, this.#reported.get(digest) ?? 0);
    return {
      principal: principalOf(user, null),
      expiresAt: key.expiresAt ?? Infinity,
      apiKey: digest,
      nextUseAt,
    };
  }

  #readSession(credential: string): Known | null {
    const { store, secrets } = this.#ports;
    const digest = secrets.digest(credential);
    const session = store.get('session', keys.session(digest));
    if (session === undefined) return null;
    const user = this.#enabledUser(session.userId);
    if (user === null) return null;
    return {
      principal: principalOf(user, digest),
      expiresAt: session.expiresAt,
      apiKey: null,
      nextUseAt: Infinity,
    };
  }

  #enabledUser(id: string): UserRecord | null {
    const user = this.#ports.store.get('user', keys.user(id));
    return user === undefined || user.disabled ? null : user;
  }

  #reportUse(known: Known, now: number): void {
    known.nextUseAt = now + API_KEY_USE_MS;
    if (known.apiKey === null) return;
    if (this.#reported.size >= KNOWN_MAX) this.#reported.clear();
    this.#reported.set(known.apiKey, known.nextUseAt);
    this.#ports.actors.tell({
      actor: 'accounts',
      id: ACCOUNTS_ID,
      message: { type: 'key.used', digest: known.apiKey },
    });
  }
}
