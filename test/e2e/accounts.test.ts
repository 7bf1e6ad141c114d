import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { enumerateLogins, prepareEnumeration } from '../attack/accounts/login-enumeration.ts';
import { floodLogins } from '../attack/accounts/login-flood.ts';
import { raceForLastAdmin } from '../attack/accounts/last-admin-race.ts';
import { fixSessions, SESSION_RULES } from '../attack/accounts/session-fixation.ts';
import { filesBelow, findSecrets } from '../attack/accounts/stored-secrets.ts';
import {
  ADMIN,
  AuthService,
  authFlags,
  bearer,
  passwordOf,
  send,
  sessionCookieOf,
  signIn,
  startAuthService,
} from '../kit/auth-service.ts';
import { Daemon, freePort, startService } from '../kit/daemons.ts';

/** docs/contract/authentication.md through a running service. */

test('accounts, sessions and keys of a service', async (t) => {
  const folder = t.testdir();
  const site = await startAuthService(folder);
  t.teardown(() => site.service.daemon.kill('SIGTERM'));
  const secrets = new Map<string, string>([['password of the administrator', ADMIN.password]]);

  await t.test('a request needs a credential, and an operation its permission', async (t) => {
    const noCredential = await site.send({ path: '/api/v1/farms' });
    t.equal(noCredential.status, 401);
    t.equal(noCredential.headers.get('www-authenticate'), 'Bearer realm="callsheet"');
    t.equal((await site.send({ path: '/api/v1/unknown' })).status, 401, 'unknown paths too');
    t.equal((await site.send({ path: '/api/v1/unknown' }, site.admin)).status, 404);
    t.equal(
      (await site.send({ path: '/api/v1/farms', method: 'OPTIONS' })).status,
      204,
      'a preflight has none',
    );
    for (const path of ['/healthz', '/metrics', '/api/v1/openapi.yaml', '/api/v1/auth/providers'])
      t.equal((await site.send({ path })).status, 200, path);
    t.same((await site.send({ path: '/api/v1/auth/providers' })).body, {
      local: true,
      ldap: false,
      oidc: false,
      auth_enabled: true,
    });
    await site.user('reader', 'read-only');
    const reader = await site.signIn('reader');
    const refused = await site.send({ method: 'POST', path: '/api/v1/farms', body: '{not json' }, reader);
    t.equal(refused.status, 403, 'before the body is read');
    t.match(refused.body, {
      detail: 'this needs the permission infra.manage; the role read-only does not have it',
    });
  });

  await t.test('a login sets the cookie of the contract', async (t) => {
    await site.user('ann');
    const body = { username: 'ANN', password: passwordOf('ann') };
    const login = { method: 'POST', path: '/api/v1/auth/login', body };
    const answer = await site.send(login);
    t.match(answer.body, { username: 'ann', roles: ['user'], kind: 'session' });
    const [cookie = ''] = answer.headers.getSetCookie();
    t.match(cookie, /^svc_session=[A-Za-z0-9_-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/);
    secrets.set('token of a session', sessionCookieOf(answer)?.slice('svc_session='.length) ?? '');
    const overTls = await site.send(login, { 'x-forwarded-proto': 'https' });
    t.match(overTls.headers.getSetCookie()[0], /; Secure$/);
    secrets.set('password of ann', passwordOf('ann'));
  });

  await t.test('a user changes the own name and password', async (t) => {
    const ann = await site.signIn('ann');
    const path = '/api/v1/auth/me';
    const change = { display_name: 'Ann A.', role: 'admin', username: 'root', disabled: true };
    t.match((await site.send({ method: 'PATCH', path, body: change }, ann)).body, {
      display_name: 'Ann A.',
      username: 'ann',
      roles: ['user'],
    });
    t.match((await site.send({ method: 'PATCH', path, body: {} }, ann)).body, { display_name: 'Ann A.' });
    const wrong = { current_password: 'wrong', new_password: 'a new password of ann' };
    const put = { method: 'PUT', path: '/api/v1/auth/password' };
    t.equal((await site.send({ ...put, body: wrong }, ann)).status, 403);
    const short = await site.send({ ...put, body: { ...wrong, new_password: 'short' } }, ann);
    t.match(short, { status: 400, body: { detail: '/new_password: must have at least 8 characters' } });
    const long = await site.send({ ...put, body: { ...wrong, new_password: 'ü'.repeat(513) } }, ann);
    t.match(long, { status: 400, body: { detail: '/new_password: must not have more than 1024 bytes' } });
    const right = { current_password: passwordOf('ann'), new_password: 'a new password of ann' };
    const changed = await site.send({ ...put, body: right }, ann);
    t.equal(changed.status, 204);
    const renewed = sessionCookieOf(changed);
    t.type(renewed, 'string');
    t.equal((await site.send({ path }, ann)).status, 401);
    t.equal((await site.send({ path }, { cookie: renewed ?? '' })).status, 200);
    secrets.set('new password of ann', 'a new password of ann');
  });

  await t.test('an API key is shown once, works with curl, and is revoked', async (t) => {
    const ann = await site.signIn('ann', 'a new password of ann');
    const path = '/api/v1/api-keys';
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    const made = await site.send<{ id: string; secret: string; prefix: string }>(
      { method: 'POST', path, body: { name: 'render script', expires_at: expires } },
      ann,
    );
    t.equal(made.status, 201);
    const { id, secret, prefix } = made.body;
    t.match(secret, /^svc_[A-Za-z0-9_-]{43}$/);
    t.equal(prefix, secret.slice(0, 12));
    secrets.set('API key of ann', secret);
    const listed = await site.send<Record<string, unknown>[]>({ path }, bearer(secret));
    t.match(listed.body, [{ id, prefix, name: 'render script', expires_at: expires, last_used_at: null }]);
    t.notOk(listed.text.includes(secret));
    const past = { name: 'old', expires_at: '2020-01-01T00:00:00Z' };
    t.match(await site.send({ method: 'POST', path, body: past }, ann), {
      status: 400,
      body: { detail: '/expires_at: must be in the future' },
    });
    const me = await site.send<{ subject: string; kind: string }>(
      { path: '/api/v1/auth/me' },
      bearer(secret),
    );
    t.equal(me.body.kind, 'api_key');
    const users = `/api/v1/users/${me.body.subject}/api-keys`;
    t.equal((await site.send({ path: users }, ann)).status, 403);
    t.match((await site.send<unknown[]>({ path: users }, site.admin)).body, [{ id }]);
    const root = await site.send<{ subject: string }>({ path: '/api/v1/auth/me' }, site.admin);
    const foreign = `/api/v1/users/${root.body.subject}/api-keys/${id}`;
    t.equal((await site.send({ method: 'DELETE', path: foreign }, site.admin)).status, 404);
    t.equal((await site.send({ method: 'DELETE', path: `${path}/${id}` }, ann)).status, 204);
    t.equal((await site.send({ path }, bearer(secret))).status, 401);
    t.same((await site.send({ path }, ann)).body, []);
  });

  await t.test('sessions follow the rules, and cannot be fixed', async (t) => {
    t.same((await fixSessions(site, SESSION_RULES)).violations, []);
  });

  await t.test('a failed login tells nothing', async (t) => {
    await prepareEnumeration(site);
    t.same((await enumerateLogins(site, 40, false)).violations, []);
  });

  await t.test('a flood of logins leaves the service healthy', async (t) => {
    const { violations, statuses } = await floodLogins(site, 80);
    t.same(violations, []);
    t.ok(statuses[401] !== undefined, JSON.stringify(statuses));
  });

  await t.test('two administrators cannot remove each other at the same time', async (t) => {
    t.same((await raceForLastAdmin(site, 9)).violations, []);
  });

  await t.test('the data and the log hold no secret', async (t) => {
    await site.service.daemon.kill('SIGTERM');
    const key = site.admin['authorization'] ?? '';
    secrets.set('API key of the administrator', key.slice('Bearer '.length));
    const files = filesBelow(folder).filter((file) => !file.endsWith('admin-password'));
    t.ok(
      files.some((file) => readFileSync(file).includes('argon2id')),
      'the store is among the files',
    );
    t.same(findSecrets(files, secrets).violations, []);
  });

  await t.test('accounts survive a restart, and the first administrator is not created again', async (t) => {
    const password = join(folder, 'admin-password');
    writeFileSync(password, 'another password\n');
    const restarted = await startService({
      ...site.service,
      flags: [
        ...(site.service.flags ?? []).filter((flag) => !flag.includes('bootstrap-username')),
        '--auth-bootstrap-username=second',
      ],
    });
    t.teardown(() => restarted.daemon.kill('SIGTERM'));
    const { url } = restarted.api;
    t.equal((await send(url, { path: '/api/v1/auth/me' }, site.admin)).status, 200);
    const refused = { username: 'second', password: 'another password' };
    t.equal((await send(url, { method: 'POST', path: '/api/v1/auth/login', body: refused })).status, 401);
    await signIn(url, ADMIN.username, ADMIN.password);
    t.equal(
      (await new AuthService(restarted, site.admin).send({ path: '/api/v1/users' }, site.admin)).status,
      200,
    );
  });
});

test('a service without accounts starts with a warning, and one with half a setting does not', async (t) => {
  const folder = t.testdir();
  const ports = { httpPort: await freePort(), busPort: await freePort() };
  const service = await startService({ folder, ...ports, flags: ['--auth-enabled=true'] });
  t.match(service.daemon.log(), /authentication is on and there is no account to sign in with/);
  const body = { username: 'root', password: 'password of root' };
  const url = service.api.url;
  t.equal((await send(url, { method: 'POST', path: '/api/v1/auth/login', body })).status, 401);
  await service.daemon.kill('SIGTERM');
  const log = join(folder, 'half.log');
  for (const half of [
    '--auth-bootstrap-username=root',
    `--auth-bootstrap-password-file=${join(folder, 'p')}`,
  ]) {
    rmSync(log, { force: true });
    const daemon = new Daemon(['server', '--auth-enabled=true', half], log);
    t.equal((await daemon.ended).code, 2);
    t.match(daemon.log(), /^auth\.bootstrap\.\w+: must be set, because the other half/);
  }
  t.ok(authFlags(folder).length > 0);
});

test('without authentication accounts can be prepared, and none is used', async (t) => {
  const folder = t.testdir();
  const service = await startService({ folder, httpPort: await freePort(), busPort: await freePort() });
  t.teardown(() => service.daemon.kill('SIGTERM'));
  const { url } = service.api;
  const user = { username: 'ann', password: passwordOf('ann'), role: 'admin' };
  t.equal((await send(url, { method: 'POST', path: '/api/v1/users', body: user })).status, 201);
  const login = { method: 'POST', path: '/api/v1/auth/login', body: user };
  t.equal((await send(url, login)).status, 409);
  for (const sent of [
    { path: '/api/v1/api-keys' },
    { method: 'POST', path: '/api/v1/api-keys', body: { name: 'k' } },
    { method: 'DELETE', path: '/api/v1/api-keys/x' },
    { method: 'PATCH', path: '/api/v1/auth/me', body: { display_name: 'x' } },
  ])
    t.equal((await send(url, sent)).status, 409, sent.path);
  t.same((await send(url, { method: 'POST', path: '/api/v1/auth/logout' })).body, {});
  t.match((await send(url, { path: '/api/v1/auth/me' })).body, { username: 'anonymous', kind: 'anonymous' });
});
