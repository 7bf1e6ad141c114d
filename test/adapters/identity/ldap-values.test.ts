import fc from 'fast-check';
import { test } from 'tap';
import { uniqueIdText, valuesOf } from '../../../src/adapters/identity/ldap/entry-values.ts';
import { filterObject } from '../../../src/adapters/identity/ldap/filter-objects.ts';
import { expandFilter, parseFilterTemplate } from '../../../src/core/access/directory-filter.ts';

test('identifiers of users are text, and different values have different texts', async (t) => {
  const guid = Buffer.from('33221100554477668899aabbccddeeff', 'hex');
  t.equal(uniqueIdText('objectGUID', guid), '00112233-4455-6677-8899-aabbccddeeff');
  t.equal(uniqueIdText('OBJECTguid', guid), '00112233-4455-6677-8899-aabbccddeeff');
  t.equal(uniqueIdText('audio', guid), `hex:${guid.toString('hex')}`);
  t.equal(uniqueIdText('entryUUID', Buffer.from('a-b')), 'a-b');
  t.equal(uniqueIdText('x', Buffer.from('hex:61')), 'hex:6865783a3631');
  t.equal(uniqueIdText('x', Buffer.from('a\u202eb')), 'hex:61e280ae62');
  t.equal(uniqueIdText('x', Buffer.from('\ufeffa')), 'hex:efbbbf61');
  t.equal(uniqueIdText('x', Buffer.alloc(0)), null);
  t.equal(uniqueIdText('x', Buffer.alloc(513, 'a')), null);
  const bytes = fc
    .uint8Array({ minLength: 1, maxLength: 20, size: 'max' })
    .map((array) => Buffer.from(array));
  fc.assert(
    fc.property(bytes, bytes, (one, other) => {
      for (const attribute of ['x', 'objectGUID'])
        t.equal(uniqueIdText(attribute, one) === uniqueIdText(attribute, other), one.equals(other));
    }),
  );
});

test('values of an entry are found without regard to the case of the attribute', async (t) => {
  const entry = { dn: 'cn=a', UID: ['a', 'b'], uid: 'c', cn: [] };
  t.same(valuesOf(entry, 'Uid').map(String), ['a', 'b', 'c']);
  t.same(valuesOf(entry, 'cn'), []);
  t.same(valuesOf(entry, 'sn'), []);
});

test('each kind of filter is sent as it is written', async (t) => {
  for (const text of [
    '(uid={username})',
    '(&(objectClass=person)(!(uid={username})))',
    '(|(uid={username})(mail={username})(cn=*))',
    '(&(cn=a*b*c)(uid={username}))',
    '(&(a>={username})(b<={username})(c~={username}))',
    '(member:1.2.840.113556.1.4.1941:={username})',
    '(ou:dn:={username})',
  ]) {
    const parsed = parseFilterTemplate(text, ['username']);
    if (!parsed.ok) throw new Error(parsed.wrong);
    const sent = filterObject(expandFilter(parsed.template, { username: 'x)(*' }));
    t.equal(sent.toString(), text.replaceAll('{username}', 'x\\29\\28\\2a'));
  }
});
