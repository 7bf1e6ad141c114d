import {
  confirmedCredential,
  currentKey,
  hasExpired,
  joinedCredential,
  KEYS_MAX,
  renewedCredential,
  revokeCredential,
  settledCredential,
} from '../../../src/core/bus-identity/credentials.ts';
import { decideJoin } from '../../../src/core/bus-identity/join-decision.ts';
import { workerId, type FarmId } from '../../../src/core/ids.ts';
import { done, refused } from '../../../src/core/problems.ts';
import { remove } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { WorkerCredentialRecord } from '../../../src/core/records/worker-credential.ts';
import {
  removeExpiredTokens,
  removeToken,
  watchCredentials,
  writeCredential,
  writeToken,
} from './credential-rows.ts';
import type { CatalogMessage } from './messages.ts';
import type { CatalogContext, CatalogState } from './state.ts';

type Message<Type extends CatalogMessage['type']> = Extract<CatalogMessage, { type: Type }>;

/** Maximum number of rows: more than the workers of every farm, with deleted ones whose keys have not expired. */
const CREDENTIALS_MAX = 200_000;

export function onJoin(
  state: CatalogState,
  { request, replyTo }: Message<'credential.join'>,
  context: CatalogContext,
): void {
  const { name, key, namesakes, lifetimeMs } = request;
  const refuse = (reason: string): void => context.reply(replyTo, refused('forbidden', reason));
  const token = state.tokens.get(request.tokenId);
  if (token === undefined) return refuse('the token does not exist, or has expired; create a new one');
  const all = [...state.credentials.values()];
  const holder = all.find((each) => each.keys.some((own) => own.key === key));
  const holders = {
    workers: namesakes.map((worker) => ({ worker, credential: state.credentials.get(worker.id) })),
    unregistered: all.filter((each) => isRival(each, name, token.farmId)),
  };
  const decision = decideJoin(token, name, holder, key, holders, context.now);
  if (decision.type === 'refused') return refuse(decision.reason);
  if (decision.type === 'repeated') return context.reply(replyTo, done(decision.credential));
  if (state.credentials.size >= CREDENTIALS_MAX)
    return refuse('the service has too many credentials of workers');
  for (const lost of decision.revokes) writeCredential(state, revokeCredential(lost, context.now), context);
  const id = decision.takesOver ?? workerId(context.newId());
  const credential = joinedCredential(
    state.credentials.get(id),
    { workerId: id, name, farmId: token.farmId },
    token,
    { key, expiresAt: context.now + lifetimeMs },
    context.now,
  );
  writeToken(state, decision.token, context);
  writeCredential(state, credential, context);
  watchCredentials(state, context);
  context.reply(replyTo, done(credential));
}

/** Reports whether a credential of a worker that has not registered holds the name in a farm of the token. */
const isRival = (each: WorkerCredentialRecord, name: string, farmId: FarmId | null): boolean =>
  each.registeredAt === null &&
  each.name === name &&
  (each.farmId === null || farmId === null || each.farmId === farmId);

export function onRenew(
  state: CatalogState,
  { workerId: id, by, key, lifetimeMs, replyTo }: Message<'credential.renew'>,
  context: CatalogContext,
): void {
  const credential = state.credentials.get(id);
  const current = credential === undefined ? null : currentKey(credential);
  const isHolder = current?.key === by && context.now < current.expiresAt;
  const isTaken = [...state.credentials.values()].some(
    (each) => each.workerId !== id && each.keys.some((own) => own.key === key),
  );
  if (credential === undefined || !isHolder || isTaken) {
    context.reply(replyTo, refused('forbidden', 'the key that signs the renewal is not valid'));
    return;
  }
  const renewed = renewedCredential(credential, { key, expiresAt: context.now + lifetimeMs }, context.now);
  if (renewed === null) {
    const detail = `the new key was used before, or the worker has ${KEYS_MAX} keys that have not expired`;
    context.reply(replyTo, refused('conflict', detail));
    return;
  }
  writeCredential(state, renewed, context);
  context.reply(replyTo, done(renewed));
}

export function onConfirm(
  state: CatalogState,
  { workerId: id, key, replyTo }: Message<'credential.confirm'>,
  context: CatalogContext,
): void {
  const credential = state.credentials.get(id);
  const confirmed = credential === undefined ? null : confirmedCredential(credential, key, context.now);
  if (confirmed === null) {
    context.reply(replyTo, refused('forbidden', 'the key is not valid'));
    return;
  }
  writeCredential(state, confirmed, context);
  context.reply(replyTo, done(confirmed));
}

export function onRevoke(
  state: CatalogState,
  { workerId: id, replyTo }: Message<'credential.revoke'>,
  context: CatalogContext,
): void {
  const credential = state.credentials.get(id);
  if (credential === undefined) {
    context.reply(
      replyTo,
      refused('conflict', 'the worker has no credential: it has not joined with a token'),
    );
    return;
  }
  const revoked = revokeCredential(credential, context.now);
  writeCredential(state, revoked, context);
  context.reply(replyTo, done(revoked));
}

export function onRegistered(
  state: CatalogState,
  { workerId: id }: Message<'credential.registered'>,
  context: CatalogContext,
): void {
  const credential = state.credentials.get(id);
  if (credential === undefined || credential.registeredAt !== null) return;
  writeCredential(state, { ...credential, registeredAt: context.now }, context);
}

export function onWorkerRemoved(
  state: CatalogState,
  { workerId: id }: Message<'credential.worker-removed'>,
  context: CatalogContext,
): void {
  const credential = state.credentials.get(id);
  if (credential !== undefined) writeCredential(state, revokeCredential(credential, context.now), context);
}

/** Revokes the credentials of a deleted farm, and removes its tokens. */
export function revokeFarm(state: CatalogState, farmId: FarmId, context: CatalogContext): void {
  for (const token of [...state.tokens.values()])
    if (token.farmId === farmId) removeToken(state, token.id, context);
  for (const credential of [...state.credentials.values()])
    if (credential.farmId === farmId)
      writeCredential(state, revokeCredential(credential, context.now), context);
}

/** Removes what has expired, and refuses replaced keys whose time has passed. */
export function onCredentialsDue(state: CatalogState, _message: unknown, context: CatalogContext): void {
  removeExpiredTokens(state, context);
  for (const credential of [...state.credentials.values()]) {
    const isOver = hasExpired(credential, context.now) && isForgotten(credential);
    if (isOver) {
      state.credentials.delete(credential.workerId);
      context.change(remove('workerCredential', keys.workerCredential(credential.workerId)));
    } else writeCredential(state, settledCredential(credential, context.now), context);
  }
  watchCredentials(state, context);
}

/** A revoked credential, or one whose worker never registered, is of no use to a reader once its keys have expired. */
const isForgotten = ({ revokedAt, registeredAt }: WorkerCredentialRecord): boolean =>
  revokedAt !== null || registeredAt === null;
