import { isExpiredToken, JOIN_TOKEN_LIFETIME_MS } from '../../src/core/bus-identity/join-tokens.ts';
import { formatDuration, parseDuration } from '../../src/core/duration.ts';
import { farmId } from '../../src/core/ids.ts';
import type { JoinTokenRecord } from '../../src/core/records/join-token.ts';
import type { WorkerCredentialRecord } from '../../src/core/records/worker-credential.ts';
import { sortedBy } from '../views/page-view.ts';
import { workerCredentialView, workerTokenView } from '../views/worker-token-view.ts';
import { askCatalog, deleted, replaced } from './catalog-replies.ts';
import { invalid, notFound, problem, type Handler } from './operation.ts';
import { findWorker } from './workers.ts';

/** docs/rest.md#worker-tokens */

/** Name of a tag, as in `worker.tags`. */
const TAG_NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,99}$/;
const CONTROL_CHARACTERS = /\p{Cc}/u;

export const listWorkerTokens: Handler<'listWorkerTokens'> = (_call, ports) => {
  if (!ports.workerTokens.isOn) return problem('conflict', ports.workerTokens.reason);
  const now = ports.now();
  const tokens = [...ports.store.scan('joinToken')]
    .map(({ value }) => value)
    .filter((token) => !isExpiredToken(token, now));
  const sorted = sortedBy(tokens, (token) => token.createdAt, 'asc');
  return { kind: 'json', status: 200, body: sorted.map(workerTokenView) };
};

export const createWorkerToken: Handler<'createWorkerToken'> = async ({ body, principal }, ports) => {
  const { workerTokens, secrets } = ports;
  if (!workerTokens.isOn) return problem('conflict', workerTokens.reason);
  const { farm_id: farm = null, tags = {}, uses = 1 } = body;
  const { min, max, default: usual } = JOIN_TOKEN_LIFETIME_MS;
  const lifetimeMs = body.expires_in === undefined ? usual : (parseDuration(body.expires_in) ?? 0);
  if (lifetimeMs < min || lifetimeMs > max)
    return invalid('/expires_in', `must be from ${formatDuration(min)} to ${formatDuration(max)}`);
  const fault = tagFault(tags);
  if (fault !== null) return invalid('/tags', fault);
  const secret = secrets.create();
  const input = {
    digest: secrets.digest(secret),
    farmId: farm === null ? null : farmId(farm),
    tags,
    uses,
    lifetimeMs,
    createdBy: principal.username,
  };
  const outcome = await askCatalog<JoinTokenRecord>(ports, (replyTo) => ({
    type: 'token.create',
    input,
    replyTo,
  }));
  if (!outcome.ok) return { kind: 'problem', problem: outcome.problem };
  const token = await workerTokens.textOf(outcome.value, secret);
  const made = { ...workerTokenView(outcome.value), token, command: `callsheet worker --join ${token}` };
  const location = `/api/v1/worker-tokens/${outcome.value.id}`;
  return { kind: 'json', status: 201, body: made, location };
};

/** Returns why a worker could not have the tags; null if it can. */
function tagFault(tags: Readonly<Record<string, string>>): string | null {
  for (const [name, value] of Object.entries(tags)) {
    if (!TAG_NAME.test(name)) return `${JSON.stringify(name)} is not a name of a tag`;
    if (value === '' || CONTROL_CHARACTERS.test(value))
      return `the value of ${name} must be a text without control characters`;
  }
  return null;
}

export const revokeWorkerToken: Handler<'revokeWorkerToken'> = async ({ path }, ports) => {
  if (!ports.workerTokens.isOn) return problem('conflict', ports.workerTokens.reason);
  const outcome = await askCatalog<null>(ports, (replyTo) => ({
    type: 'token.revoke',
    tokenId: path.id,
    replyTo,
  }));
  return deleted(outcome);
};

export const revokeWorkerCredential: Handler<'revokeWorkerCredential'> = async ({ path }, ports) => {
  if (!ports.workerTokens.isOn) return problem('conflict', ports.workerTokens.reason);
  const worker = findWorker(ports.store, path.id);
  if (worker === null) return notFound('worker', path.id);
  const outcome = await askCatalog<WorkerCredentialRecord>(ports, (replyTo) => ({
    type: 'credential.revoke',
    workerId: worker.id,
    replyTo,
  }));
  return replaced(outcome, workerCredentialView);
};
