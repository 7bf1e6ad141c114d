import { openIdProvider } from '../../../src/adapters/identity/oidc/openid-provider.ts';
import { CLIENT_ID, PROVIDER_PATHS, type Change } from '../../kit/oidc/provider.ts';
import type { Attack } from '../attack-table.ts';
import { CALLBACK_PATH, type OidcTarget } from './context.ts';

const LOGIN = { state: 'x'.repeat(43), nonce: 'n', codeChallenge: 'c'.repeat(43) };

/**
 * Reads a false description of the provider with an adapter of its own, as the service does at its first login. The login
 * must not begin.
 */
const description = (title: string, change: Change): Attack<OidcTarget> => ({
  name: `discovery: ${title}`,
  run: async ({ url, provider }) => {
    const adapter = openIdProvider(
      {
        issuer: provider.issuer,
        clientId: CLIENT_ID,
        clientSecret: null,
        scopes: ['openid'],
        redirectUrl: `${url}${CALLBACK_PATH}`,
        endpointHosts: [],
        claims: { usernameClaim: 'sub', roleClaim: '', roleMap: new Map(), defaultRole: 'user' },
        logoutMode: 'local',
      },
      { now: () => Date.now(), steadyNow: () => 0 },
    );
    provider.change(PROVIDER_PATHS.discovery, change);
    try {
      const begun = await adapter.loginUrl(LOGIN);
      if (begun.ok) throw new Error(`the login begins at ${begun.value}`);
      if (begun.fault !== 'unavailable') throw new Error(`the fault is ${begun.fault}`);
    } finally {
      provider.restore();
    }
  },
});

/** Replaces a member of the description; undefined removes it. */
const member = (name: string, value: unknown): Attack<OidcTarget> =>
  description(`${name} ${JSON.stringify(value) ?? 'missing'}`, (body) => ({
    body: { ...body, [name]: value },
  }));

/** False descriptions of the provider, and requests to other hosts. */
export const DISCOVERY_ATTACKS: readonly Attack<OidcTarget>[] = [
  member('issuer', 'https://evil.example'),
  member('issuer', undefined),
  member('issuer', 7),
  description('issuer with a path', (body) => ({
    body: { ...body, issuer: `${String(body['issuer'])}/realm` },
  })),
  description('issuer with another name of the host', (body) => ({
    body: { ...body, issuer: String(body['issuer']).replace('127.0.0.1', 'localhost') },
  })),
  ...['authorization_endpoint', 'token_endpoint', 'jwks_uri'].map((name) => member(name, undefined)),
  member('authorization_endpoint', 'http://evil.example/auth'),
  member('authorization_endpoint', 'javascript:alert(1)'),
  member('token_endpoint', 'https://evil.example/token'),
  member('token_endpoint', 'http://169.254.169.254/latest/meta-data'),
  member('token_endpoint', 'file:///etc/passwd'),
  member('jwks_uri', 'https://evil.example/keys'),
  member('jwks_uri', 'data:application/json,{}'),
  member('jwks_uri', 'http://127.0.0.1:1/keys'),
  description('a redirect', () => ({
    status: 302,
    headers: { Location: 'https://evil.example/' },
    body: {},
  })),
  description('status 404', () => ({ status: 404, body: {} })),
  description('a list', () => ({ body: [] })),
  description('text', () => ({ body: 'issuer', headers: { 'Content-Type': 'text/plain' } })),
  description('more than 1 MiB', (body) => ({ body: { ...body, filler: 'x'.repeat(1_100_000) } })),
];
