import { done, refused } from '../../../src/core/problems.ts';
import {
  API_KEY_USE_MS,
  API_KEYS_PER_USER,
  isValidKey,
  type ApiKeyRecord,
} from '../../../src/core/records/api-key.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { AccountsMessage } from './messages.ts';
import {
  accountOrRefusal,
  removeKey,
  type Account,
  type AccountsContext,
  type AccountsState,
} from './state.ts';

type Message<Type extends AccountsMessage['type']> = Extract<AccountsMessage, { type: Type }>;

/** Keys of an account that are revoked or expired, beyond which the oldest rows are removed. */
const ENDED_KEYS_KEPT = 100;

export function onKeyCreate(
  state: AccountsState,
  { userId, key, replyTo }: Message<'key.create'>,
  context: AccountsContext,
): void {
  const account = accountOrRefusal(state, userId, replyTo, context);
  if (account === null) return;
  const valid = [...account.keys.values()].filter((each) => isValidKey(each, context.now));
  if (valid.length >= API_KEYS_PER_USER) {
    context.reply(replyTo, refused('conflict', `limit of ${API_KEYS_PER_USER} API keys reached: revoke one`));
    return;
  }
  const { digest, ...given } = key;
  const record: ApiKeyRecord = {
    version: 1,
    id: context.newId(),
    userId,
    ...given,
    createdAt: context.now,
    lastUsedAt: null,
    revokedAt: null,
  };
  write(account, digest, record, context);
  context.change(put('userApiKey', keys.userApiKey(userId, record.id), { version: 1, digest }));
  state.keyOwners.set(digest, userId);
  forgetEnded(state, account, context);
  context.reply(replyTo, done(record));
}

export function onKeyRevoke(
  state: AccountsState,
  { userId, keyId, replyTo }: Message<'key.revoke'>,
  context: AccountsContext,
): void {
  const account = state.accounts.get(userId);
  const found = [...(account?.keys ?? [])].find(([, { id }]) => id === keyId);
  if (account === undefined || found === undefined || found[1].revokedAt !== null) {
    context.reply(replyTo, refused('not-found', `no API key ${keyId.slice(0, 100)}`));
    return;
  }
  const [digest, record] = found;
  write(account, digest, { ...record, revokedAt: context.now }, context);
  context.reply(replyTo, done(null));
}

export function onKeyUsed(
  state: AccountsState,
  { digest }: Message<'key.used'>,
  context: AccountsContext,
): void {
  const account = state.accounts.get(state.keyOwners.get(digest) ?? '');
  const record = account?.keys.get(digest);
  if (account === undefined || record === undefined) return;
  if (record.lastUsedAt !== null && context.now - record.lastUsedAt < API_KEY_USE_MS) return;
  write(account, digest, { ...record, lastUsedAt: context.now }, context);
}

function write(account: Account, digest: string, record: ApiKeyRecord, context: AccountsContext): void {
  account.keys.set(digest, record);
  context.change(put('apiKey', keys.apiKey(digest), record));
}

/** Removes the oldest keys that are no longer valid, so that the number of rows is bounded. */
function forgetEnded(state: AccountsState, account: Account, context: AccountsContext): void {
  const ended = [...account.keys]
    .filter(([, record]) => !isValidKey(record, context.now))
    .sort(([, a], [, b]) => a.createdAt - b.createdAt);
  for (const [digest] of ended.slice(0, Math.max(0, ended.length - ENDED_KEYS_KEPT)))
    removeKey(state, account, digest, context);
}
