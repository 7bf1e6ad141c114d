import { askAccounts } from '../accounts/ask-accounts.ts';
import { API_KEY_PREFIX_LENGTH, API_KEY_START, type ApiKeyRecord } from '../../src/core/records/api-key.ts';
import { done, type Outcome } from '../../src/core/problems.ts';
import { keys } from '../../src/core/records/tables.ts';
import type { Ports } from '../ports.ts';
import { sortedBy } from '../views/page-view.ts';
import type { Schemas } from '../views/schemas.ts';
import { apiKeyView } from '../views/user-view.ts';
import { deleted } from './catalog-replies.ts';
import { invalid, notFound, problem, type Handler } from './operation.ts';
import { storedUser } from './users.ts';

/** docs/contract/rest.md#api-keys */

const OFF = 'authentication is off (auth.enabled): there are no API keys to use';

export const listApiKeys: Handler<'listApiKeys'> = ({ principal }, ports) =>
  ports.auth.enabled
    ? { kind: 'json', status: 200, body: keysOf(ports, principal.subject) }
    : problem('conflict', OFF);

export const createApiKey: Handler<'createApiKey'> = async ({ principal, body }, ports) => {
  if (!ports.auth.enabled) return problem('conflict', OFF);
  const { expires_at: given = null } = body;
  const expiresAt = given === null ? null : Date.parse(given);
  // Not a number: a leap second.
  if (expiresAt !== null && !(expiresAt > ports.now()))
    return invalid('/expires_at', 'must be in the future');
  const outcome = await newApiKey(ports, principal.subject, body.name, expiresAt);
  if (!outcome.ok) return { kind: 'problem', problem: outcome.problem };
  const location = `/api/v1/api-keys/${outcome.value.id}`;
  return { kind: 'json', status: 201, body: outcome.value, location };
};

/** Creates an API key for an account. `expiresAt` is in milliseconds since the epoch; null: it does not expire. */
export async function newApiKey(
  ports: Pick<Ports, 'actors' | 'secrets'>,
  userId: string,
  name: string,
  expiresAt: number | null,
): Promise<Outcome<Schemas['NewApiKey']>> {
  const secret = `${API_KEY_START}${ports.secrets.create()}`;
  const key = {
    digest: ports.secrets.digest(secret),
    prefix: secret.slice(0, API_KEY_PREFIX_LENGTH),
    name,
    expiresAt,
  };
  const outcome = await askAccounts<ApiKeyRecord>(ports, (replyTo) => ({
    type: 'key.create',
    userId,
    key,
    replyTo,
  }));
  return outcome.ok ? done({ ...apiKeyView(outcome.value), secret }) : outcome;
}

export const revokeApiKey: Handler<'revokeApiKey'> = async ({ principal, path }, ports) =>
  ports.auth.enabled ? await revoke(ports, principal.subject, path.id) : problem('conflict', OFF);

export const listUserApiKeys: Handler<'listUserApiKeys'> = ({ path }, ports) =>
  storedUser(ports, path.id) === undefined
    ? notFound('user', path.id)
    : { kind: 'json', status: 200, body: keysOf(ports, path.id) };

export const revokeUserApiKey: Handler<'revokeUserApiKey'> = async ({ path }, ports) =>
  await revoke(ports, path.id, path.keyId);

async function revoke(ports: Ports, userId: string, keyId: string): Promise<ReturnType<typeof deleted>> {
  const outcome = await askAccounts<null>(ports, (replyTo) => ({
    type: 'key.revoke',
    userId,
    keyId,
    replyTo,
  }));
  return deleted(outcome);
}

/** Returns the keys of an account that are not revoked, the oldest first. */
function keysOf({ store }: Ports, userId: string): readonly Schemas['ApiKey'][] {
  const found: ApiKeyRecord[] = [];
  for (const { value } of store.scan('userApiKey', { prefix: keys.userApiKeysOf(userId) })) {
    const record = store.get('apiKey', keys.apiKey(value.digest));
    if (record?.revokedAt === null) found.push(record);
  }
  return sortedBy(found, (key) => key.createdAt, 'asc').map(apiKeyView);
}
