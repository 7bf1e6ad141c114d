import { test } from 'tap';
import type { ExternalIdentity } from '../../../../src/core/access/external-identity.ts';
import { SESSIONS_PER_USER } from '../../../../src/core/records/session.ts';
import { DAY_MS, sessionOf, TestAccounts } from '../../../kit/account-words.ts';

const HOUR_MS = 3_600_000;

test('a login starts a session unless the account changed meanwhile', async (t) => {
  const accounts = new TestAccounts();
  accounts.create('ann');
  t.equal(accounts.signIn('ann', 's1'), 'ok');
  const { id: userId } = accounts.user('ann');
  t.same(accounts.sessions().get('s1'), {
    version: 1,
    userId,
    source: 'local',
    createdAt: accounts.now,
    expiresAt: accounts.now + DAY_MS,
  });
  const stale = { type: 'session.start', userId, verifiedHash: 'old', session: sessionOf('s2') } as const;
  t.match(accounts.ask(stale), /^forbidden: the account was deleted or its password was changed/);
  t.match(accounts.ask({ ...stale, userId: 'unknown' }), /^forbidden: /);
  t.equal(accounts.ask({ type: 'user.update', userId, changes: { disabled: true } }), 'ok');
  t.equal(accounts.signIn('ann', 's3'), 'forbidden: the account is disabled');
  t.equal(accounts.sessions().size, 0, 'disabling ended the session');
});

test('an account has a limited number of sessions: the oldest one ends', async (t) => {
  const accounts = new TestAccounts();
  accounts.create('ann');
  for (let n = 0; n <= SESSIONS_PER_USER; n++) {
    accounts.signIn('ann', `s${n}`);
    accounts.advance(1);
  }
  t.equal(accounts.sessions().size, SESSIONS_PER_USER);
  t.notOk(accounts.sessions().has('s0'));
  accounts.restart();
  accounts.advance(1);
  accounts.signIn('ann', 'last');
  t.notOk(accounts.sessions().has('s1'), 'also after a restart');
});

test('a session ends by a logout, and an expired one is removed', async (t) => {
  const accounts = new TestAccounts();
  accounts.create('ann');
  for (const digest of ['s1', 's2']) accounts.signIn('ann', digest);
  t.equal(accounts.ask({ type: 'session.end', digest: 's1' }), 'ok');
  t.equal(accounts.ask({ type: 'session.end', digest: 's1' }), 'ok');
  t.same([...accounts.sessions().keys()], ['s2']);
  accounts.advance(DAY_MS - HOUR_MS);
  t.equal(accounts.sessions().size, 1);
  accounts.advance(2 * HOUR_MS);
  t.equal(accounts.sessions().size, 0);
});

const identity = (some: Partial<ExternalIdentity> = {}): ExternalIdentity => ({
  externalId: 'id-1',
  username: 'ann',
  displayName: 'Ann A.',
  role: 'user',
  ...some,
});

test('an external identity creates its account once, and follows its id and role', async (t) => {
  const accounts = new TestAccounts();
  const signIn = (digest: string, some: Partial<ExternalIdentity> = {}, source: 'ldap' | 'oidc' = 'ldap') =>
    accounts.ask({
      type: 'session.start-external',
      identity: identity(some),
      session: sessionOf(digest, source),
    });
  t.equal(signIn('s1'), 'ok');
  t.match(accounts.user('ann'), {
    authSource: 'ldap',
    externalId: 'id-1',
    displayName: 'Ann A.',
    role: 'user',
    passwordHash: null,
  });
  t.equal(signIn('s2', { username: 'ann-renamed', displayName: 'Ann B.', role: 'operator' }), 'ok');
  t.match(accounts.user('ann'), { displayName: 'Ann A.', role: 'operator' });
  t.equal(accounts.users().length, 1);
  const taken = 'forbidden: another account is named "Ann": an external login never adopts it';
  t.equal(signIn('s3', { externalId: 'id-2', username: 'Ann' }), taken);
  t.equal(signIn('s3', { username: 'Ann' }, 'oidc'), taken, 'ids of different sources are different');
  accounts.create('bob');
  t.match(signIn('s4', { externalId: 'id-3', username: 'bob' }), /^forbidden: another account/);
  accounts.ask({ type: 'user.update', userId: accounts.user('ann').id, changes: { disabled: true } });
  t.equal(signIn('s5'), 'forbidden: the account is disabled');
  accounts.restart();
  t.equal(signIn('s6'), 'forbidden: the account is disabled', 'found again after a restart');
});

test('a directory does not demote the last administrator', async (t) => {
  const accounts = new TestAccounts();
  const signIn = (role: ExternalIdentity['role']) =>
    accounts.ask({
      type: 'session.start-external',
      identity: identity({ role }),
      session: sessionOf(`s ${role}`, 'oidc'),
    });
  signIn('admin');
  t.equal(signIn('read-only'), 'ok');
  t.equal(accounts.user('ann').role, 'admin');
  accounts.create('root', 'admin');
  signIn('read-only');
  t.equal(accounts.user('ann').role, 'read-only');
});

test('the password of an external account cannot be set', async (t) => {
  const accounts = new TestAccounts();
  accounts.ask({
    type: 'session.start-external',
    identity: identity(),
    session: sessionOf('s1', 'ldap'),
  });
  const userId = accounts.user('ann').id;
  const change = { type: 'user.set-password', userId, passwordHash: 'h', expectedHash: null } as const;
  t.equal(
    accounts.ask({ ...change, session: null }),
    'conflict: the account "ann" signs in by ldap: it has no password here',
  );
});
