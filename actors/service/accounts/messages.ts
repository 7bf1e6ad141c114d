import type { IfMatch } from '../../../src/core/records/settings-version.ts';
import type { ExternalIdentity } from '../../../src/core/access/external-identity.ts';
import type { Role } from '../../../src/core/access/permissions.ts';
import type { Outcome } from '../../../src/core/problems.ts';
import type { ApiKeyRecord } from '../../../src/core/records/api-key.ts';
import type { AuthSource, UserRecord } from '../../../src/core/records/user.ts';
import type { ReplyTo } from '../../kernel/address.ts';

/** Id of the only accounts actor, which is on the first shard. */
export const ACCOUNTS_ID = 'accounts';

/** A new local account. The password is hashed by the sender. */
export interface LocalUserInput {
  readonly username: string;
  readonly displayName: string;
  readonly role: Role;
  readonly passwordHash: string;
}

/** Fields of an account that an administrator changes; undefined: unchanged. */
export interface UserChanges {
  readonly displayName?: string | undefined;
  readonly role?: Role | undefined;
  readonly disabled?: boolean | undefined;
}

/** A session to be stored. `digest` is the digest of its token. */
export interface NewSession {
  readonly digest: string;
  readonly source: AuthSource;
  /** Milliseconds. */
  readonly ttlMs: number;
}

/** An API key to be stored. `digest` is the digest of the raw key. */
export interface NewApiKey {
  readonly digest: string;
  readonly prefix: string;
  readonly name: string;
  /** Milliseconds since the epoch; null for a key that does not expire. */
  readonly expiresAt: number | null;
}

/**
 * Messages of the accounts actor, which owns users, sessions and API keys. Secrets never reach it: it gets hashes of
 * passwords and digests of tokens and keys.
 */
export type AccountsMessage =
  /** At the start of the first shard. */
  | { readonly type: 'accounts.activate' }
  /** The actor's own timer: removes expired sessions. */
  | { readonly type: 'sessions.due' }
  /**
   * Creates the first administrator (docs/contract/authentication.md#first-administrator). Replies with the user, or null if
   * any user exists.
   */
  | {
      readonly type: 'user.bootstrap';
      readonly input: LocalUserInput;
      readonly replyTo: ReplyTo<Outcome<UserRecord | null>>;
    }
  /** Replies with the user; `conflict` if the name is taken. */
  | {
      readonly type: 'user.create';
      readonly input: LocalUserInput;
      readonly replyTo: ReplyTo<Outcome<UserRecord>>;
    }
  /** Replies with the user; `not-found`, or `conflict` for the last enabled administrator. */
  | {
      readonly type: 'user.update';
      readonly userId: string;
      readonly changes: UserChanges;
      readonly ifMatch?: IfMatch;
      readonly replyTo: ReplyTo<Outcome<UserRecord>>;
    }
  /**
   * Sets a password and ends all sessions of the account. `expectedHash` is the hash that the sender has verified; null
   * for an administrator. Replies with the user; `not-found`, `conflict` for an account without a local password or if
   * the password has changed meanwhile.
   */
  | {
      readonly type: 'user.set-password';
      readonly userId: string;
      readonly passwordHash: string;
      readonly expectedHash: string | null;
      /** Session of the sender, which replaces the ended ones; null for none. */
      readonly session: NewSession | null;
      readonly replyTo: ReplyTo<Outcome<UserRecord>>;
    }
  /** Stores the hash of the same password with new parameters. No change if the password has changed meanwhile. */
  | {
      readonly type: 'user.rehash';
      readonly userId: string;
      readonly expectedHash: string;
      readonly passwordHash: string;
    }
  /** Deletes an account with its sessions and keys. Replies with null; `not-found`, or `conflict` as for `user.update`. */
  | {
      readonly type: 'user.delete';
      readonly userId: string;
      readonly ifMatch?: IfMatch;
      readonly replyTo: ReplyTo<Outcome<null>>;
    }
  /**
   * Starts a session after a local login. Replies with the user; `forbidden` if the account does not exist, is disabled, or
   * no longer has the verified password.
   */
  | {
      readonly type: 'session.start';
      readonly userId: string;
      readonly verifiedHash: string;
      readonly session: NewSession;
      readonly replyTo: ReplyTo<Outcome<UserRecord>>;
    }
  /**
   * Starts a session for an identity that a directory or provider has verified. The account is found by its external
   * id, or created. Replies with the user; `forbidden` if it is disabled or another account has the name.
   */
  | {
      readonly type: 'session.start-external';
      readonly identity: ExternalIdentity;
      readonly session: NewSession;
      readonly replyTo: ReplyTo<Outcome<UserRecord>>;
    }
  /** Ends a session. Replies with null, also if there is none. */
  | { readonly type: 'session.end'; readonly digest: string; readonly replyTo: ReplyTo<Outcome<null>> }
  /** Replies with the key; `not-found` if the account does not exist, `conflict` if it has too many keys. */
  | {
      readonly type: 'key.create';
      readonly userId: string;
      readonly key: NewApiKey;
      readonly replyTo: ReplyTo<Outcome<ApiKeyRecord>>;
    }
  /** Replies with null; `not-found` if the account has no such key or it is revoked. */
  | {
      readonly type: 'key.revoke';
      readonly userId: string;
      readonly keyId: string;
      readonly replyTo: ReplyTo<Outcome<null>>;
    }
  /** A key was used. Stored at most once a minute. */
  | { readonly type: 'key.used'; readonly digest: string };
