import { USERNAME_LENGTH_MAX } from '../records/user.ts';
import { LONE_SURROGATE } from './escaped-bytes.ts';

/** Longest password that is sent to a directory, in UTF-16 units. */
const DIRECTORY_PASSWORD_MAX = 1_024;

const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/**
 * Returns why a name and a password are not sent to a directory, null if they may be. An empty password must never be sent:
 * directories accept it as an anonymous login (docs/contract/authentication.md#ldap).
 */
export function directoryInputRefusal(username: string, password: string): string | null {
  return nameRefusal(username) ?? passwordRefusal(password);
}

/** A name may have spaces at its ends: directories ignore them. */
function nameRefusal(username: string): string | null {
  if (username.trim() === '') return 'the username is empty';
  if (username.length > USERNAME_LENGTH_MAX)
    return `the username has ${username.length} of at most ${USERNAME_LENGTH_MAX} characters`;
  if (CONTROL.test(username)) return 'the username contains control characters';
  return LONE_SURROGATE.test(username) ? 'the username is not valid Unicode' : null;
}

function passwordRefusal(password: string): string | null {
  if (password === '') return 'the password is empty';
  if (password.length > DIRECTORY_PASSWORD_MAX)
    return `the password is longer than ${DIRECTORY_PASSWORD_MAX} characters`;
  if (password.includes('\u0000')) return 'the password contains a NUL character';
  return LONE_SURROGATE.test(password) ? 'the password is not valid Unicode' : null;
}

/**
 * Returns a name in the spelling in which directories compare names: without regard to case, runs of spaces, and spaces at
 * the ends.
 */
export const comparableName = (name: string): string =>
  name.normalize('NFKC').replace(/\s+/gu, ' ').trim().toLowerCase();
