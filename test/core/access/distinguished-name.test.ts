import fc from 'fast-check';
import { test } from 'tap';
import { comparableName, directoryInputRefusal } from '../../../src/core/access/directory-input.ts';
import { roleOfGroups } from '../../../src/core/access/directory-role.ts';
import { normalDn } from '../../../src/core/access/distinguished-name.ts';

const group = (dn: string): string => normalDn(dn) ?? '';

test('spellings of one DN are equal', async (t) => {
  const expected = normalDn('cn=Render Wranglers,ou=groups,dc=farm');
  for (const spelling of [
    'CN=render wranglers,OU=Groups,DC=FARM',
    ' cn = Render   Wranglers , ou=groups ,dc=farm ',
    'cn="Render Wranglers",ou=groups,dc=farm',
    'cn=Render\\20Wranglers;ou=groups;dc=farm',
    'cn=\\52ender Wranglers,ou=groups,dc=\\66\\61\\72\\6D',
    'cn=Render Wranglers\\ ,ou=groups,dc=farm',
  ])
    t.equal(normalDn(spelling), expected, spelling);
  t.equal(normalDn('cn=a+uid=b,dc=c'), normalDn('UID=B+CN=A,dc=c'));
  t.equal(normalDn('cn=#04024869'), normalDn('CN=#04024869 '));
  t.equal(normalDn('cn=\\C3\\BC'), normalDn('cn=Ü'));
});

test('different DNs are different, and other text is none', async (t) => {
  t.not(normalDn('cn=a,dc=b'), normalDn('cn=a\\,dc\\=b'));
  t.not(normalDn('cn=a+cn=b'), normalDn('cn=a\\+cn\\=b'));
  t.not(normalDn('cn=a,cn=b'), normalDn('cn=b,cn=a'));
  t.not(normalDn('cn=#04024869'), normalDn('cn=\\#04024869'));
  t.not(normalDn('cn=a"b'.replace('"', '\\"')), normalDn('cn=ab'));
  for (const text of [
    '',
    ' ',
    'alice',
    'cn',
    'cn=',
    '=a',
    'cn=a,',
    ',cn=a',
    'cn=a,,dc=b',
    'c n=a',
    'cn=a\\',
    'cn=\\ff',
    'cn=a\ud800',
    'cn="a',
    'cn="a"b',
    'cn=a"b',
    'cn=#0',
    'cn=#zz',
    `cn=${'a'.repeat(9_000)}`,
  ])
    t.equal(normalDn(text), null, JSON.stringify(text));
});

test('every value round-trips through its escapes', async (t) => {
  const hex = (text: string): string =>
    [...Buffer.from(text)].map((byte) => `\\${byte.toString(16).padStart(2, '0')}`).join('');
  const escaped = (text: string): string => text.replace(/[,+"\\<>;=# ]/g, '\\$&');
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (value) => {
      if (comparableName(value) === '' || /^[0-9a-f]/i.test(value)) return;
      // Some characters in the name of an assertion would confuse the parser of its output.
      t.equal(normalDn(`cn=${escaped(value)}`), normalDn(`CN=${hex(value)}`), hex(value));
    }),
  );
});

test('the highest role of the groups wins, and the default is for users without one', async (t) => {
  const roles = [
    { group: group('cn=artists,dc=farm'), role: 'user' },
    { group: group('cn=td,dc=farm'), role: 'operator' },
    { group: group('cn=guests,dc=farm'), role: 'read-only' },
  ] as const;
  t.equal(roleOfGroups(['CN=Artists,dc=farm', 'cn=TD, dc=farm', 'cn=x'], roles, null), 'operator');
  t.equal(roleOfGroups(['cn=guests,dc=farm'], roles, 'admin'), 'read-only');
  t.equal(roleOfGroups(['cn=others,dc=farm'], roles, 'user'), 'user');
  t.equal(roleOfGroups([], roles, null), null);
  t.equal(roleOfGroups(['no dn', ''], roles, null), null);
});

test('names and passwords that a directory would misread are refused', async (t) => {
  t.equal(directoryInputRefusal('alice', 'secret'), null);
  t.equal(directoryInputRefusal('日本 ü*()', ' '), null);
  t.equal(directoryInputRefusal('a'.repeat(128), 'p'.repeat(1_024)), null);
  for (const [username, password, reason] of [
    ['', 'x', 'the username is empty'],
    [' \u3000', 'x', 'the username is empty'],
    ['a'.repeat(129), 'x', 'the username has 129 of at most 128 characters'],
    ['a\u0000', 'x', 'the username contains control characters'],
    ['a\u0085', 'x', 'the username contains control characters'],
    ['a\ud800', 'x', 'the username is not valid Unicode'],
    ['a', '', 'the password is empty'],
    ['a', 'p'.repeat(1_025), 'the password is longer than 1024 characters'],
    ['a', 'p\u0000', 'the password contains a NUL character'],
    ['a', '\udc00', 'the password is not valid Unicode'],
  ] as const)
    t.equal(directoryInputRefusal(username, password), reason);
});
