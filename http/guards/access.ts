import { done, refused, type Outcome, type Problem } from '../../src/core/problems.ts';
import type { Header, HttpRequest } from '../pipeline/message.ts';
import type { Access } from '../pipeline/bind.ts';
import type { Authenticator } from './authenticator.ts';
import { ANONYMOUS, isPermitted, NOBODY, type Principal } from './principal.ts';

/** Header of every 401 (RFC 9110, 11.6.1). */
export const CHALLENGE: readonly Header[] = [['WWW-Authenticate', 'Bearer realm="callsheet"']];

export const UNAUTHORIZED: Problem = {
  kind: 'unauthorized',
  detail: 'this request needs an API key or a session: sign in, or check the key',
};

/** Decides who sends a request, and what the sender may do (docs/contract/authentication.md). */
export interface AccessGuard {
  /** Returns the sender of a request; null if authentication is on and the request has no valid credential. */
  principalOf(request: HttpRequest): Principal | null;
  /** Returns the principal with which an operation runs, or why it must not run. */
  permit(principal: Principal | null, access: Access): Outcome<Principal>;
}

/** `authenticator` is null while authentication is off. */
export const accessGuard = (authenticator: Authenticator | null): AccessGuard => ({
  principalOf: (request) => (authenticator === null ? ANONYMOUS : authenticator.principalOf(request.headers)),
  permit(principal, access) {
    if (access === 'public') return done(principal ?? NOBODY);
    if (principal === null) return { ok: false, problem: UNAUTHORIZED };
    if (access === 'authenticated' || isPermitted(principal, access)) return done(principal);
    return refused(
      'forbidden',
      `this needs the permission ${access}; the role ${principal.role} does not have it`,
    );
  },
});
