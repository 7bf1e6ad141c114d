import { done, refused } from '../../../src/core/problems.ts';
import { usernameKey, type UserRecord } from '../../../src/core/records/user.ts';
import type { AccountsMessage } from './messages.ts';
import { isLastAdmin } from './on-user.ts';
import {
  createUser,
  endSession,
  externalKey,
  startSession,
  writeUser,
  type Account,
  type AccountsContext,
  type AccountsState,
} from './state.ts';

type Message<Type extends AccountsMessage['type']> = Extract<AccountsMessage, { type: Type }>;

/** Time between two removals of expired sessions, in milliseconds. */
const SWEEP_MS = 3_600_000;

/** Only the log of the service names the reason: all refusals of a login look the same to the client. */
const notAllowed = (reason: string) => refused('forbidden', reason);

export function onSessionStart(
  state: AccountsState,
  { userId, verifiedHash, session, replyTo }: Message<'session.start'>,
  context: AccountsContext,
): void {
  const account = state.accounts.get(userId);
  if (account === undefined || account.user.passwordHash !== verifiedHash) {
    context.reply(
      replyTo,
      notAllowed('the account was deleted or its password was changed during the login'),
    );
    return;
  }
  if (account.user.disabled) {
    context.reply(replyTo, notAllowed('the account is disabled'));
    return;
  }
  startSession(state, account, session, context);
  context.reply(replyTo, done(account.user));
}

export function onExternalSession(
  state: AccountsState,
  message: Message<'session.start-external'>,
  context: AccountsContext,
): void {
  const { identity, session, replyTo } = message;
  const known = state.externals.get(externalKey(session.source, identity.externalId));
  const found = known === undefined ? undefined : state.accounts.get(known);
  if (found === undefined && state.names.has(usernameKey(identity.username))) {
    const reason = `another account is named ${JSON.stringify(identity.username)}: an external login never adopts it`;
    context.reply(replyTo, notAllowed(reason));
    return;
  }
  const account = found ?? createUser(state, externalUser(message, context), context);
  if (account.user.disabled) {
    context.reply(replyTo, notAllowed('the account is disabled'));
    return;
  }
  followRole(state, account, message, context);
  startSession(state, account, session, context);
  context.reply(replyTo, done(account.user));
}

/** Takes over the role that the directory or provider names, except from the last enabled administrator. */
function followRole(
  state: AccountsState,
  account: Account,
  { identity: { role } }: Message<'session.start-external'>,
  context: AccountsContext,
): void {
  const { user } = account;
  if (role === user.role) return;
  if (isLastAdmin(state, user)) {
    const text = 'the role of the last enabled administrator was not changed at the login';
    context.log('warn', text, { username: user.username, role });
    return;
  }
  writeUser(account, { ...user, role, updatedAt: context.now }, context);
}

const externalUser = (
  { identity, session }: Message<'session.start-external'>,
  context: AccountsContext,
): UserRecord => ({
  version: 1,
  id: context.newId(),
  username: identity.username,
  displayName: identity.displayName,
  role: identity.role,
  disabled: false,
  authSource: session.source,
  externalId: identity.externalId,
  passwordHash: null,
  createdAt: context.now,
  updatedAt: context.now,
});

export function onSessionEnd(
  state: AccountsState,
  { digest, replyTo }: Message<'session.end'>,
  context: AccountsContext,
): void {
  const owner = state.accounts.get(state.sessionOwners.get(digest) ?? '');
  if (owner !== undefined) endSession(state, owner, digest, context);
  context.reply(replyTo, done(null));
}

/** Removes expired sessions, and sets the timer of the next removal. */
export function onSessionsDue(
  state: AccountsState,
  _message: Message<'sessions.due'>,
  context: AccountsContext,
): void {
  for (const account of state.accounts.values()) {
    for (const [digest, session] of [...account.sessions]) {
      if (session.expiresAt <= context.now) endSession(state, account, digest, context);
    }
  }
  context.after('sessions', SWEEP_MS, { type: 'sessions.due' });
}
