import { refusedKeys } from '../../../src/core/bus-identity/credentials.ts';
import { isExpiredToken } from '../../../src/core/bus-identity/join-tokens.ts';
import { put, remove } from '../../../src/core/records/change-set.ts';
import type { JoinTokenRecord } from '../../../src/core/records/join-token.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { WorkerCredentialRecord } from '../../../src/core/records/worker-credential.ts';
import type { CatalogContext, CatalogState } from './state.ts';

/** Time between two looks at tokens and keys, in milliseconds. A replaced key is refused at most that much later. */
const WATCH_MS = 15_000;

/** Sets the timer that removes expired tokens and settles keys, if there are any. */
export function watchCredentials(state: CatalogState, context: CatalogContext): void {
  if (state.tokens.size + state.credentials.size === 0) return;
  context.after('credentials', WATCH_MS, { type: 'credentials.due' });
}

/** Stores a token. */
export function writeToken(state: CatalogState, token: JoinTokenRecord, context: CatalogContext): void {
  state.tokens.set(token.id, token);
  context.change(put('joinToken', keys.joinToken(token.id), token));
}

export function removeToken(state: CatalogState, id: string, context: CatalogContext): void {
  state.tokens.delete(id);
  context.change(remove('joinToken', keys.joinToken(id)));
}

/** Removes tokens that have expired. */
export function removeExpiredTokens(state: CatalogState, context: CatalogContext): void {
  for (const token of [...state.tokens.values()])
    if (isExpiredToken(token, context.now)) removeToken(state, token.id, context);
}

/** Stores a credential. The bus is asked to refuse those of its keys that it must refuse from now on. */
export function writeCredential(
  state: CatalogState,
  credential: WorkerCredentialRecord,
  context: CatalogContext,
): void {
  const before = state.credentials.get(credential.workerId);
  if (before === credential) return;
  state.credentials.set(credential.workerId, credential);
  context.change(put('workerCredential', keys.workerCredential(credential.workerId), credential));
  const known = new Set(before === undefined ? [] : refusedKeys(before, context.now));
  if (refusedKeys(credential, context.now).some((key) => !known.has(key)))
    context.effect({ kind: 'refused-keys-changed' });
}
