import { headerValues, type Header } from '../pipeline/message.ts';

/** Cookies of logins that have begun: one for each login, named by its state (docs/decisions/oidc.md). */

/** The routes of the sign-in: no other request carries these cookies. */
const COOKIE_PATH = '/api/v1/auth/oidc';
const COOKIE_START = 'svc_oidc_';
/** Characters of the state in the name of the cookie. */
const NAMED_CHARACTERS = 22;
/** Maximum number of logins that one browser has begun. A further one ends the oldest. */
export const LOGINS_PER_BROWSER = 6;

export interface LoginCookie {
  readonly name: string;
  readonly value: string;
}

/** `isSecure`: the address of the service is https. */
export const loginCookieName = (state: string, isSecure: boolean): string =>
  `${isSecure ? '__Secure-' : ''}${COOKIE_START}${state.slice(0, NAMED_CHARACTERS)}`;

/**
 * Returns the cookies of logins of a request with well-formed names, in the order of arrival: the oldest first (RFC 6265,
 * section 5.4).
 */
export function loginCookies(headers: readonly Header[], isSecure: boolean): readonly LoginCookie[] {
  const pattern = new RegExp(`^(${loginCookieName('', isSecure)}[A-Za-z0-9_-]{${NAMED_CHARACTERS}})=(.*)$`);
  return headerValues(headers, 'cookie')
    .flatMap((value) => value.split(';'))
    .flatMap((pair) => {
      const [, name, value] = pattern.exec(pair.trim()) ?? [];
      return name === undefined || value === undefined ? [] : [{ name, value }];
    });
}

/** Returns the header that gives a browser the cookie of a login. */
export const setLoginCookie = (cookie: LoginCookie, seconds: number, isSecure: boolean): Header => [
  'Set-Cookie',
  `${cookie.name}=${cookie.value}; Path=${COOKIE_PATH}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`,
];

/** Returns the header that removes the cookie of a login. */
export const clearLoginCookie = (name: string, isSecure: boolean): Header =>
  setLoginCookie({ name, value: '' }, 0, isSecure);
