import { createPublicKey } from 'node:crypto';
import { CLIENT_ID, CLIENT_SECRET, PROVIDER_PATHS, type Change } from '../../kit/oidc/provider.ts';
import { createSigningKey, readClaims, signToken } from '../../kit/oidc/signed-token.ts';
import type { Attack } from '../attack-table.ts';
import { assertRefused, reachCallback, type OidcTarget } from './context.ts';

/** Key of an attacker. */
const STRANGER = createSigningKey('stranger');

/** Logs in while the provider answers a path otherwise. */
const answered = (
  name: string,
  path: string,
  changeOf: (target: OidcTarget) => Change,
): Attack<OidcTarget> => ({
  name,
  run: async (target) => {
    const { browser, callback } = await reachCallback(target);
    target.provider.change(path, changeOf(target));
    try {
      await assertRefused(target, browser, await browser.get(callback.href));
    } finally {
      target.provider.restore();
    }
  },
});

/** Replaces the ID token. */
const idToken = (
  title: string,
  replace: (token: string, target: OidcTarget) => unknown,
): Attack<OidcTarget> =>
  answered(`ID token: ${title}`, PROVIDER_PATHS.token, (target) => (body) => ({
    body: { ...body, id_token: replace(String(body['id_token']), target) },
  }));

/** Replaces claims and signs with the key of the provider; undefined removes a claim. */
const claims = (
  title: string,
  changes: (claims: Readonly<Record<string, unknown>>, now: number) => object,
): Attack<OidcTarget> =>
  idToken(title, (token, { provider }) => {
    const given = readClaims(token);
    const now = Math.floor(Date.now() / 1000);
    const header = { alg: 'RS256', typ: 'JWT', kid: provider.key.id };
    return signToken({ header, key: provider.key.privateKey }, { ...given, ...changes(given, now) });
  });

const SIGNATURES: readonly Attack<OidcTarget>[] = [
  ...['none', 'None', 'NONE', 'nOnE', ''].flatMap((alg) => [
    idToken(`algorithm "${alg}" without a signature`, (token) =>
      signToken({ header: { alg, typ: 'JWT' }, key: null }, readClaims(token)),
    ),
  ]),
  idToken('algorithm none with the old signature', (token) => {
    const header = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url');
    return `${header}${token.slice(token.indexOf('.'))}`;
  }),
  idToken('HS256 with the secret of the client', (token) =>
    signToken({ header: { alg: 'HS256', typ: 'JWT' }, key: { secret: CLIENT_SECRET } }, readClaims(token)),
  ),
  idToken('HS256 with the public key', (token, { provider }) => {
    const secret = createPublicKey(provider.key.privateKey)
      .export({ type: 'spki', format: 'pem' })
      .toString();
    return signToken({ header: { alg: 'HS256', kid: provider.key.id }, key: { secret } }, readClaims(token));
  }),
  idToken('the key of a stranger with the known id', (token, { provider }) =>
    signToken(
      { header: { alg: 'RS256', kid: provider.key.id }, key: STRANGER.privateKey },
      readClaims(token),
    ),
  ),
  idToken('the key of a stranger with an unknown id', (token) =>
    signToken({ header: { alg: 'RS256', kid: STRANGER.id }, key: STRANGER.privateKey }, readClaims(token)),
  ),
  idToken('the key of a stranger in the header', (token) =>
    signToken(
      { header: { alg: 'RS256', jwk: STRANGER.publicJwk }, key: STRANGER.privateKey },
      readClaims(token),
    ),
  ),
  idToken('the address of other keys in the header', (token, { url }) =>
    signToken({ header: { alg: 'RS256', jku: `${url}/keys` }, key: STRANGER.privateKey }, readClaims(token)),
  ),
  idToken('an unknown critical header', (token, { provider }) =>
    signToken(
      { header: { alg: 'RS256', kid: provider.key.id, crit: ['x'], x: 1 }, key: provider.key.privateKey },
      readClaims(token),
    ),
  ),
  idToken('other claims with the old signature', (token) => {
    const [header, , signature] = token.split('.');
    const body = Buffer.from(JSON.stringify({ ...readClaims(token), sub: 'id-admin' })).toString('base64url');
    return `${header ?? ''}.${body}.${signature ?? ''}`;
  }),
  idToken('missing', () => undefined),
  idToken('cut', (token) => token.slice(0, -8)),
  idToken('of four parts', (token) => `${token}.x`),
  idToken('not a text', () => ({ sub: 'id-alice' })),
  idToken('empty', () => ''),
];

const CLAIMS: readonly Attack<OidcTarget>[] = [
  claims('wrong audience', () => ({ aud: 'another-client' })),
  claims('audience missing', () => ({ aud: undefined })),
  claims('several audiences without azp', () => ({ aud: [CLIENT_ID, 'another-client'] })),
  claims('azp of another client', () => ({ aud: [CLIENT_ID, 'another-client'], azp: 'another-client' })),
  claims('empty list of audiences', () => ({ aud: [] })),
  claims('audience with a suffix', () => ({ aud: `${CLIENT_ID}-x` })),
  claims('another issuer', () => ({ iss: 'https://evil.example' })),
  claims('issuer with a slash', ({ iss }) => ({ iss: `${String(iss)}/` })),
  claims('issuer missing', () => ({ iss: undefined })),
  claims('expired', (_given, now) => ({ exp: now - 31 })),
  claims('expired long ago', () => ({ exp: 1 })),
  claims('expiry missing', () => ({ exp: undefined })),
  claims('expiry as text', (_given, now) => ({ exp: String(now + 600) })),
  claims('issued in the future', (_given, now) => ({ iat: now + 120, exp: now + 900 })),
  claims('issued in a day', (_given, now) => ({ iat: now + 86_400, exp: now + 90_000 })),
  claims('time of issue missing', () => ({ iat: undefined })),
  claims('time of issue as text', (_given, now) => ({ iat: String(now) })),
  claims('not valid yet', (_given, now) => ({ nbf: now + 120 })),
  claims('nonce missing', () => ({ nonce: undefined })),
  claims('wrong nonce', () => ({ nonce: 'x' })),
  claims('nonce as a list', ({ nonce }) => ({ nonce: [nonce] })),
  claims('subject missing', () => ({ sub: undefined })),
  claims('subject as a number', () => ({ sub: 7 })),
  claims('empty subject', () => ({ sub: '' })),
  claims('subject of 256 characters', () => ({ sub: 'x'.repeat(256) })),
  claims('subject changed after the userinfo was bound to another', () => ({ sub: 'id-admin' })),
];

const tokenAnswer = (title: string, change: Change): Attack<OidcTarget> =>
  answered(`token endpoint: ${title}`, PROVIDER_PATHS.token, () => change);
const userInfo = (title: string, change: Change): Attack<OidcTarget> =>
  answered(`userinfo: ${title}`, PROVIDER_PATHS.userInfo, () => change);

const ANSWERS: readonly Attack<OidcTarget>[] = [
  tokenAnswer('status 500', () => ({ status: 500 })),
  tokenAnswer('error with status 400', () => ({ status: 400, body: { error: 'invalid_grant' } })),
  tokenAnswer('no access token', (body) => ({ body: { ...body, access_token: undefined } })),
  tokenAnswer('unknown type of token', (body) => ({ body: { ...body, token_type: 'mac' } })),
  tokenAnswer('text instead of JSON', () => ({
    body: 'access_token=1',
    headers: { 'Content-Type': 'text/plain' },
  })),
  tokenAnswer('a list', () => ({ body: [] })),
  tokenAnswer('more than 1 MiB', (body) => ({ body: { ...body, filler: 'x'.repeat(1_100_000) } })),
  tokenAnswer('a redirect', () => ({ status: 307, headers: { Location: 'https://evil.example/' } })),
  userInfo('subject changed', (body) => ({ body: { ...body, sub: 'id-admin' } })),
  userInfo('subject missing', (body) => ({ body: { ...body, sub: undefined } })),
  userInfo('subject as a list', (body) => ({ body: { ...body, sub: [body['sub']] } })),
  userInfo('status 401', () => ({ status: 401, body: {} })),
  userInfo('text instead of JSON', () => ({
    body: 'sub=id-alice',
    headers: { 'Content-Type': 'text/plain' },
  })),
  userInfo('an unsigned token', (body) => ({
    body: signToken({ header: { alg: 'none' }, key: null }, body),
    headers: { 'Content-Type': 'application/jwt' },
  })),
  userInfo('a role that is not mapped', (body) => ({ body: { ...body, groups: ['admin', 'ADMINS', '*'] } })),
  userInfo('a user name with control characters', (body) => ({
    body: { ...body, preferred_username: 'root\u0000' },
  })),
];

/** Forged and faulty answers of the provider. */
export const TOKEN_ATTACKS: readonly Attack<OidcTarget>[] = [...SIGNATURES, ...CLAIMS, ...ANSWERS];
