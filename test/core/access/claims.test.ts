import { test } from 'tap';
import { hasMappedClaims, mapClaims, type ClaimRules } from '../../../src/core/access/claims.ts';
import type { Role } from '../../../src/core/access/permissions.ts';

const ISSUER = 'https://id.studio.example/realms/vfx';

const rules = (changes: Partial<ClaimRules> = {}): ClaimRules => ({
  usernameClaim: 'preferred_username',
  roleClaim: 'groups',
  roleMap: new Map<string, Role>([
    ['farm-admins', 'admin'],
    ['wranglers', 'operator'],
    ['artists', 'user'],
    ['Render, Night', 'operator'],
    ['__proto__', 'admin'],
  ]),
  defaultRole: null,
  ...changes,
});

const ALICE = { sub: 'a-1', preferred_username: 'alice', name: 'Alice A.', groups: ['artists'] };

/** Role of Alice with other claims; the reason of the refusal without one. */
const roleWith = (claims: object, changes: Partial<ClaimRules> = {}): string => {
  const mapped = mapClaims(ISSUER, { ...ALICE, ...claims }, rules(changes));
  return mapped.ok ? mapped.identity.role : mapped.reason;
};

test('verified claims become an account whose external id is issuer and subject', async (t) => {
  t.same(mapClaims(ISSUER, ALICE, rules()), {
    ok: true,
    identity: { externalId: `${ISSUER} a-1`, username: 'alice', displayName: 'Alice A.', role: 'user' },
  });
});

test('the highest mapped role wins, in any order of the values', async (t) => {
  t.equal(roleWith({ groups: ['artists', 'farm-admins', 'wranglers'] }), 'admin');
  t.equal(roleWith({ groups: ['wranglers', 'artists'] }), 'operator');
});

test('a role claim may be one text, which is never split', async (t) => {
  t.equal(roleWith({ groups: 'wranglers' }), 'operator');
  t.equal(roleWith({ groups: 'Render, Night' }), 'operator');
  t.equal(roleWith({ groups: 'artists,farm-admins' }), 'no-role');
  t.equal(roleWith({ groups: 'artists farm-admins' }), 'no-role');
});

test('values of a role claim are compared exactly, and other types map to no role', async (t) => {
  const values = [
    ['ARTISTS'],
    [' artists'],
    [{ artists: true }],
    [['artists']],
    { artists: 'user' },
    7,
    true,
    null,
    [],
  ];
  for (const groups of values) t.equal(roleWith({ groups }), 'no-role', JSON.stringify(groups));
  t.equal(roleWith({ groups: ['constructor', 'toString'] }), 'no-role');
  t.equal(roleWith({ groups: ['__proto__'] }), 'admin', 'a mapped name is a text like any other');
});

test('a role claim may be nested, also below names with dots', async (t) => {
  const nested = { groups: undefined, realm_access: { roles: ['wranglers'] } };
  t.equal(roleWith(nested, { roleClaim: 'realm_access.roles' }), 'operator');
  const client = { resource_access: { 'callsheet.farm': { roles: ['artists'] } } };
  t.equal(roleWith(client, { roleClaim: 'resource_access.callsheet.farm.roles' }), 'user');
  const url = { 'https://studio.example/roles': ['farm-admins'] };
  t.equal(roleWith(url, { roleClaim: 'https://studio.example/roles' }), 'admin');
  const both = { 'a.b': ['artists'], a: { b: ['farm-admins'] } };
  t.equal(roleWith(both, { roleClaim: 'a.b' }), 'user', 'the claim with exactly this name comes first');
  t.equal(roleWith({}, { roleClaim: 'groups.0' }), 'no-role', 'a list has no names');
  t.equal(roleWith({}, { roleClaim: 'constructor.name' }), 'no-role', 'only own members count');
});

test('the default role applies without a mapped value only', async (t) => {
  t.equal(roleWith({ groups: ['others'] }, { defaultRole: 'read-only' }), 'read-only');
  t.equal(roleWith({ groups: ['wranglers'] }, { defaultRole: 'read-only' }), 'operator');
  t.equal(roleWith({ groups: ['artists'] }, { defaultRole: 'operator' }), 'user');
  t.equal(roleWith({ groups: undefined }, { roleClaim: '', defaultRole: 'user' }), 'user');
});

test('an unusable user name or subject is refused', async (t) => {
  const bad = ['', ' alice', 'alice ', 'a\u0000b', 'a\nb', 'x'.repeat(129), 7, null, ['alice'], undefined];
  for (const name of bad)
    t.equal(roleWith({ preferred_username: name }), 'no-username', JSON.stringify(name));
  for (const sub of ['', 'x'.repeat(256), 7, undefined]) t.equal(roleWith({ sub }), 'no-subject');
});

test('an email address that the provider has not verified is not a user name', async (t) => {
  const email = { usernameClaim: 'email' };
  t.equal(roleWith({ email: 'alice@studio.example', email_verified: true }, email), 'user');
  t.equal(roleWith({ email: 'alice@studio.example' }, email), 'user', 'a provider may not send the mark');
  t.equal(roleWith({ email: 'alice@studio.example', email_verified: false }, email), 'email-not-verified');
  t.equal(roleWith({ email: 'alice@studio.example', email_verified: 'false' }, email), 'email-not-verified');
});

test('a missing or unusable name gives the user name as the display name', async (t) => {
  for (const name of [undefined, '', 'x\u0007', 7, 'x'.repeat(201)]) {
    const mapped = mapClaims(ISSUER, { ...ALICE, name }, rules());
    t.equal(mapped.ok && mapped.identity.displayName, 'alice');
  }
});

test('missing mapped claims are noticed', async (t) => {
  t.ok(hasMappedClaims(ALICE, rules()));
  t.notOk(hasMappedClaims({ sub: 'a' }, rules()));
  t.notOk(hasMappedClaims({ ...ALICE, groups: undefined }, rules()));
  t.ok(hasMappedClaims({ preferred_username: 'alice' }, rules({ roleClaim: '' })));
});
