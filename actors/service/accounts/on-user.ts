import { done, refused } from '../../../src/core/problems.ts';
import { SETTINGS } from '../../../src/core/records/settings-version.ts';
import { usernameKey, type UserRecord } from '../../../src/core/records/user.ts';
import { WEBHOOKS_ID } from '../webhooks/messages.ts';
import type { AccountsMessage, LocalUserInput } from './messages.ts';
import {
  accountOrRefusal,
  createUser,
  deleteUser,
  endSessions,
  startSession,
  writeUser,
  type AccountsContext,
  type AccountsState,
} from './state.ts';
import { refusesOutdated } from '../refuse-outdated.ts';

type Message<Type extends AccountsMessage['type']> = Extract<AccountsMessage, { type: Type }>;

export function onBootstrap(
  state: AccountsState,
  { input, replyTo }: Message<'user.bootstrap'>,
  context: AccountsContext,
): void {
  if (state.accounts.size > 0) {
    context.reply(replyTo, done(null));
    return;
  }
  context.reply(replyTo, done(createUser(state, localUser(input, context), context).user));
}

export function onUserCreate(
  state: AccountsState,
  { input, replyTo }: Message<'user.create'>,
  context: AccountsContext,
): void {
  if (state.names.has(usernameKey(input.username))) {
    const detail = `a user named ${JSON.stringify(input.username)} already exists (case makes no difference)`;
    context.reply(replyTo, refused('conflict', detail));
    return;
  }
  context.reply(replyTo, done(createUser(state, localUser(input, context), context).user));
}

export function onUserUpdate(
  state: AccountsState,
  { userId, changes, ifMatch, replyTo }: Message<'user.update'>,
  context: AccountsContext,
): void {
  const account = accountOrRefusal(state, userId, replyTo, context);
  if (account === null) return;
  const { user } = account;
  if (refusesOutdated('user', SETTINGS.user(user), { ifMatch, replyTo }, context)) return;
  const changed: UserRecord = {
    ...user,
    displayName: changes.displayName ?? user.displayName,
    role: changes.role ?? user.role,
    disabled: changes.disabled ?? user.disabled,
    updatedAt: context.now,
  };
  if (!isEnabledAdmin(changed) && isLastAdmin(state, user)) {
    context.reply(replyTo, LAST_ADMIN);
    return;
  }
  writeUser(account, changed, context);
  if (changed.disabled) endSessions(state, account, context);
  context.reply(replyTo, done(changed));
}

export function onSetPassword(
  state: AccountsState,
  { userId, passwordHash, expectedHash, session, replyTo }: Message<'user.set-password'>,
  context: AccountsContext,
): void {
  const account = accountOrRefusal(state, userId, replyTo, context);
  if (account === null) return;
  const { user } = account;
  const fault = passwordFault(user, expectedHash);
  if (fault !== null) {
    context.reply(replyTo, refused('conflict', fault));
    return;
  }
  const changed = { ...user, passwordHash, updatedAt: context.now };
  writeUser(account, changed, context);
  endSessions(state, account, context);
  if (session !== null) startSession(state, account, session, context);
  context.reply(replyTo, done(changed));
}

/** Returns why the password of an account cannot be set, or null. */
function passwordFault(user: UserRecord, expectedHash: string | null): string | null {
  if (user.authSource !== 'local')
    return `the account ${JSON.stringify(user.username)} signs in by ${user.authSource}: it has no password here`;
  const isOutdated = expectedHash !== null && expectedHash !== user.passwordHash;
  return isOutdated ? 'the password was changed at the same time; sign in again' : null;
}

export function onRehash(
  state: AccountsState,
  { userId, expectedHash, passwordHash }: Message<'user.rehash'>,
  context: AccountsContext,
): void {
  const account = state.accounts.get(userId);
  if (account?.user.passwordHash !== expectedHash) return;
  writeUser(account, { ...account.user, passwordHash }, context);
}

export function onUserDelete(
  state: AccountsState,
  { userId, ifMatch, replyTo }: Message<'user.delete'>,
  context: AccountsContext,
): void {
  const account = accountOrRefusal(state, userId, replyTo, context);
  if (account === null) return;
  if (refusesOutdated('user', SETTINGS.user(account.user), { ifMatch, replyTo }, context)) return;
  if (isLastAdmin(state, account.user)) {
    context.reply(replyTo, LAST_ADMIN);
    return;
  }
  deleteUser(state, account, context);
  const { username } = account.user;
  context.send('webhooks', WEBHOOKS_ID, { type: 'webhooks.account-deleted', username });
  context.reply(replyTo, done(null));
}

const localUser = (input: LocalUserInput, context: AccountsContext): UserRecord => ({
  version: 1,
  id: context.newId(),
  username: input.username,
  displayName: input.displayName,
  role: input.role,
  disabled: false,
  authSource: 'local',
  externalId: null,
  passwordHash: input.passwordHash,
  createdAt: context.now,
  updatedAt: context.now,
});

const isEnabledAdmin = (user: UserRecord): boolean => user.role === 'admin' && !user.disabled;

/** Reports whether the account is the only enabled administrator (docs/contract/rest.md#users). */
export function isLastAdmin(state: AccountsState, user: UserRecord): boolean {
  if (!isEnabledAdmin(user)) return false;
  for (const other of state.accounts.values())
    if (other.user.id !== user.id && isEnabledAdmin(other.user)) return false;
  return true;
}

const LAST_ADMIN = refused(
  'conflict',
  'this is the last enabled administrator: make another account an administrator first',
);
