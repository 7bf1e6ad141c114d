import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'tap';
import { LDAP_LIMITS } from '../../../src/adapters/identity/ldap/limits.ts';
import { openLdapDirectory } from '../../../src/adapters/identity/ldap/ldap-directory.ts';
import { ldapSettingsOf } from '../../attack/ldap/attack-directory.ts';
import { runCases, type Case } from '../../kit/cases.ts';
import { startRelay, startStalling } from '../../kit/ldap-endpoints.ts';
import { GROUPS, SERVICE, Slapd, slapdGroup, slapdUser } from '../../kit/slapd.ts';

const PASSWORD = 'alice secret';
const ALICE = slapdUser('alice', PASSWORD, { displayName: ['Alice\u0007  Example'] });

const open = (keys: Readonly<Record<string, unknown>>) =>
  openLdapDirectory(ldapSettingsOf(keys), () => undefined);

const CASES: readonly Case<Slapd>[] = [
  [
    'a login returns the identity of the entry',
    async (t, server) => {
      const directory = open({ url: server.url, group_roles: { [`cn=td,${GROUPS}`]: 'operator' } });
      const answer = await directory.authenticate('alice', PASSWORD);
      t.match(answer, {
        kind: 'accepted',
        identity: {
          externalId: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
          username: 'alice',
          displayName: 'Alice   Example',
          role: 'operator',
        },
      });
      t.match(await directory.authenticate('bob', 'bob secret'), {
        identity: { displayName: 'bob', role: 'user' },
      });
      await directory.close();
    },
  ],
  [
    'an outage ends with the server: the same directory answers after it',
    async (t, server) => {
      const directory = open({ url: server.url });
      t.match(await directory.authenticate('alice', PASSWORD), { kind: 'accepted' });
      await server.kill();
      t.match(await directory.authenticate('alice', PASSWORD), {
        kind: 'unavailable',
        reason: /ECONNREFUSED/,
      });
      t.match(await directory.authenticate('alice', ''), { kind: 'refused' });
      await server.restart();
      t.match(await directory.authenticate('alice', PASSWORD), { kind: 'accepted' });
      t.match(await directory.authenticate('alice', 'wrong'), { kind: 'refused' });
      await directory.close();
    },
  ],
  [
    'a directory opens no connection without a login, and keeps none after it',
    async (t, server) => {
      const relay = await startRelay(server.port);
      const directory = open({ url: relay.url });
      t.equal(relay.connections(), 0);
      t.match(await directory.authenticate('\u0000', PASSWORD), { kind: 'refused' });
      t.equal(relay.connections(), 0);
      t.match(await directory.authenticate('alice', PASSWORD), { kind: 'accepted' });
      t.equal(relay.connections(), 2);
      await relay.allClosed();
      await directory.close();
      await relay.close();
    },
  ],
  [
    'logins beyond the limit do not wait for a silent server, and the close of the directory ends the others',
    async (t, server) => {
      const silent = await startStalling(server.port, 0);
      const directory = open({ url: silent.url, timeout: '60s' });
      const waiting = Array.from({ length: LDAP_LIMITS.logins }, () =>
        directory.authenticate('alice', PASSWORD),
      );
      t.match(await directory.authenticate('alice', PASSWORD), {
        kind: 'unavailable',
        reason: '32 logins wait for the directory already',
      });
      await directory.close();
      for (const answer of await Promise.all(waiting))
        t.match(answer, { kind: 'unavailable', reason: /the service is stopping/ });
      t.match(await directory.authenticate('alice', PASSWORD), { reason: 'the service is stopping' });
      await silent.close();
    },
  ],
  [
    'the password of the service account is read from its file for each login',
    async (t, server) => {
      const folder = mkdtempSync(join(tmpdir(), 'callsheet-ldap-'));
      t.teardown(() => rmSync(folder, { recursive: true }));
      const file = join(folder, 'password');
      const directory = open({ url: server.url, bind_password: '', bind_password_file: file });
      t.match(await directory.authenticate('alice', PASSWORD), {
        kind: 'unavailable',
        reason: /auth\.ldap\.bind_password_file: the file .* cannot be used: ENOENT/,
      });
      writeFileSync(file, '\n');
      t.match(await directory.authenticate('alice', PASSWORD), { reason: /must contain one line of text/ });
      writeFileSync(file, 'wrong\n');
      t.match(await directory.authenticate('alice', PASSWORD), { reason: /bind_dn is refused/ });
      writeFileSync(file, `${SERVICE.password}\n`);
      t.match(await directory.authenticate('alice', PASSWORD), { kind: 'accepted' });
      await directory.close();
    },
  ],
  [
    'groups beyond one page are read',
    async (t, server) => {
      const group = `cn=many700,${GROUPS}`;
      const directory = open({ url: server.url, default_role: '', group_roles: { [group]: 'admin' } });
      t.match(await directory.authenticate('bob', 'bob secret'), { identity: { role: 'admin' } });
      await directory.close();
    },
  ],
];

test('logins at a directory', async (t) => {
  const groups = Array.from({ length: 701 }, (_, at) => slapdGroup(`many${at}`, [slapdUser('bob', null).dn]));
  const server = await Slapd.start({
    entries: [ALICE, slapdUser('bob', 'bob secret'), slapdGroup('td', [ALICE.dn]), ...groups],
    config: ['sizelimit size.soft=500 size.hard=500 size.prtotal=unlimited'],
  });
  t.teardown(() => server.stop());
  await runCases(t, server, CASES);
});
