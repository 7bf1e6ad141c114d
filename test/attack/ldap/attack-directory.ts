import { ok } from 'node:assert/strict';
import { openLdapDirectory } from '../../../src/adapters/identity/ldap/ldap-directory.ts';
import type { LdapSettings } from '../../../src/core/config/ldap-settings.ts';
import { serverConfig } from '../../../src/core/config/server-config.ts';
import type { DirectoryAnswer } from '../../../src/core/ports/directory.ts';
import { GROUPS, PEOPLE, SERVICE } from '../../kit/slapd.ts';
import type { AttackReport } from '../attack.ts';

/** Keys below `auth.ldap`. */
export type LdapKeys = Readonly<Record<string, unknown>>;

/** Keys of a directory in which every user may log in. */
const BASIC_KEYS: LdapKeys = {
  enabled: true,
  bind_dn: SERVICE.dn,
  bind_password: SERVICE.password,
  user_base: PEOPLE,
  group_base: GROUPS,
  unique_id_attr: 'entryUUID',
  default_role: 'user',
};

/** Returns the settings of a configuration file with these keys. Throws with the errors of the configuration. */
export function ldapSettingsOf(keys: LdapKeys): LdapSettings {
  const resolved = serverConfig({
    file: { path: 'callsheet.yaml', document: { auth: { enabled: true, ldap: { ...BASIC_KEYS, ...keys } } } },
    environment: {},
    flags: [],
  });
  if (!resolved.ok) throw new Error(resolved.lines.join('\n'));
  const { ldap } = resolved.values.auth;
  if (ldap === null) throw new Error('the directory is not enabled');
  return ldap;
}

/** A login at a directory of these keys, which is closed after it. No text of the answer contains a password. */
export async function login(
  keys: LdapKeys,
  username: string,
  password: string,
  failovers: string[] = [],
): Promise<DirectoryAnswer> {
  const directory = openLdapDirectory(ldapSettingsOf(keys), (url, reason) => {
    failovers.push(`${url}: ${reason}`);
  });
  try {
    const answer = await directory.authenticate(username, password);
    const texts = JSON.stringify([answer, failovers]);
    for (const secret of [password, SERVICE.password])
      ok(secret.length < 8 || !texts.includes(secret), 'an answer contains a password');
    return answer;
  } finally {
    await directory.close();
  }
}

/** An attack of a table. It throws if it succeeds. */
export interface AttackCase {
  readonly title: string;
  readonly run: () => Promise<void>;
}

/** Runs `count` of the cases, spread evenly over the table. */
export async function runAttacks(cases: readonly AttackCase[], count: number): Promise<AttackReport> {
  const tried = Math.min(count, cases.length);
  const violations: string[] = [];
  for (let step = 0; step < tried; step++) {
    const attack = cases[Math.floor((step * cases.length) / tried)];
    if (attack === undefined) throw new RangeError(`no case ${step} of ${tried}`);
    try {
      await attack.run();
    } catch (error) {
      violations.push(`${attack.title}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { tried, violations };
}
