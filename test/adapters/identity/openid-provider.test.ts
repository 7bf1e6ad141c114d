import { createServer } from 'node:http';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'tap';
import { openIdProvider } from '../../../src/adapters/identity/oidc/openid-provider.ts';
import type { Role } from '../../../src/core/access/permissions.ts';
import type { OidcSettings } from '../../../src/core/config/oidc-settings.ts';
import type { ExternalIdentity } from '../../../src/core/access/external-identity.ts';
import type { ProviderResult } from '../../../src/core/ports/identity-provider.ts';
import { HttpBrowser } from '../../kit/oidc/http-browser.ts';
import {
  CLIENT_ID,
  CLIENT_SECRET,
  PROVIDER_PATHS,
  startProvider,
  type TestProvider,
} from '../../kit/oidc/provider.ts';

const REDIRECT_URL = 'http://127.0.0.1:9/api/v1/auth/oidc/callback';
const ACCOUNTS = { 'id-alice': { name: 'Alice', preferred_username: 'alice', groups: ['artists'] } };

const settingsOf = (issuer: string, changes: Partial<OidcSettings> = {}): OidcSettings => ({
  issuer,
  clientId: CLIENT_ID,
  clientSecret: { text: CLIENT_SECRET },
  scopes: ['openid', 'profile', 'groups'],
  redirectUrl: REDIRECT_URL,
  endpointHosts: [],
  claims: {
    usernameClaim: 'preferred_username',
    roleClaim: 'groups',
    roleMap: new Map<string, Role>([['artists', 'user']]),
    defaultRole: null,
  },
  logoutMode: 'provider',
  ...changes,
});

/** Clock that a test moves. */
class Clock {
  time = 0;
  now = (): number => Date.now();
  steadyNow = (): number => this.time;
}

/** Signs in by the provider; returns what the adapter makes of it. */
async function signIn(
  provider: ReturnType<typeof openIdProvider>,
  changeAnswer: (parameters: Record<string, string>) => void = () => undefined,
): Promise<ProviderResult<ExternalIdentity | string>> {
  const [state, nonce, codeVerifier] = [1, 2, 3].map(() => randomBytes(32).toString('base64url'));
  if (state === undefined || nonce === undefined || codeVerifier === undefined)
    throw new Error('unreachable');
  const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
  const url = await provider.loginUrl({ state, nonce, codeChallenge });
  if (!url.ok) return url;
  const back = await new HttpBrowser().follow(url.value, REDIRECT_URL);
  const parameters = Object.fromEntries(new URL(back).searchParams);
  changeAnswer(parameters);
  return await provider.identify({ state, nonce, codeVerifier, parameters });
}

async function withProvider(
  run: (provider: TestProvider) => Promise<void>,
  options: { readonly port?: number } = {},
): Promise<void> {
  const provider = await startProvider({ redirectUrls: [REDIRECT_URL], accounts: ACCOUNTS, ...options });
  try {
    await run(provider);
  } finally {
    await provider.close();
  }
}

test('a login of a real provider gives the user with the claims of the userinfo endpoint', async (t) => {
  await withProvider(async ({ issuer, requests }) => {
    const provider = openIdProvider(settingsOf(issuer), new Clock());
    t.same(requests, [], 'nothing is requested before the first login');
    t.same(await signIn(provider), {
      ok: true,
      value: {
        externalId: `${issuer} id-alice`,
        username: 'alice',
        displayName: 'Alice',
        role: 'user',
      },
    });
    t.ok(requests.includes(PROVIDER_PATHS.userInfo));
    await signIn(provider);
    t.equal(
      requests.filter((path) => path === PROVIDER_PATHS.discovery).length,
      1,
      'one discovery is enough',
    );
    const logout = await provider.logoutUrl();
    const url = new URL((logout.ok && logout.value) || '');
    t.equal(url.origin, issuer);
    t.equal(url.searchParams.get('client_id'), CLIENT_ID);
    t.equal(url.searchParams.get('post_logout_redirect_uri'), 'http://127.0.0.1:9/sign-in');
  });
});

test('concurrent logins share one discovery, which is repeated after an hour', async (t) => {
  await withProvider(async ({ issuer, requests }) => {
    const clock = new Clock();
    const provider = openIdProvider(settingsOf(issuer), clock);
    const discoveries = (): number => requests.filter((path) => path === PROVIDER_PATHS.discovery).length;
    const login = { state: 's', nonce: 'n', codeChallenge: 'c' };
    await Promise.all([1, 2, 3, 4].map(() => provider.loginUrl(login)));
    t.equal(discoveries(), 1);
    clock.time = 3_599_999;
    await provider.loginUrl(login);
    t.equal(discoveries(), 1);
    clock.time = 3_600_000;
    await provider.loginUrl(login);
    t.equal(discoveries(), 2);
  });
});

test('an unreachable provider is retried with a growing delay, and a known one stays in use', async (t) => {
  let port = 0;
  const clock = new Clock();
  const login = { state: 's', nonce: 'n', codeChallenge: 'c' };
  let issuer = '';
  await withProvider(async (running) => {
    issuer = running.issuer;
    port = Number(new URL(issuer).port);
  });
  const provider = openIdProvider(settingsOf(issuer), clock);
  const failed = await provider.loginUrl(login);
  t.match(failed, { ok: false, fault: 'unavailable', detail: /ECONNREFUSED/ });
  await withProvider(
    async ({ requests, change }) => {
      clock.time = 999;
      t.match(await provider.loginUrl(login), { ok: false, detail: /next attempt in 1 ms/ });
      t.same(requests, [], 'no request before the delay has passed');
      clock.time = 1_000;
      change(PROVIDER_PATHS.discovery, () => ({ status: 500, body: {} }));
      t.match(await provider.loginUrl(login), { ok: false, fault: 'unavailable' });
      clock.time = 2_999;
      t.match(await provider.loginUrl(login), { ok: false, detail: /next attempt in 1 ms/ });
      clock.time = 3_000;
      change(PROVIDER_PATHS.discovery, () => ({}));
      t.match(await provider.loginUrl(login), { ok: true });
    },
    { port },
  );
  clock.time += 3_600_000;
  t.match(await provider.loginUrl(login), { ok: true }, 'the old description stays in use');
});

test('the secret is read from a file, and a missing one stops the start', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-oidc-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'secret');
  writeFileSync(file, `${CLIENT_SECRET}\n`);
  await withProvider(async ({ issuer }) => {
    const provider = openIdProvider(settingsOf(issuer, { clientSecret: { file } }), new Clock());
    t.match(await signIn(provider), { ok: true });
    writeFileSync(file, 'another');
    const later = openIdProvider(settingsOf(issuer, { clientSecret: { file } }), new Clock());
    t.match(await signIn(later), { ok: false, fault: 'invalid' });
    const missing = { clientSecret: { file: join(folder, 'none') } };
    t.throws(
      () => openIdProvider(settingsOf(issuer, missing), new Clock()),
      /^auth\.oidc\.client_secret_file: /,
    );
    writeFileSync(file, 'two\nlines\n');
    t.throws(
      () => openIdProvider(settingsOf(issuer, { clientSecret: { file } }), new Clock()),
      /one line of text/,
    );
  });
});

test('a user without a mapped role, and one without a name, is refused', async (t) => {
  await withProvider(async ({ issuer, change }) => {
    const provider = openIdProvider(settingsOf(issuer), new Clock());
    change(PROVIDER_PATHS.userInfo, (body) => ({ body: { ...body, groups: ['others'] } }));
    t.match(await signIn(provider), { ok: false, fault: 'no-role' });
    change(PROVIDER_PATHS.userInfo, (body) => ({ body: { ...body, preferred_username: ' ' } }));
    t.match(await signIn(provider), { ok: false, fault: 'no-username' });
  });
});

test('a refusal of the user and an invalid answer have different faults', async (t) => {
  await withProvider(async ({ issuer }) => {
    const provider = openIdProvider(settingsOf(issuer), new Clock());
    const declined = await signIn(provider, (parameters) => {
      delete parameters['code'];
      parameters['error'] = 'access_denied';
    });
    t.match(declined, { ok: false, fault: 'declined' });
    const missing = await signIn(provider, (parameters) => delete parameters['code']);
    t.match(missing, { ok: false, fault: 'invalid' });
  });
});

test('T33: no redirect of the provider is followed, and no other host is contacted', async (t) => {
  let strangers = 0;
  const stranger = createServer((_request, response) => {
    strangers += 1;
    response.end('{}');
  });
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
  const address = stranger.address();
  const elsewhere = `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`;
  await withProvider(async ({ issuer, change, restore }) => {
    for (const status of [301, 302, 303, 307, 308]) {
      for (const path of [
        PROVIDER_PATHS.discovery,
        PROVIDER_PATHS.token,
        PROVIDER_PATHS.userInfo,
        PROVIDER_PATHS.keys,
      ]) {
        change(path, () => ({ status, headers: { Location: `${elsewhere}${path}` }, body: {} }));
        t.match(
          await signIn(openIdProvider(settingsOf(issuer), new Clock())),
          { ok: false },
          `${status} ${path}`,
        );
        restore();
      }
    }
    for (const name of ['token_endpoint', 'jwks_uri', 'userinfo_endpoint']) {
      change(PROVIDER_PATHS.discovery, (body) => ({ body: { ...body, [name]: `${elsewhere}/x` } }));
      const settings = settingsOf(issuer, { endpointHosts: [new URL(elsewhere).host] });
      t.match(
        await signIn(openIdProvider(settings, new Clock())),
        { ok: false },
        `${name} by http elsewhere`,
      );
      t.match(
        await signIn(openIdProvider(settingsOf(issuer), new Clock())),
        { ok: false },
        `${name} elsewhere`,
      );
      restore();
    }
  });
  await new Promise((resolve) => stranger.close(resolve));
  t.equal(strangers, 0);
});

test('an answer of more than 1 MiB is refused', async (t) => {
  await withProvider(async ({ issuer, change }) => {
    change(PROVIDER_PATHS.discovery, (body) => ({ body: { ...body, filler: 'x'.repeat(1024 * 1024) } }));
    t.match(await signIn(openIdProvider(settingsOf(issuer), new Clock())), {
      ok: false,
      fault: 'unavailable',
      detail: /exceeds 1048576 bytes/,
    });
  });
});
