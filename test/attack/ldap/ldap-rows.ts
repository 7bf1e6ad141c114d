import type { AttackRow } from '../attack.ts';
import { run as runEmptyPasswords } from './empty-passwords.ts';
import { run as runHostileUsernames } from './hostile-usernames.ts';
import { run as runIdentityConfusion } from './identity-confusion.ts';

/** Attacks on logins with a directory. */
export const ldapRows: readonly AttackRow[] = [
  { id: 'T12', title: 'usernames that change a search filter', full: 2_000, run: runHostileUsernames },
  { id: 'T13', title: 'passwords of anonymous logins', full: 70, run: runEmptyPasswords },
  {
    id: 'T14',
    title: 'identities, groups and servers that are not the right ones',
    full: 163,
    run: runIdentityConfusion,
  },
];
