import fc from 'fast-check';
import { test } from 'tap';
import {
  accountRefusal,
  groupNameRefusal,
  groupRefusal,
  processIdsOf,
  userNameRefusal,
  type Account,
} from '../../../src/core/access/isolation-names.ts';

const USERS = [
  'root',
  'Administrator',
  'Administrators',
  'SYSTEM',
  'LocalSystem',
  'NETWORK SERVICE',
  'LOCAL SERVICE',
];
const GROUPS = 'root wheel admin sudo sudoers adm docker disk shadow staff administrators'.split(' ');

const account = (changes: Partial<Account> = {}): Account => ({
  user: 'render',
  userId: 1200,
  groupId: 1200,
  groupIds: [1200, 44],
  home: '/home/render',
  shell: '/bin/bash',
  ...changes,
});

const isPrivileged = (refusal: string | null): boolean => refusal?.includes('is privileged') === true;

test('every privileged name is rejected in every spelling', (t) => {
  const disguises: readonly ((name: string) => string)[] = [
    (name) => name,
    (name) => name.toUpperCase(),
    (name) => name.toLowerCase(),
    (name) => `STUDIO\\${name}`,
    (name) => `.\\${name}`,
    (name) => `host/${name}`,
    (name) => `${name}@studio.local`,
    (name) => `STUDIO\\${name}@studio.local`,
    (name) => `  ${name}\t`,
    (name) => `STUDIO\\ ${name} @host`,
    (name) => name.replaceAll(' ', '  '),
    // Fullwidth letters fold to these.
    (name) => name.replaceAll('o', '\uff4f').replaceAll('S', '\uff33'),
  ];
  for (const disguise of disguises) {
    for (const name of USERS) t.ok(isPrivileged(userNameRefusal(disguise(name))), disguise(name));
    for (const name of GROUPS) t.ok(isPrivileged(groupNameRefusal(disguise(name))), disguise(name));
  }
  t.equal(userNameRefusal('root'), 'the account "root" is privileged: no task runs with it');
  t.equal(
    groupNameRefusal('STUDIO\\docker'),
    'the group "STUDIO\\\\docker" is privileged: no task runs with it',
  );
  t.end();
});

test('invalid names are rejected', (t) => {
  const names = [
    '',
    ' ',
    '0',
    '1000',
    '+0',
    '-1',
    '#0',
    '@root',
    'root@',
    'DOM\\',
    '\\',
    '--reuid=0',
    'a:b',
    'a b ',
    ' render',
    'render\n',
    'ren\0der',
    'r\u043e\u043et',
    'ro\u200bot',
    'a/b',
    'DOM\\1000',
    '1000@host',
    '*',
    '$(id)',
    'x'.repeat(257),
  ];
  for (const name of names) {
    t.not(userNameRefusal(name), null, JSON.stringify(name));
    t.not(groupNameRefusal(name), null, JSON.stringify(name));
  }
  t.equal(userNameRefusal('r\u043e\u043et'), '"r\\u043e\\u043et" is not a valid account name');
  t.equal(groupNameRefusal('1000'), '"1000" is not a valid group name');
  t.end();
});

test('ordinary names are accepted, with and without a domain', (t) => {
  for (const name of [
    'render',
    '_svc',
    'Render-01',
    '3d.artist',
    'STUDIO\\render',
    'render@studio.local',
    'rooty',
  ]) {
    t.equal(userNameRefusal(name), null, name);
    t.equal(groupNameRefusal(name), null, name);
  }
  t.equal(groupNameRefusal('domain users'), null);
  t.end();
});

test('a privileged name is rejected with any qualifier before or after it', (t) => {
  const name = fc.constantFrom(...USERS, 'root@host', 'ROOT');
  const qualifier = fc.string({ maxLength: 8 }).filter((text) => !text.includes('@'));
  fc.assert(
    fc.property(qualifier, name, fc.string({ maxLength: 8 }), (before, privileged, after) => {
      const separated = privileged.includes('@') ? privileged : `${privileged}@${after}`;
      t.not(userNameRefusal(`${before}\\${separated}`), null);
    }),
  );
  t.end();
});

test('an account is rejected by its IDs and by its own name', (t) => {
  t.equal(accountRefusal(account()), null);
  t.equal(accountRefusal(account({ userId: 0 })), 'the account "render" has the user id 0');
  t.equal(accountRefusal(account({ groupId: 0 })), 'the primary group of the account "render" has the id 0');
  t.ok(isPrivileged(accountRefusal(account({ user: 'Root' }))));
  t.equal(groupRefusal({ name: 'show', groupId: 500 }), null);
  t.equal(groupRefusal({ name: 'gang', groupId: 0 }), 'the group "gang" has the id 0');
  t.ok(isPrivileged(groupRefusal({ name: 'Docker', groupId: 500 })));
  t.end();
});

test('group 0 is never among the groups, and the group of the queue replaces the primary group', (t) => {
  t.same(processIdsOf(account({ groupIds: [1200, 44, 0, 20] }), null), {
    userId: 1200,
    groupId: 1200,
    groupIds: [20, 44],
  });
  t.same(processIdsOf(account({ groupIds: [1200, 44, 500] }), { name: 'show', groupId: 500 }), {
    userId: 1200,
    groupId: 500,
    groupIds: [44],
  });
  t.same(processIdsOf(account({ groupIds: [] }), null), { userId: 1200, groupId: 1200, groupIds: [] });
  t.end();
});

test('the ID that means "no change" is rejected: the kernel would keep the IDs of root', (t) => {
  const none = 4_294_967_295;
  const refusal = 'the account "render" has an invalid id';
  t.equal(accountRefusal(account({ userId: none })), refusal);
  t.equal(accountRefusal(account({ userId: none + 1 })), refusal);
  t.equal(accountRefusal(account({ groupId: none })), refusal);
  t.equal(accountRefusal(account({ userId: none - 1, groupId: none - 1 })), null);
  t.equal(groupRefusal({ name: 'feature', groupId: none }), 'the group "feature" has an invalid id');
  t.equal(groupRefusal({ name: 'feature', groupId: none - 1 }), null);
  t.end();
});
