import type { Validity } from '../../core/bus-identity/credential-lifetime.ts';
import { integer, messageParser, record } from '../../core/wire/field-readers.ts';

const SECOND_MS = 1000;
const seconds = integer(0, 100_000_000_000);
const parse = messageParser(
  record<{ readonly iat: number; readonly exp: number }>({ iat: seconds, exp: seconds }),
  {
    length: 65_536,
    nesting: 16,
  },
);

/** Returns from when to when a JWT is valid; null if it does not say. Its signature is not checked. */
export function jwtValidity(jwt: string): Validity | null {
  const claims = jwt.split('.')[1] ?? '';
  const parsed = parse(Buffer.from(claims, 'base64url').toString('utf8'));
  if (!parsed.ok) return null;
  return { issuedAt: parsed.value.iat * SECOND_MS, expiresAt: parsed.value.exp * SECOND_MS };
}
