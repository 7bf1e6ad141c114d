/** Attacks with names, groups, identifiers and referrals (T14). */
import { deepEqual, equal, notEqual } from 'node:assert/strict';
import { GROUPS, PEOPLE, SUFFIX } from '../../kit/slapd.ts';
import { login, type AttackCase, type LdapKeys } from './attack-directory.ts';
import { PASSWORD, accepted, refused, unavailable, type ConfusionWorld } from './confusion-world.ts';

const SPELLINGS: readonly (readonly [given: string, username: string])[] = [
  ...['ALICE', 'Alice', 'aLiCe', 'alicE', 'alice ', 'alice   ', ' alice', '  ALICE  '].map(
    (given) => [given, 'alice'] as const,
  ),
  ...['mary ann', 'MARY ANN', 'mary  ann', ' Mary   Ann ', 'mary ann ', 'mARY aNN'].map(
    (given) => [given, 'mary ann'] as const,
  ),
];

/** Spellings of one name are one account. */
const spellingCases = ({ server }: ConfusionWorld): AttackCase[] =>
  SPELLINGS.map(([given, username]) => ({
    title: `${JSON.stringify(given)} is ${username}`,
    run: async () => {
      const expected = accepted(await login({ url: server.url }, username, PASSWORD));
      const found = accepted(await login({ url: server.url }, given, PASSWORD));
      deepEqual(found, expected);
      equal(found.username, username);
      const other = accepted(await login({ url: server.url }, 'nogroup', PASSWORD));
      notEqual(found.externalId, other.externalId);
    },
  }));

const SAME_GROUP = [
  `cn=operators,${GROUPS}`,
  `CN=OPERATORS,${GROUPS.toUpperCase()}`,
  'cn=Operators, ou=groups, dc=farm, dc=test',
  ' cn = operators , ou = groups , dc = farm , dc = test ',
  'cn=operators;ou=groups;dc=farm;dc=test',
  'cn="operators",ou=groups,dc=farm,dc=test',
  'cn=oper\\61tors,ou=groups,dc=farm,dc=test',
  'cn=\\6fperators,ou=\\67roups,dc=farm,dc=test',
  'Cn=\\4FPERATORS,oU=gROUPS,Dc=fARM,dC=tEST',
  'cn=\\operators,ou=groups,dc=farm,dc=test',
];

const OTHER_GROUPS = [
  'cn=operator,ou=groups,dc=farm,dc=test',
  'cn=operators2,ou=groups,dc=farm,dc=test',
  'cn=ope rators,ou=groups,dc=farm,dc=test',
  'cn=operators,dc=farm,dc=test',
  'cn=operators,ou=groups,dc=farm',
  'cn=operators,ou=groups,dc=farm,dc=test,dc=example',
  'ou=operators,ou=groups,dc=farm,dc=test',
  'ou=groups,cn=operators,dc=farm,dc=test',
  'cn=operators\\,ou=groups,dc=farm,dc=test',
  'cn=operators+cn=x,ou=groups,dc=farm,dc=test',
  'cn=*,ou=groups,dc=farm,dc=test',
  'cn=artists,ou=groups,dc=farm,dc=test',
  'ou=groups,dc=farm,dc=test',
  SUFFIX,
];

const group = (name: string): string => `cn=${name},${GROUPS}`;

/** Roles of the groups, of users and the role that they get; null: no login. */
const ROLE_CASES: readonly (readonly [user: string, keys: LdapKeys, role: string | null])[] = [
  ['bob', { group_roles: { [group('artists')]: 'user', [group('admins')]: 'admin' } }, 'admin'],
  ['bob', { group_roles: { [group('admins')]: 'admin', [group('artists')]: 'user' } }, 'admin'],
  ['bob', { group_roles: { [group('artists')]: 'operator', [group('admins')]: 'read-only' } }, 'operator'],
  ['bob', { group_roles: { [group('artists')]: 'read-only' }, default_role: 'admin' }, 'read-only'],
  ['nogroup', { group_roles: { [group('admins')]: 'admin' }, default_role: 'read-only' }, 'read-only'],
  ['nogroup', { group_roles: { [group('admins')]: 'admin' } }, null],
  ['mary ann', { group_roles: { 'cn=comma\\, plus\\+,ou=groups,dc=farm,dc=test': 'operator' } }, 'operator'],
  ['mary ann', { group_roles: { 'cn="comma, plus+",ou=groups,dc=farm,dc=test': 'operator' } }, 'operator'],
  ['nested', { group_roles: { [group('inner')]: 'user' } }, 'user'],
  // OpenLDAP does not resolve nested groups: the matching rule of Active Directory must not grant more.
  ['nested', { group_roles: { [group('outer')]: 'admin' } }, null],
  [
    'nested',
    {
      group_roles: { [group('outer')]: 'admin' },
      group_filter: '(member:1.2.840.113556.1.4.1941:={dn})',
    },
    null,
  ],
  ['alice', { group_roles: { [group('operators')]: 'admin' }, group_filter: '(cn={username})' }, null],
];

const groupCases = ({ server }: ConfusionWorld): AttackCase[] => {
  const attack = (user: string, keys: LdapKeys, role: string | null): AttackCase => ({
    title: `${user} with ${JSON.stringify(keys)} has the role ${role ?? '(none)'}`,
    run: async () => {
      const answer = await login({ url: server.url, default_role: '', ...keys }, user, PASSWORD);
      if (role === null) refused(answer, /^none of the \d+ groups of /);
      else equal(accepted(answer).role, role);
    },
  });
  return [
    ...SAME_GROUP.map((dn) => attack('alice', { group_roles: { [dn]: 'operator' } }, 'operator')),
    ...SAME_GROUP.slice(0, 3).map((dn) => attack('bob', { group_roles: { [dn]: 'operator' } }, null)),
    ...OTHER_GROUPS.map((dn) => attack('alice', { group_roles: { [dn]: 'admin' } }, null)),
    ...ROLE_CASES.map(([user, keys, role]) => attack(user, keys, role)),
  ];
};

/** Attributes, users and the identifier that they give; a pattern: the login is refused. */
const ID_CASES: readonly (readonly [attribute: string, user: string, id: string | RegExp])[] = [
  ['departmentNumber', 'alice', '4711'],
  ['DEPARTMENTNUMBER', 'alice', '4711'],
  ['departmentNumber', 'bob', /has 2 values of departmentNumber/],
  ['departmentNumber', 'nogroup', /has 0 values of departmentNumber/],
  ['noSuchAttribute', 'alice', /has 0 values of noSuchAttribute/],
  ['userPassword', 'alice', /has 0 values of userPassword/],
  ['objectClass', 'alice', 'inetOrgPerson'],
  ['audio', 'binary', 'hex:00fffe01'],
  ['audio', 'alice', /has 0 values of audio/],
  ['mail', 'alice', /has 0 values of mail/],
];

const idCases = ({ server }: ConfusionWorld): AttackCase[] =>
  ID_CASES.flatMap(([attribute, user, id]) =>
    ['(uid={username})', '(&(objectClass=person)(uid={username}))'].map((filter) => ({
      title: `unique_id_attr ${attribute} of ${user} with ${filter}`,
      run: async () => {
        const keys = { url: server.url, unique_id_attr: attribute, user_filter: filter };
        const answer = await login(keys, user, PASSWORD);
        if (typeof id === 'string') equal(accepted(answer).externalId, id);
        else refused(answer, id);
      },
    })),
  );

/** Two entries match: neither may log in, with the password of one or the other. */
const doubleCases = ({ server }: ConfusionWorld): AttackCase[] => {
  const withMail = '(|(uid={username})(mail={username}))';
  const attack = (user: string, password: string, filter: string): AttackCase => ({
    title: `${JSON.stringify(user)} matches two entries of ${filter}`,
    run: async () => {
      const keys = { url: server.url, user_filter: filter };
      refused(await login(keys, user, password), /^several entries/);
    },
  });
  return [
    ...['dup', 'DUP', ' dup '].flatMap((user) =>
      [PASSWORD, 'another secret'].map((password) => attack(user, password, '(uid={username})')),
    ),
    attack('alice', PASSWORD, withMail),
    attack('ALICE', PASSWORD, withMail),
    {
      title: 'a name that is not the one of the entry gives the name of the entry',
      run: async () => {
        const keys = { url: server.url, user_base: `uid=bob,${PEOPLE}`, user_filter: withMail };
        equal(accepted(await login(keys, 'alice', PASSWORD)).username, 'bob');
      },
    },
  ];
};

/** Referrals lead to a server that would accept every password. */
const referralCases = ({ server, attacker }: ConfusionWorld): AttackCase[] => {
  const attack = (title: string, run: () => Promise<void>): AttackCase => ({
    title,
    run: async () => {
      await run();
      equal(attacker.connections(), 0, 'a referral was followed');
    },
  });
  const outside = 'ou=people,dc=elsewhere';
  return [
    ...['refer', 'REFER', 'refer '].map((user) =>
      attack(`${JSON.stringify(user)} is on another server`, async () =>
        refused(
          await login({ url: server.url }, user, PASSWORD),
          /^no entry .*; \d referrals are not followed/,
        ),
      ),
    ),
    ...['alice', 'refer'].map((user) =>
      attack(`the users of ${user} are on another server`, async () =>
        unavailable(
          await login({ url: server.url, user_base: outside }, user, PASSWORD),
          /ou=people,dc=elsewhere is on another server; referrals are not followed/,
        ),
      ),
    ),
    attack('the groups are on another server', async () =>
      unavailable(
        await login(
          { url: server.url, group_base: outside, group_roles: { [group('operators')]: 'admin' } },
          'alice',
          PASSWORD,
        ),
        /is on another server/,
      ),
    ),
    attack('the base of the users is a referral', async () =>
      unavailable(
        await login({ url: server.url, user_base: `uid=refer,${PEOPLE}` }, 'refer', PASSWORD),
        /is on another server/,
      ),
    ),
  ];
};

export const identityCases = (world: ConfusionWorld): AttackCase[] => [
  ...spellingCases(world),
  ...groupCases(world),
  ...idCases(world),
  ...doubleCases(world),
  ...referralCases(world),
];
