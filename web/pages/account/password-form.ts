import { ProblemError } from '../../../client/problem.ts';

/** Texts of the form that changes the password of the user. */
export interface PasswordForm {
  readonly current: string;
  readonly next: string;
  readonly again: string;
}

export const EMPTY_PASSWORD_FORM: PasswordForm = { current: '', next: '', again: '' };

export type PasswordErrors = Readonly<Partial<Record<keyof PasswordForm, string>>>;

/** The server counts characters as Unicode code points (docs/contract/rest.md#authentication-routes). */
const lengthOf = (password: string): number => [...password].length;

/** Returns why a text is not acceptable as a new password, or an empty text. `min` is null if it is not known. */
export function newPasswordError(password: string, min: number | null): string {
  if (password === '') return 'Enter a password.';
  if (min !== null && lengthOf(password) < min) return `Enter at least ${min} characters.`;
  return new TextEncoder().encode(password).length > MAX_BYTES ? `Enter at most ${MAX_BYTES} bytes.` : '';
}

const MAX_BYTES = 1_024;

/** Returns the errors of the form; empty if it can be sent. */
export function passwordErrors({ current, next, again }: PasswordForm, min: number | null): PasswordErrors {
  const nextError = newPasswordError(next, min);
  return {
    ...(current === '' && { current: 'Enter your current password.' }),
    ...(nextError !== '' && { next: nextError }),
    ...(next !== again && { again: 'The passwords differ.' }),
  };
}

/** Returns the errors of a rejected change by field; null if the error concerns no field. */
export function refusedPassword(error: unknown): PasswordErrors | null {
  if (!(error instanceof ProblemError)) return null;
  if (error.status === 403) return { current: 'The current password is wrong.' };
  const found = error.errors.find(({ pointer }) => pointer === '/new_password');
  return found === undefined ? null : { next: `The server refused it: ${found.detail}.` };
}
