import { test } from 'tap';
import { run as runEmptyPasswords } from '../../attack/ldap/empty-passwords.ts';
import { run as runHostileUsernames } from '../../attack/ldap/hostile-usernames.ts';
import { run as runIdentityConfusion } from '../../attack/ldap/identity-confusion.ts';

test('a hostile username matches no other entry of the directory', async (t) => {
  t.same(await runHostileUsernames(400), { tried: 400, violations: [] });
});

test('a password that the directory takes for an anonymous login is refused', async (t) => {
  t.same(await runEmptyPasswords(20), { tried: 20, violations: [] });
});

test('no spelling, group, referral or server on the path gives a user the account of another', async (t) => {
  t.same(await runIdentityConfusion(60), { tried: 60, violations: [] });
});
