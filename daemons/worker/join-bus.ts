import { createHash, X509Certificate } from 'node:crypto';
import { parseJoinToken } from '../../src/adapters/identity/join-token-text.ts';
import {
  readPendingKey,
  removePendingKey,
  writeCredential,
  writePendingKey,
} from '../../src/adapters/identity/credential-file.ts';
import { backoffMs, BackoffTimer } from '../../src/adapters/nats/backoff.ts';
import { requestJoin, type CredentialAnswer } from '../../src/adapters/nats/credential-requests.ts';
import { newUserKey, publicKeyOf } from '../../src/adapters/nats/user-keys.ts';
import { readSecret } from '../../src/adapters/system/secret-file.ts';
import type { JoinToken } from '../../src/core/bus-identity/join-token.ts';
import type { StoredCredential } from '../../src/core/bus-identity/stored-credential.ts';
import type { WorkerConfig } from '../../src/core/config/worker-config.ts';
import type { JoinMessage, JoinReply } from '../../src/core/wire/join-messages.ts';
import type { Logger } from '../process/logging.ts';

const RETRY_MS = { min: 1000, max: 15_000 } as const;

/** How to get another token, for errors. */
export const NEW_TOKEN =
  'create a new token with "callsheet workers token create" and start the worker once with --join TOKEN';

/**
 * Returns the token of `worker.join`; null if there is none.
 *
 * @throws Error if it is not a token, or its file cannot be used. The message contains nothing of the token.
 */
export function configuredToken({ worker }: WorkerConfig): JoinToken | null {
  if (worker.join === null) return null;
  const parsed = parseJoinToken(readSecret('worker.join_file', worker.join));
  if (!parsed.ok) throw new Error(`worker.join: not a join token: ${parsed.reason}`);
  return parsed.value;
}

/**
 * Exchanges the token for a credential and stores it. The key is stored before the request, so that a repeated request
 * after a crash costs no second use. Waits for a bus that cannot be reached; returns null if `stopping` is aborted.
 *
 * @throws Error with the reason if the token is refused.
 */
export async function joinBus(
  { worker }: WorkerConfig,
  token: JoinToken,
  logger: Logger,
  stopping: AbortSignal,
): Promise<StoredCredential | null> {
  const path = worker.credentialsFile;
  const seed = await keyFor(path, token.i);
  const request: JoinMessage = {
    v: 1,
    type: 'join',
    token_id: token.i,
    secret: token.s,
    name: worker.name,
    ...(worker.farm === '' ? {} : { farm: worker.farm }),
    nkey: publicKeyOf(seed) ?? '',
  };
  const pauses = new BackoffTimer();
  const stop = (): void => pauses.end();
  stopping.addEventListener('abort', stop, { once: true });
  try {
    for (let failures = 1; !stopping.aborted; failures += 1) {
      const answer = await requestJoin(token, JSON.stringify(request));
      if (answer.type === 'answered' && answer.reply.type === 'joined') {
        const credential = credentialOf(answer.reply, token, seed);
        await writeCredential(path, credential);
        await removePendingKey(path);
        logger.info({ worker_id: credential.worker_id, file: path }, 'joined the service');
        return credential;
      }
      const retryMs = retryAfter(answer);
      if (retryMs === null) throw new Error(`cannot join the service: ${reasonOf(answer)}`);
      if (failures === 1)
        logger.warn({ reason: reasonOf(answer) }, 'cannot join the service yet; trying again');
      await pauses.pause(Math.max(retryMs, backoffMs(failures, RETRY_MS.min, RETRY_MS.max)));
    }
  } finally {
    stopping.removeEventListener('abort', stop);
  }
  return null;
}

/** Returns the seed for which the token was exchanged before, or a new one, which is stored. */
async function keyFor(path: string, tokenId: string): Promise<string> {
  const pending = await readPendingKey(path);
  if (pending !== null && pending.token_id === tokenId && publicKeyOf(pending.seed) !== null)
    return pending.seed;
  const { seed } = newUserKey();
  await writePendingKey(path, { v: 1, seed, token_id: tokenId });
  return seed;
}

/** Returns the time after which a request can be repeated; null if that is of no use. */
function retryAfter(answer: CredentialAnswer): number | null {
  if (answer.type === 'unreachable') return 0;
  return answer.type === 'answered' && answer.reply.type === 'refused'
    ? (answer.reply.retry_after_ms ?? null)
    : null;
}

function reasonOf(answer: CredentialAnswer): string {
  switch (answer.type) {
    case 'answered':
      return answer.reply.type === 'refused' ? answer.reply.reason : '';
    case 'unauthorized':
      return `the bus refuses the token (${answer.reason}): it has expired, or is of another service; ${NEW_TOKEN}`;
    case 'foreign':
    case 'unreachable':
      return answer.reason;
  }
}

function credentialOf(
  { worker_id, farm_id, urls, jwt, ca, expires_at }: Extract<JoinReply, { type: 'joined' }>,
  token: JoinToken,
  seed: string,
): StoredCredential {
  const fingerprint = createHash('sha256').update(new X509Certificate(ca).raw).digest('base64url');
  if (fingerprint !== token.c || jwt === null)
    throw new Error('cannot join the service: its reply does not belong to the token');
  return { v: 1, worker_id, farm_id, urls, seed, jwt, ca, expires_at };
}
