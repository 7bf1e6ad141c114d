import { ProblemError, ServiceUnreachable } from '../../../client/problem.ts';

/** Sentences for the codes with which a sign-in by the provider fails (docs/accounts.md#when-signing-in-fails). */
const PROVIDER_ERRORS: ReadonlyMap<string, string> = new Map([
  ['expired', 'The sign-in took too long, or was begun in another browser. Try again.'],
  ['declined', 'The sign-in was declined at the provider.'],
  ['invalid', 'The answer of the provider could not be verified. Try again, or ask an administrator.'],
  ['unavailable', 'The provider cannot be reached. Try again later.'],
  ['no-role', 'Your account at the provider has no role in Callsheet. Ask an administrator.'],
  ['no-username', 'The provider sent no usable user name. Ask an administrator.'],
  ['refused', 'Your account is disabled, or another account has its name. Ask an administrator.'],
]);

/** Returns the sentence for the code of a failed sign-in by the provider; empty without a code. */
export const providerError = (code: string | null): string =>
  code === null || code === ''
    ? ''
    : (PROVIDER_ERRORS.get(code) ?? 'The sign-in at the provider failed. Try again.');

/** Returns one sentence that says why a sign-in by name and password failed. */
export function signInError(error: unknown): string {
  if (error instanceof ServiceUnreachable) return 'Cannot reach the server. Try again.';
  if (!(error instanceof ProblemError)) return 'The answer of the server cannot be read. Try again.';
  switch (error.status) {
    case 401:
      return 'The name or the password is wrong.';
    case 409:
      return 'This server does not require signing in.';
    case 429:
      return `Too many requests. Try again ${waitText(error.retryAfterMs)}.`;
    case 503:
      return `The server is busy. Try again ${waitText(error.retryAfterMs)}.`;
    default:
      return `The server refused the sign-in: ${error.detail === '' ? error.title : error.detail}.`;
  }
}

function waitText(ms: number | null): string {
  if (ms === null) return 'later';
  const seconds = Math.max(1, Math.ceil(ms / 1_000));
  return seconds === 1 ? 'in 1 second' : `in ${seconds} seconds`;
}
