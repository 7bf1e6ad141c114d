/**
 * Passwords with which some directories bind anonymously and report success (T13). The server of this attack is configured
 * to do so, like Active Directory.
 */
import { execFileSync } from 'node:child_process';
import { equal, match } from 'node:assert/strict';
import { PEOPLE, Slapd, slapdUser } from '../../kit/slapd.ts';
import type { AttackReport } from '../attack.ts';
import { login, runAttacks, type AttackCase, type LdapKeys } from './attack-directory.ts';

const PASSWORD = 'the same secret';

const USERNAMES = ['alice', 'ALICE', 'alice ', 'nopassword', 'stranger', '*', `uid=alice,${PEOPLE}`] as const;

const PASSWORDS = ['', '\u0000', '\u0000\u0000', `\u0000${PASSWORD}`, `${PASSWORD}\u0000`] as const;

/** With and without an account that searches. */
const ACCOUNTS: readonly LdapKeys[] = [{}, { bind_dn: '', bind_password: '' }];

/** Runs `count` attacks. Each one that logs in is a violation. */
export async function run(count: number): Promise<AttackReport> {
  const server = await Slapd.start({
    entries: [slapdUser('alice', PASSWORD), slapdUser('nopassword', null)],
    config: ['allow bind_anon_cred bind_anon_dn'],
  });
  try {
    // The server accepts what the service must not send.
    const whoAmI = ['-x', '-H', server.url, '-D', `uid=alice,${PEOPLE}`, '-w', ''];
    equal(execFileSync('ldapwhoami', whoAmI, { encoding: 'utf8' }).trim(), 'anonymous');
    for (const keys of ACCOUNTS)
      equal((await login({ url: server.url, ...keys }, 'alice', PASSWORD)).kind, 'accepted');
    const cases = PASSWORDS.flatMap((password) =>
      USERNAMES.flatMap((username) =>
        ACCOUNTS.map((keys): AttackCase => ({
          title: `${JSON.stringify(username)} with the password ${JSON.stringify(password)}`,
          run: async () => {
            const answer = await login({ url: server.url, ...keys }, username, password);
            equal(answer.kind, 'refused');
            match('reason' in answer ? answer.reason : '', /^the password (is empty|contains a NUL)/);
          },
        })),
      ),
    );
    return await runAttacks(cases, count);
  } finally {
    await server.stop();
  }
}
