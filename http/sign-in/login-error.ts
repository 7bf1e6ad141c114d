/**
 * Codes of failed logins by the provider: the only values of `error` in the address of the sign-in page, which shows one
 * sentence for each (docs/contract/authentication.md#oidc).
 */
export type LoginError =
  /** The login was not begun in this browser, has expired, or was finished before. */
  | 'expired'
  /** The user or the provider declined. */
  | 'declined'
  /** The answer of the provider did not pass the checks. */
  | 'invalid'
  /** The provider is not reachable. */
  | 'unavailable'
  /** The provider gives the user no role here. */
  | 'no-role'
  /** The provider sends no usable user name. */
  | 'no-username'
  /** The account is disabled, or another account has its name. */
  | 'refused';

/** Path of the sign-in page, without an error. */
const SIGN_IN_PAGE = '/sign-in';

export const signInPage = (error: LoginError): string => `${SIGN_IN_PAGE}?error=${error}`;
