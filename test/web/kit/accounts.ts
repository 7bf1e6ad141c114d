import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { openBrowserFixture, type BrowserFixture } from '../../kit/browser/browser-fixture.ts';

/** The first administrator of a service for tests. */
export const ADMIN = { username: 'root', password: 'correct horse battery' } as const;

/** Starts a service with authentication of users and of its bus and with its first administrator, and a browser. */
export async function openAccountsFixture(): Promise<BrowserFixture> {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-secret-'));
  const file = join(folder, 'password');
  await writeFile(file, ADMIN.password, { mode: 0o600 });
  const fixture = await openBrowserFixture([
    '--auth-enabled=true',
    '--bus-auth-enabled=true',
    `--auth-bootstrap-username=${ADMIN.username}`,
    `--auth-bootstrap-password-file=${file}`,
  ]);
  return {
    ...fixture,
    close: async (keep) => {
      await fixture.close(keep);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export interface Reply {
  readonly status: number;
  readonly body: unknown;
}

/** Client of the REST API with an API key. */
export interface KeyClient {
  readonly key: string;
  send(method: string, path: string, body?: object | string): Promise<Reply>;
  /** Returns a text member of the reply. Throws unless the request succeeds. */
  must(method: string, path: string, body?: object | string, member?: string): Promise<string>;
}

/** Returns a client that uses a key. */
export function keyClient(url: string, key: string): KeyClient {
  const send: KeyClient['send'] = async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && {
          'content-type': typeof body === 'string' ? 'application/x-yaml' : 'application/json',
        }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  };
  return {
    key,
    send,
    must: async (method, path, body, member = 'id') => {
      const reply = await send(method, path, body);
      if (reply.status >= 400) throw new Error(`${method} ${path}: ${JSON.stringify(reply)}`);
      const value: unknown = new Map<string, unknown>(Object.entries(reply.body ?? {})).get(member);
      return typeof value === 'string' ? value : '';
    },
  };
}

/** Signs in over the REST API and creates a key. */
export async function createKey(url: string, username: string, password: string): Promise<KeyClient> {
  const json = { 'content-type': 'application/json', origin: url };
  const login = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ username, password }),
  });
  const cookie = login.headers.get('set-cookie')?.split(';')[0];
  if (cookie === undefined) throw new Error(`the login of ${username} failed: ${login.status}`);
  const created = await fetch(`${url}/api/v1/api-keys`, {
    method: 'POST',
    headers: { ...json, cookie },
    body: JSON.stringify({ name: 'test' }),
  });
  const { secret } = (await created.json()) as { secret: string };
  return keyClient(url, secret);
}

/** Fills the form of the sign-in page and submits it. */
export async function fillSignIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('User name').fill(username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}
