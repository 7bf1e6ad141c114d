import { headerValues, type Header } from '../pipeline/message.ts';

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
  for (const header of headerValues(headers, 'cookie')) {
    for (const pair of header.split(';')) {
      const equals = pair.indexOf('=');
      if (equals < 0 || pair.slice(0, equals).trim() !== name) continue;
      const value = pair.slice(equals + 1).trim();
      if (found !== null && found !== value) return null;
      found = value;
    }
  }
  return found === '' ? null : found;
}
