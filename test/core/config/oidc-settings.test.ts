import { test } from 'tap';
import { serverConfig } from '../../../src/core/config/server-config.ts';

const BASE: Readonly<Record<string, unknown>> = {
  'auth.enabled': true,
  'auth.oidc.enabled': true,
  'auth.oidc.issuer': 'https://id.studio.example/realms/vfx',
  'auth.oidc.client_id': 'callsheet',
  'auth.oidc.redirect_url': 'https://farm.studio.example/api/v1/auth/oidc/callback',
  'auth.oidc.role_map': { 'farm-admins': 'admin' },
};

/** Resolves the base with changes; undefined removes a key. */
const resolved = (changes: Readonly<Record<string, unknown>> = {}) => {
  const document = Object.fromEntries(
    Object.entries({ ...BASE, ...changes }).filter(([, value]) => value !== undefined),
  );
  return serverConfig({ file: { path: 'f.yaml', document }, environment: {}, flags: [] });
};
const linesOf = (changes: Readonly<Record<string, unknown>>): readonly string[] => {
  const result = resolved(changes);
  return result.ok ? [] : result.lines;
};

test('a minimal configuration has the documented defaults', async (t) => {
  const result = resolved();
  t.same(result.ok && result.values.auth.oidc, {
    issuer: 'https://id.studio.example/realms/vfx',
    clientId: 'callsheet',
    clientSecret: null,
    scopes: ['openid', 'profile', 'email'],
    redirectUrl: 'https://farm.studio.example/api/v1/auth/oidc/callback',
    endpointHosts: [],
    claims: {
      usernameClaim: 'preferred_username',
      roleClaim: 'groups',
      roleMap: new Map([['farm-admins', 'admin']]),
      defaultRole: null,
    },
    logoutMode: 'local',
  });
});

test('no setting is used while the sign-in by a provider or authentication is off', async (t) => {
  for (const changes of [{ 'auth.oidc.enabled': false }, { 'auth.enabled': false }]) {
    const result = resolved(changes);
    t.ok(result.ok);
    t.equal(result.ok && result.values.auth.oidc, null);
  }
  const noted = resolved({ 'auth.enabled': false });
  t.match(noted, { notes: ['auth.oidc.enabled: has no effect, because auth.enabled is false'] });
});

test('a missing or contradictory key stops the start with a line that names it', async (t) => {
  const cases: readonly (readonly [changes: Readonly<Record<string, unknown>>, key: string])[] = [
    [{ 'auth.oidc.issuer': undefined }, 'auth.oidc.issuer'],
    [{ 'auth.oidc.client_id': undefined }, 'auth.oidc.client_id'],
    [{ 'auth.oidc.redirect_url': undefined }, 'auth.oidc.redirect_url'],
    [{ 'auth.oidc.role_map': undefined }, 'auth.oidc.role_map'],
    [{ 'auth.oidc.role_claim': '' }, 'auth.oidc.role_claim'],
    [{ 'auth.oidc.username_claim': '' }, 'auth.oidc.username_claim'],
    [{ 'auth.oidc.scopes': ['profile'] }, 'auth.oidc.scopes'],
    [{ 'auth.oidc.client_secret': 'a', 'auth.oidc.client_secret_file': '/f' }, 'auth.oidc.client_secret'],
    [{ 'auth.oidc.role_map': { a: 'root' } }, 'auth.oidc.role_map'],
    [{ 'auth.oidc.role_map': ['admin'] }, 'auth.oidc.role_map'],
    [{ 'auth.oidc.role_map': { '': 'admin' } }, 'auth.oidc.role_map'],
    [{ 'auth.oidc.default_role': 'superuser' }, 'auth.oidc.default_role'],
    [{ 'auth.oidc.logout_mode': 'both' }, 'auth.oidc.logout_mode'],
    [{ 'auth.oidc.endpoint_hosts': ['https://x'] }, 'auth.oidc.endpoint_hosts'],
  ];
  for (const [changes, key] of cases) {
    const lines = linesOf(changes);
    t.ok(
      lines.some((line) => line.startsWith(`${key}:`)),
      `${key} in ${JSON.stringify(lines)}`,
    );
  }
});

test('an issuer is https, or http on a loopback address', async (t) => {
  const good = [
    'https://id.example',
    'https://id.example:8443/realms/a',
    'http://127.0.0.1:8080',
    'http://localhost:8080/realms/a',
    'http://[::1]:8080',
  ];
  const bad = [
    'http://id.example',
    'http://127.0.0.1.evil.example',
    'http://localhost.evil.example',
    'http://10.0.0.1',
    'https://user@id.example',
    'https://id.example?x=1',
    'https://id.example#x',
    'ftp://id.example',
    'id.example',
    'https://',
    'https://id.example/ x',
    'https://ID.example',
  ];
  for (const issuer of good) t.same(linesOf({ 'auth.oidc.issuer': issuer }), [], issuer);
  for (const issuer of bad) {
    const lines = linesOf({ 'auth.oidc.issuer': issuer });
    t.match(lines, [/^auth\.oidc\.issuer: must be https/], issuer);
  }
});

test('the redirect address ends with the path of the callback', async (t) => {
  const path = '/api/v1/auth/oidc/callback';
  for (const url of [`https://farm.example${path}`, `http://farm.example:8080${path}`])
    t.same(linesOf({ 'auth.oidc.redirect_url': url }), [], url);
  for (const url of [
    'https://farm.example/',
    `https://farm.example${path}/`,
    `https://farm.example${path}?a=b`,
    path,
  ])
    t.match(linesOf({ 'auth.oidc.redirect_url': url }), [/^auth\.oidc\.redirect_url: /], url);
});

test('a role map may be text, with = in the values', async (t) => {
  const result = resolved({ 'auth.oidc.role_map': 'cn=farm=admin, artists=user' });
  t.same(result.ok && [...(result.values.auth.oidc?.claims.roleMap ?? [])], [
    ['cn=farm', 'admin'],
    ['artists', 'user'],
  ]);
  t.match(linesOf({ 'auth.oidc.role_map': 'artists' }), [/^auth\.oidc\.role_map: must be value=role/]);
  t.match(linesOf({ 'auth.oidc.role_map': 'a=user,a=admin' }), [/contains the value "a" twice/]);
});
