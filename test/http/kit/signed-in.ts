import type { Test } from 'tap';
import { randomSecrets } from '../../../src/adapters/identity/random-secrets.ts';
import type { Role } from '../../../src/core/access/permissions.ts';
import { put, type Change } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { UserRecord } from '../../../src/core/records/user.ts';
import type { Answer } from './contract-check.ts';
import { AUTH_OFF, startForBrowsers, type StartedApi } from './api-fixture.ts';
import type { AuthSettings } from '../../../http/ports.ts';
import { T0 } from './records.ts';

const PEOPLE = {
  root: 'admin',
  oscar: 'operator',
  rita: 'read-only',
  alice: 'user',
  bob: 'user',
} as const satisfies Record<string, Role>;
export type PersonName = keyof typeof PEOPLE;

/** Requests of one account. */
export interface SignedIn {
  readonly headers: Readonly<Record<string, string>>;
  get(path: string): Promise<Answer>;
  json(
    method: string,
    path: string,
    body: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
  send(method: string, path: string): Promise<Answer>;
}

export interface SignedInApi extends StartedApi {
  readonly as: (name: PersonName) => SignedIn;
}

const keyOf = (name: string): string => `svc_key-of-${name}`;

/** Returns the rows of an account with an API key. */
export function accountChanges(name: string, role: Role): readonly Change[] {
  const user: UserRecord = {
    version: 1,
    id: `id-of-${name}`,
    username: name,
    displayName: '',
    role,
    disabled: false,
    authSource: 'local',
    externalId: null,
    passwordHash: null,
    createdAt: T0,
    updatedAt: T0,
  };
  const apiKey = {
    version: 1,
    id: `key-of-${name}`,
    userId: user.id,
    name: 'test',
    prefix: 'svc_key-of-x',
    expiresAt: null,
    createdAt: T0,
    lastUsedAt: T0,
    revokedAt: null,
  } as const;
  return [
    put('user', keys.user(user.id), user),
    put('username', keys.username(name), { version: 1, userId: user.id }),
    put('apiKey', keys.apiKey(randomSecrets.digest(keyOf(name))), apiKey),
  ];
}

/** Starts an API fixture with authentication and an account of each role. */
export async function startSignedIn(t: Test, auth: Partial<AuthSettings> = {}): Promise<SignedInApi> {
  const started = await startForBrowsers(t, {}, {}, { ...AUTH_OFF, enabled: true, ...auth });
  const { api, client } = started;
  for (const [name, role] of Object.entries(PEOPLE)) api.write(...accountChanges(name, role));
  return {
    ...started,
    as: (name) => {
      const own = { authorization: `Bearer ${keyOf(name)}` };
      return {
        headers: own,
        get: (path) => client.get(path, own),
        send: (method, path) => client.send(method, path, { headers: own }),
        json: (method, path, body, headers = {}) =>
          client.send(method, path, {
            headers: { 'content-type': 'application/json', ...own, ...headers },
            body: JSON.stringify(body),
          }),
      };
    },
  };
}
