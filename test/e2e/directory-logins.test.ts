import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { stringify } from 'yaml';
import { passwordOf, startAuthService } from '../kit/auth-service.ts';
import { GROUPS, PEOPLE, SERVICE, Slapd, slapdGroup, slapdUser } from '../kit/slapd.ts';

/** docs/contract/authentication.md#ldap through a running service and a real OpenLDAP server. */

const LOGIN = { method: 'POST', path: '/api/v1/auth/login' };

test('people sign in with the password of the directory', async (t) => {
  const folder = t.testdir();
  const slapd = await Slapd.start({
    entries: [
      slapdUser('alice', passwordOf('alice'), { displayName: ['Alice A.'] }),
      slapdUser('carol', passwordOf('carol')),
      slapdUser('shadow', 'password of the directory'),
      slapdUser('owner', passwordOf('owner')),
      slapdGroup('td', [`uid=alice,${PEOPLE}`]),
      slapdGroup('admins', [`uid=owner,${PEOPLE}`]),
    ],
  });
  t.teardown(() => slapd.stop());
  const config = join(folder, 'callsheet.yaml');
  const ldap = {
    enabled: true,
    url: slapd.url,
    bind_dn: SERVICE.dn,
    bind_password: SERVICE.password,
    user_base: PEOPLE,
    group_base: GROUPS,
    unique_id_attr: 'entryUUID',
    display_name_attr: 'displayName',
    group_roles: { [`cn=td,${GROUPS}`]: 'operator', [`cn=admins,${GROUPS}`]: 'admin' },
  };
  writeFileSync(config, stringify({ auth: { ldap } }), { mode: 0o600 });
  const site = await startAuthService(folder, { flags: ['--config', config] });
  t.teardown(() => site.service.daemon.kill('SIGTERM'));
  const login = (username: string, password: string) => site.send({ ...LOGIN, body: { username, password } });
  const usersNamed = async (username: string) => {
    const { body } = await site.send<{ username: string; role: string; auth_source: string; id: string }[]>(
      { path: '/api/v1/users' },
      site.admin,
    );
    return body.filter((user) => user.username === username);
  };

  await t.test('the first login creates the account with the role of the group', async (t) => {
    t.match((await site.send({ path: '/api/v1/auth/providers' })).body, { ldap: true, oidc: false });
    const answer = await login('ALICE', passwordOf('alice'));
    t.match(answer, {
      status: 200,
      body: { username: 'alice', display_name: 'Alice A.', roles: ['operator'] },
    });
    t.match(await usersNamed('alice'), [{ auth_source: 'ldap', external_id: /^[0-9a-f-]{36}$/ }]);
    t.equal((await login('alice', passwordOf('alice'))).status, 200);
    t.equal((await usersNamed('alice')).length, 1);
  });

  await t.test('every refusal is the same', async (t) => {
    await site.user('shadow');
    const refusals = [
      await login('alice', 'wrong'),
      await login('alice', ''),
      await login('unknown', passwordOf('alice')),
      await login('carol', passwordOf('carol')),
      await login('shadow', 'password of the directory'),
      await login('shadow', 'wrong'),
    ].map(({ status, body }) => ({ status, body: { ...body, instance: '' } }));
    t.match(refusals[0], {
      status: 401,
      body: { detail: 'sign-in failed: check the name and the password' },
    });
    for (const refusal of refusals) t.same(refusal, refusals[0]);
    t.equal((await usersNamed('carol')).length, 0, 'without a group and without a default role');
    t.equal(
      (await login('shadow', passwordOf('shadow'))).status,
      200,
      'the local account is the one that counts',
    );
    t.match(await usersNamed('shadow'), [{ auth_source: 'local' }]);
  });

  await t.test('a directory account has no password here, and can be disabled here', async (t) => {
    const alice = await site.signIn('alice');
    const body = { current_password: passwordOf('alice'), new_password: 'another password' };
    t.equal((await site.send({ method: 'PUT', path: '/api/v1/auth/password', body }, alice)).status, 409);
    const [user] = await usersNamed('alice');
    const path = `/api/v1/users/${user?.id}`;
    t.equal((await site.send({ method: 'PATCH', path, body: { disabled: true } }, site.admin)).status, 200);
    t.equal((await site.send({ path: '/api/v1/auth/me' }, alice)).status, 401);
    t.equal((await login('alice', passwordOf('alice'))).status, 401);
    await site.send({ method: 'PATCH', path, body: { disabled: false } }, site.admin);
  });

  await t.test('an outage of the directory blocks new logins of its people only', async (t) => {
    const alice = await site.signIn('alice');
    await slapd.kill();
    t.equal((await site.send({ path: '/api/v1/auth/me' }, alice)).status, 200);
    t.equal((await login('alice', passwordOf('alice'))).status, 401);
    t.equal((await login('shadow', passwordOf('shadow'))).status, 200);
    t.match(site.service.daemon.log(), /a login failed.*no directory server could answer/s);
    await slapd.restart();
    t.equal((await login('alice', passwordOf('alice'))).status, 200);
    t.notMatch(site.service.daemon.log(), new RegExp(`${passwordOf('alice')}|${SERVICE.password}`));
  });
});
