import { createHash, createHmac, randomBytes } from 'node:crypto';
import jsonwebtoken from 'jsonwebtoken';
import type { BegunLogin, LoginTokens, OpenedLogin } from '../../../core/ports/login-tokens.ts';

/** Time in which a login must be finished. */
export const LOGIN_SECONDS = 600;

const AUDIENCE = 'callsheet-oidc-login';
const ALGORITHM = 'HS256';
const KEY_BYTES = 32;

/**
 * Creates signed tokens of logins. The keys are random for each start of the process, so that a restart ends the logins
 * that have begun. Nonce and PKCE verifier are derived from the state with a second key: they are not in the token.
 *
 * @param now - Returns milliseconds since the epoch.
 */
export function loginTokens(now: () => number): LoginTokens {
  const signing = randomBytes(KEY_BYTES);
  const deriving = randomBytes(KEY_BYTES);
  const derived = (label: string, state: string): string =>
    createHmac('sha256', deriving).update(`${label}:${state}`).digest('base64url');
  const seconds = (): number => Math.floor(now() / 1000);

  return {
    issue: ({ number, returnTo }: BegunLogin) => {
      const state = randomBytes(KEY_BYTES).toString('base64url');
      const issued = seconds();
      const claims = { n: number, to: returnTo, iat: issued, exp: issued + LOGIN_SECONDS };
      const token = jsonwebtoken.sign(claims, signing, {
        algorithm: ALGORITHM,
        audience: AUDIENCE,
        subject: state,
      });
      const codeChallenge = createHash('sha256').update(derived('verifier', state)).digest('base64url');
      return { state, token, nonce: derived('nonce', state), codeChallenge };
    },
    open: (state: string, token: string): OpenedLogin | null => {
      const claims = verified(token, state, signing, seconds());
      if (claims === null) return null;
      const number: unknown = claims['n'];
      const returnTo: unknown = claims['to'];
      if (typeof number !== 'number' || typeof returnTo !== 'string') return null;
      return {
        number,
        returnTo,
        nonce: derived('nonce', state),
        codeVerifier: derived('verifier', state),
      };
    },
  };
}

function verified(
  token: string,
  state: string,
  key: Buffer,
  clockTimestamp: number,
): Readonly<Record<string, unknown>> | null {
  try {
    const claims = jsonwebtoken.verify(token, key, {
      algorithms: [ALGORITHM],
      audience: AUDIENCE,
      maxAge: LOGIN_SECONDS,
      clockTimestamp,
    });
    // The library does not compare an empty subject.
    return typeof claims === 'string' || claims.sub !== state ? null : claims;
  } catch (error) {
    if (error instanceof jsonwebtoken.JsonWebTokenError) return null;
    throw error;
  }
}
