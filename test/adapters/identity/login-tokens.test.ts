import { createHash } from 'node:crypto';
import { test } from 'tap';
import { LOGIN_SECONDS, loginTokens } from '../../../src/adapters/identity/tokens/login-tokens.ts';
import { readClaims, signToken } from '../../kit/oidc/signed-token.ts';

const LOGIN = { number: 7, returnTo: '/jobs' };

/** Tokens with a clock that a test moves, in milliseconds since the epoch. */
function tokensAt(start = 1_800_000_000_000) {
  const clock = { now: start };
  return { clock, tokens: loginTokens(() => clock.now) };
}

test('a token opens with its state and gives the secrets of the login', async (t) => {
  const { tokens } = tokensAt();
  const login = tokens.issue(LOGIN);
  const opened = tokens.open(login.state, login.token);
  t.match(opened, { ...LOGIN, nonce: login.nonce });
  const challenge = createHash('sha256')
    .update(opened?.codeVerifier ?? '')
    .digest('base64url');
  t.equal(challenge, login.codeChallenge, 'PKCE S256');
  t.match(login.state, /^[A-Za-z0-9_-]{43}$/);
});

test('a token contains neither the nonce nor the verifier', async (t) => {
  const { tokens } = tokensAt();
  const login = tokens.issue(LOGIN);
  const opened = tokens.open(login.state, login.token);
  const text = JSON.stringify(readClaims(login.token));
  t.notOk(text.includes(login.nonce));
  t.notOk(text.includes(opened?.codeVerifier ?? 'none'));
});

test('two logins share no secret', async (t) => {
  const { tokens } = tokensAt();
  const [one, two] = [tokens.issue(LOGIN), tokens.issue(LOGIN)];
  for (const name of ['state', 'nonce', 'codeChallenge', 'token'] as const) t.not(one[name], two[name]);
  t.equal(tokens.open(one.state, two.token), null);
});

test('a token ends after ten minutes', async (t) => {
  const { tokens, clock } = tokensAt();
  const login = tokens.issue(LOGIN);
  clock.now += (LOGIN_SECONDS - 1) * 1000;
  t.ok(tokens.open(login.state, login.token));
  clock.now += 1000;
  t.equal(tokens.open(login.state, login.token), null);
});

test('a token of an earlier start of the service does not open', async (t) => {
  const login = tokensAt().tokens.issue(LOGIN);
  t.equal(tokensAt().tokens.open(login.state, login.token), null);
});

test('a forged or damaged token does not open', async (t) => {
  const { tokens } = tokensAt();
  const { state, token } = tokens.issue(LOGIN);
  const claims = readClaims(token);
  const [header = '', body = '', signature = ''] = token.split('.');
  const forged = [
    signToken({ header: { alg: 'none', typ: 'JWT' }, key: null }, claims),
    signToken({ header: { alg: 'HS256', typ: 'JWT' }, key: { secret: '' } }, claims),
    signToken({ header: { alg: 'HS256', typ: 'JWT' }, key: { secret: 'guessed' } }, claims),
    `${header}.${Buffer.from(JSON.stringify({ ...claims, n: 8 })).toString('base64url')}.${signature}`,
    `${header}.${body}.`,
    `${header}.${body}`,
    `${header}.${body}.${signature}x`,
    '',
    'a.b.c',
    '....',
    'x'.repeat(10_000),
  ];
  for (const text of forged) t.equal(tokens.open(state, text), null, text.slice(0, 40));
  t.equal(tokens.open('', token), null);
  t.ok(tokens.open(state, token));
});
