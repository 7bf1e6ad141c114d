/**
 * State of the accounts actor. No states: each account, session and key exists or not. Invariants: names are unique
 * (`usernameKey`), external ids are unique per source, sessions and keys belong to an account, and once there is an
 * enabled administrator, there is always one. The actor is never evicted.
 */

import { refused, type Outcome } from '../../../src/core/problems.ts';
import type { StoreReader } from '../../../src/core/ports/store.ts';
import type { ApiKeyRecord } from '../../../src/core/records/api-key.ts';
import { put, remove } from '../../../src/core/records/change-set.ts';
import { SESSIONS_PER_USER, type SessionRecord } from '../../../src/core/records/session.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { usernameKey, type AuthSource, type UserRecord } from '../../../src/core/records/user.ts';
import type { ReplyTo } from '../../kernel/address.ts';
import type { ServiceContext } from '../service-system.ts';
import type { NewSession } from './messages.ts';

export type AccountsContext = ServiceContext<'accounts'>;

/** One account with its sessions and keys, by their digests. Sessions are in the order of their start. */
export interface Account {
  user: UserRecord;
  readonly sessions: Map<string, SessionRecord>;
  readonly keys: Map<string, ApiKeyRecord>;
}

export interface AccountsState {
  readonly accounts: Map<string, Account>;
  /** User ids by `usernameKey`. */
  readonly names: Map<string, string>;
  /** User ids by `externalKey`. */
  readonly externals: Map<string, string>;
  /** User ids by the digest of a session. */
  readonly sessionOwners: Map<string, string>;
  /** User ids by the digest of a key. */
  readonly keyOwners: Map<string, string>;
}

/** Returns the key of an external identity in `externals`. */
export const externalKey = (source: AuthSource, externalId: string): string => `${source} ${externalId}`;

export function loadAccounts(_id: string, reader: StoreReader): AccountsState {
  const state: AccountsState = {
    accounts: new Map(),
    names: new Map(),
    externals: new Map(),
    sessionOwners: new Map(),
    keyOwners: new Map(),
  };
  for (const { value: user } of reader.scan('user')) enter(state, user);
  const started = [...reader.scan('session')].sort((a, b) => a.value.createdAt - b.value.createdAt);
  for (const { key, value } of started) {
    state.accounts.get(value.userId)?.sessions.set(key, value);
    state.sessionOwners.set(key, value.userId);
  }
  for (const { key, value } of reader.scan('apiKey')) {
    state.accounts.get(value.userId)?.keys.set(key, value);
    state.keyOwners.set(key, value.userId);
  }
  return state;
}

/** Returns an account. Without one, replies `not-found` and returns null. */
export function accountOrRefusal(
  state: AccountsState,
  userId: string,
  replyTo: ReplyTo<Outcome<never>>,
  context: AccountsContext,
): Account | null {
  const account = state.accounts.get(userId);
  if (account !== undefined) return account;
  context.reply(replyTo, refused('not-found', `no user ${userId.slice(0, 100)}`));
  return null;
}

/** Enters an account in the indices. */
function enter(state: AccountsState, user: UserRecord): Account {
  const account: Account = { user, sessions: new Map(), keys: new Map() };
  state.accounts.set(user.id, account);
  state.names.set(usernameKey(user.username), user.id);
  if (user.externalId !== null) state.externals.set(externalKey(user.authSource, user.externalId), user.id);
  return account;
}

/** Stores a new account. */
export function createUser(state: AccountsState, user: UserRecord, context: AccountsContext): Account {
  context.change(put('user', keys.user(user.id), user));
  context.change(put('username', keys.username(user.username), { version: 1, userId: user.id }));
  return enter(state, user);
}

/** Stores a changed account. Name, source and external id never change. */
export function writeUser(account: Account, user: UserRecord, context: AccountsContext): void {
  account.user = user;
  context.change(put('user', keys.user(user.id), user));
}

/** Deletes an account with its sessions and keys. */
export function deleteUser(state: AccountsState, account: Account, context: AccountsContext): void {
  const { user } = account;
  endSessions(state, account, context);
  for (const digest of [...account.keys.keys()]) removeKey(state, account, digest, context);
  state.accounts.delete(user.id);
  state.names.delete(usernameKey(user.username));
  if (user.externalId !== null) state.externals.delete(externalKey(user.authSource, user.externalId));
  context.change(remove('username', keys.username(user.username)));
  context.change(remove('user', keys.user(user.id)));
}

/** Removes the rows of an API key. */
export function removeKey(
  state: AccountsState,
  account: Account,
  digest: string,
  context: AccountsContext,
): void {
  const record = account.keys.get(digest);
  if (record === undefined) return;
  account.keys.delete(digest);
  state.keyOwners.delete(digest);
  context.change(remove('apiKey', keys.apiKey(digest)));
  context.change(remove('userApiKey', keys.userApiKey(account.user.id, record.id)));
}

/** Starts a session. The oldest one of the account ends if there are too many. */
export function startSession(
  state: AccountsState,
  account: Account,
  session: NewSession,
  context: AccountsContext,
): void {
  const { digest, source, ttlMs } = session;
  const record: SessionRecord = {
    version: 1,
    userId: account.user.id,
    source,
    createdAt: context.now,
    expiresAt: context.now + ttlMs,
  };
  account.sessions.set(digest, record);
  state.sessionOwners.set(digest, account.user.id);
  context.change(put('session', keys.session(digest), record));
  const [oldest] = account.sessions.keys();
  if (oldest !== undefined && account.sessions.size > SESSIONS_PER_USER)
    endSession(state, account, oldest, context);
}

export function endSession(
  state: AccountsState,
  account: Account,
  digest: string,
  context: AccountsContext,
): void {
  account.sessions.delete(digest);
  state.sessionOwners.delete(digest);
  context.change(remove('session', keys.session(digest)));
}

/** Ends every session of an account. */
export function endSessions(state: AccountsState, account: Account, context: AccountsContext): void {
  for (const digest of [...account.sessions.keys()]) endSession(state, account, digest, context);
}
