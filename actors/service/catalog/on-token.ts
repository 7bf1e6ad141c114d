import { isExpiredToken, JOIN_TOKENS_MAX, revokeToken } from '../../../src/core/bus-identity/join-tokens.ts';
import { done, refused } from '../../../src/core/problems.ts';
import type { JoinTokenRecord } from '../../../src/core/records/join-token.ts';
import { removeExpiredTokens, watchCredentials, writeToken } from './credential-rows.ts';
import type { CatalogMessage } from './messages.ts';
import type { CatalogContext, CatalogState } from './state.ts';

export function onTokenCreate(
  state: CatalogState,
  { input, replyTo }: Extract<CatalogMessage, { type: 'token.create' }>,
  context: CatalogContext,
): void {
  removeExpiredTokens(state, context);
  const { lifetimeMs, ...given } = input;
  if (given.farmId !== null && !state.names.has(given.farmId)) {
    context.reply(replyTo, refused('bad-request', `farm_id: there is no farm ${given.farmId}`));
    return;
  }
  if (state.tokens.size >= JOIN_TOKENS_MAX) {
    const detail = `there are ${JOIN_TOKENS_MAX} tokens already, with revoked ones; wait until some have expired`;
    context.reply(replyTo, refused('conflict', detail));
    return;
  }
  const record: JoinTokenRecord = {
    version: 1,
    id: context.newId(),
    ...given,
    usesLeft: given.uses,
    createdAt: context.now,
    expiresAt: context.now + lifetimeMs,
    revokedAt: null,
    lastUsedAt: null,
  };
  writeToken(state, record, context);
  watchCredentials(state, context);
  context.reply(replyTo, done(record));
}

export function onTokenRevoke(
  state: CatalogState,
  { tokenId, replyTo }: Extract<CatalogMessage, { type: 'token.revoke' }>,
  context: CatalogContext,
): void {
  const token = state.tokens.get(tokenId);
  if (token === undefined || isExpiredToken(token, context.now)) {
    context.reply(replyTo, refused('not-found', `no worker token ${tokenId.slice(0, 100)}`));
    return;
  }
  if (token.revokedAt === null) writeToken(state, revokeToken(token, context.now), context);
  context.reply(replyTo, done(null));
}
