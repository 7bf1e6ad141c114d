import { cookiesOf } from '../pipeline/cookies.ts';
import type { Header } from '../pipeline/message.ts';

/** Attributes of the session cookie (docs/contract/authentication.md#sessions). */
export interface CookieSettings {
  readonly cookieName: string;
  readonly cookieSecure: 'auto' | 'true' | 'false';
  /** Milliseconds. */
  readonly ttlMs: number;
}

/** Returns the `Set-Cookie` header of a new session. `isSecure`: the request arrived over TLS. */
export function sessionCookie(settings: CookieSettings, token: string, isSecure: boolean): Header {
  return cookie(settings, token, Math.floor(settings.ttlMs / 1000), isSecure);
}

/** Returns the `Set-Cookie` header that removes the session cookie. */
export const clearedCookie = (settings: CookieSettings, isSecure: boolean): Header =>
  cookie(settings, '', 0, isSecure);

function cookie(
  { cookieName, cookieSecure }: CookieSettings,
  value: string,
  maxAge: number,
  isSecure: boolean,
): Header {
  const secure = cookieSecure === 'true' || (cookieSecure === 'auto' && isSecure) ? '; Secure' : '';
  return ['Set-Cookie', `${cookieName}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`];
}

/** Returns the value of a cookie of the request; null if it is missing, empty or occurs with different values. */
export function cookieValue(headers: readonly Header[], name: string): string | null {
  let found: string | null = null;
  for (const cookie of cookiesOf(headers)) {
    if (cookie.name !== name || cookie.value === null) continue;
    if (found !== null && found !== cookie.value) return null;
    found = cookie.value;
  }
  return found === '' ? null : found;
}
