import { test } from 'tap';
import { ProblemError, ServiceUnreachable } from '../../../client/problem.ts';
import type { User } from '../../../client/resources.ts';
import { auditQuery } from '../../../web/pages/audit/audit-filters.ts';
import { expiresAt, isExpiry } from '../../../web/pages/account/key-expiry.ts';
import {
  newPasswordError,
  passwordErrors,
  refusedPassword,
} from '../../../web/pages/account/password-form.ts';
import { isRole, ROLE_TEXTS } from '../../../web/pages/account/role-texts.ts';
import { providerError, signInError } from '../../../web/pages/sign-in/sign-in-errors.ts';
import { generatePassword } from '../../../web/pages/users/generate-password.ts';
import { lastAdminReason, passwordReason, shownUsers } from '../../../web/pages/users/user-model.ts';
import { ROLES } from '../../../src/core/access/permissions.ts';

const problem = (status: number, more: Partial<ProblemError> = {}): ProblemError =>
  new ProblemError({
    status,
    title: 'title',
    detail: 'detail',
    errors: [],
    requestId: '',
    retryAfterMs: null,
    ...more,
  });

test('every failed sign-in has one sentence', (t) => {
  const sentences = [
    signInError(problem(401)),
    signInError(problem(503, { retryAfterMs: 2_000 })),
    signInError(problem(429, { retryAfterMs: 61_000 })),
    signInError(problem(403)),
    signInError(problem(409)),
    signInError(new ServiceUnreachable('gone', false)),
    signInError(new Error('x')),
    ...['expired', 'declined', 'invalid', 'unavailable', 'no-role', 'no-username', 'refused'].map(
      providerError,
    ),
    providerError('<script>alert(1)</script>'),
  ];
  t.equal(new Set(sentences).size, sentences.length, 'each has its own');
  for (const sentence of sentences) t.match(sentence, /^[A-Z].*\.$/);
  t.equal(signInError(problem(503, { retryAfterMs: 1_000 })), 'The server is busy. Try again in 1 second.');
  t.equal(signInError(problem(503)), 'The server is busy. Try again later.');
  t.notMatch(providerError('<script>'), /script/, 'the code itself is not shown');
  t.equal(providerError(null), '');
  t.equal(providerError(''), '');
  t.end();
});

test('a password is checked before it is sent', (t) => {
  t.equal(newPasswordError('', 8), 'Enter a password.');
  t.equal(newPasswordError('1234567', 8), 'Enter at least 8 characters.');
  t.equal(newPasswordError('12345678', 8), '');
  t.equal(newPasswordError('😀😀😀😀', 8), 'Enter at least 8 characters.', 'characters, not code units');
  t.equal(newPasswordError('1', null), '', 'the server decides while the minimum is not known');
  t.equal(newPasswordError('ü'.repeat(512), 8), '');
  t.equal(newPasswordError('ü'.repeat(513), 8), 'Enter at most 1024 bytes.');
  t.strictSame(passwordErrors({ current: '', next: 'long enough', again: 'long enouh' }, 8), {
    current: 'Enter your current password.',
    again: 'The passwords differ.',
  });
  t.strictSame(passwordErrors({ current: 'x', next: 'long enough', again: 'long enough' }, 8), {});
  t.strictSame(refusedPassword(problem(403)), { current: 'The current password is wrong.' });
  const short = problem(400, {
    errors: [{ pointer: '/new_password', detail: 'must have at least 12 characters' }],
  });
  t.strictSame(refusedPassword(short), { next: 'The server refused it: must have at least 12 characters.' });
  t.equal(refusedPassword(problem(409)), null);
  t.equal(refusedPassword(new Error('x')), null);
  t.end();
});

test('the end of a key is a timestamp in the future, or none', (t) => {
  const now = Date.UTC(2026, 10, 22, 12);
  t.equal(expiresAt('never', '', now), null);
  t.equal(expiresAt('30', '', now), '2026-12-22T12:00:00.000Z');
  const end = expiresAt('date', '2026-12-31', now);
  t.equal(end, new Date(2027, 0, 1).toISOString(), 'the last day is included');
  for (const date of ['', '2026-13', 'tomorrow', '2020-01-01', '2026-11-22x'])
    t.equal(expiresAt('date', date, now), undefined, date);
  t.ok(isExpiry('90') && !isExpiry('91'));
  t.end();
});

const user = (username: string, role: User['role'], more: Partial<User> = {}): User => ({
  id: `id-${username}`,
  username,
  display_name: '',
  role,
  disabled: false,
  auth_source: 'local',
  created_at: '2026-11-22T12:00:00Z',
  updated_at: '2026-11-22T12:00:00Z',
  ...more,
});

test('the last enabled administrator stays', (t) => {
  const root = user('root', 'admin');
  const old = user('old', 'admin', { disabled: true });
  const ada = user('ada', 'user');
  t.match(lastAdminReason([root, old, ada], root), /last enabled administrator/);
  t.equal(lastAdminReason([root, old, ada], old), '');
  t.equal(lastAdminReason([root, old, ada], ada), '');
  t.equal(lastAdminReason([root, { ...old, disabled: false }], root), '');
  t.equal(passwordReason(root), '');
  t.match(passwordReason(user('l', 'user', { auth_source: 'ldap' })), /LDAP/);
  t.match(passwordReason(user('o', 'user', { auth_source: 'oidc' })), /SSO/);
  t.end();
});

test('users are searched by all their texts, and sorted', (t) => {
  const users = [
    user('user10', 'user', { display_name: 'Grace Hopper' }),
    user('user9', 'admin', { auth_source: 'ldap' }),
    user('Ada', 'user', { display_name: 'Ada Lovelace' }),
  ];
  const names = (search: string, key = 'username', dir: 'asc' | 'desc' = 'asc'): readonly string[] =>
    shownUsers(users, search, { key, dir }).map(({ username }) => username);
  t.strictSame(names(''), ['Ada', 'user9', 'user10']);
  t.strictSame(names('', 'username', 'desc'), ['user10', 'user9', 'Ada']);
  t.strictSame(names('hopper GRACE'), ['user10']);
  t.strictSame(names('ldap'), ['user9']);
  t.strictSame(names('babbage'), []);
  t.strictSame(names('', 'no such member'), ['user10', 'user9', 'Ada']);
  t.end();
});

test('a generated password uses every character with the same probability', (t) => {
  // Every byte value once: the bytes that would favor the first characters are skipped.
  let next = 0;
  const counts = new Map<string, number>();
  for (let round = 0; round < 56; round += 1) {
    const password = generatePassword((bytes) => {
      for (let index = 0; index < bytes.length; index += 1) bytes[index] = next++ % 256;
    });
    t.match(password, /^([a-km-zA-HJ-NP-Z2-9]{5}-){3}[a-km-zA-HJ-NP-Z2-9]{5}$/);
    for (const character of password.replaceAll('-', ''))
      counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  t.equal(counts.size, 56);
  t.ok(Math.max(...counts.values()) - Math.min(...counts.values()) <= 3);
  t.end();
});

test('every role has a text', (t) => {
  t.strictSame(Object.keys(ROLE_TEXTS), [...ROLES]);
  t.ok(isRole('admin') && !isRole('root') && !isRole('toString'));
  t.end();
});

test('the filters of the audit log become a query of whole days in local time', (t) => {
  const none = { actor: '', outcome: '', path: ' ', from: '', to: 'yesterday' } as const;
  t.strictSame(auditQuery(none), {});
  const all = {
    actor: ' ada ',
    outcome: 'denied',
    path: '/api/v1/users',
    from: '2026-11-01',
    to: '2026-11-30',
  } as const;
  t.strictSame(auditQuery(all), {
    actor: 'ada',
    outcome: 'denied',
    path: '/api/v1/users',
    since: new Date(2026, 10, 1).toISOString(),
    until: new Date(2026, 11, 1).toISOString(),
  });
  t.end();
});
