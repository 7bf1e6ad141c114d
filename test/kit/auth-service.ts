import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Role } from '../../src/core/access/permissions.ts';
import { freePort, startService, type RunningService, type ServiceOptions } from './daemons.ts';

/** Name and password of the first administrator of a test service. */
export const ADMIN = { username: 'root', password: 'password of root' } as const;

/** Returns the password of an account that `AuthService.user` creates. */
export const passwordOf = (username: string): string => `password of ${username}`;

/** Flags of a service with authentication. The password of the first administrator is in a file of the folder. */
export function authFlags(folder: string): readonly string[] {
  const file = join(folder, 'admin-password');
  writeFileSync(file, `${ADMIN.password}\n`, { mode: 0o600 });
  return [
    '--auth-enabled=true',
    `--auth-bootstrap-username=${ADMIN.username}`,
    `--auth-bootstrap-password-file=${file}`,
    '--auth-login-throttle=false',
  ];
}

export interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Received<Body = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Parsed if it is JSON. */
  readonly body: Body;
}

/** A credential as headers of a request. */
export type Credential = Readonly<Record<string, string>>;

/** A running service with authentication. */
export class AuthService {
  readonly service: RunningService;
  readonly url: string;
  /** API key of the administrator. */
  readonly admin: Credential;

  constructor(service: RunningService, admin: Credential) {
    this.service = service;
    this.url = service.api.url;
    this.admin = admin;
  }

  send<Body = Record<string, unknown>>(sent: Sent, credential: Credential = {}): Promise<Received<Body>> {
    return send<Body>(this.url, sent, credential);
  }

  /** Signs in. Throws unless it succeeds. */
  signIn(username: string, password = passwordOf(username)): Promise<Credential> {
    return signIn(this.url, username, password);
  }

  /** Creates an account with the password `passwordOf`, and returns its id. */
  async user(username: string, role: Role = 'user'): Promise<string> {
    const body = { username, role, password: passwordOf(username) };
    const made = await this.send<{ id: string }>({ method: 'POST', path: '/api/v1/users', body }, this.admin);
    if (made.status !== 201) throw new Error(`user ${username}: ${made.status} ${made.text}`);
    return made.body.id;
  }

  /** Creates an API key of the credential's account. */
  async apiKey(
    credential: Credential,
    name = 'key',
  ): Promise<{ readonly id: string; readonly secret: string }> {
    const made = await this.send<{ id: string; secret: string }>(
      { method: 'POST', path: '/api/v1/api-keys', body: { name } },
      credential,
    );
    if (made.status !== 201) throw new Error(`key ${name}: ${made.status} ${made.text}`);
    return made.body;
  }
}

/** Returns the header of an API key. */
export const bearer = (secret: string): Credential => ({ authorization: `Bearer ${secret}` });

/** Starts a service with authentication and creates an API key of its administrator. */
export async function startAuthService(
  folder: string,
  options: Partial<Omit<ServiceOptions, 'folder'>> = {},
): Promise<AuthService> {
  const service = await startService({
    folder,
    httpPort: await freePort(),
    busPort: await freePort(),
    ...options,
    flags: [...authFlags(folder), ...(options.flags ?? [])],
  });
  const session = await signIn(service.api.url, ADMIN.username, ADMIN.password);
  const { secret } = await new AuthService(service, session).apiKey(session, 'administrator');
  return new AuthService(service, bearer(secret));
}

/** Sends a JSON request. Unsafe requests with a cookie name the service's own origin, as its pages do. */
export async function send<Body = Record<string, unknown>>(
  url: string,
  { method = 'GET', path, body, headers = {} }: Sent,
  credential: Credential = {},
): Promise<Received<Body>> {
  const response = await fetch(`${url}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...('cookie' in credential ? { origin: url } : {}),
      ...credential,
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: (isJson && text !== '' ? JSON.parse(text) : {}) as Body,
  };
}

/** Signs in and returns the session as a credential. Throws unless it succeeds. */
export async function signIn(url: string, username: string, password: string): Promise<Credential> {
  const answer = await send(url, {
    method: 'POST',
    path: '/api/v1/auth/login',
    body: { username, password },
  });
  const cookie = sessionCookieOf(answer);
  if (answer.status !== 200 || cookie === null) throw new Error(`sign in: ${answer.status} ${answer.text}`);
  return { cookie };
}

/** Returns `NAME=VALUE` of the session cookie that an answer sets; null if it sets none. */
export function sessionCookieOf({ headers }: Pick<Received, 'headers'>): string | null {
  const set = headers.getSetCookie().find((each) => each.startsWith('svc_session='));
  return set?.split(';')[0] ?? null;
}
