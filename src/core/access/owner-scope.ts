import { usernameKey } from '../records/user.ts';

/**
 * Owner whose jobs alone someone may see and change, in the form of `usernameKey`; null: everyone's
 * (docs/contract/authentication.md#owner-scope).
 */
export type OwnerScope = string | null;

/** Reports whether jobs of an owner are in a scope. A job without an owner is only in the scope of everyone's jobs. */
export const isInScope = (scope: OwnerScope, owner: string): boolean =>
  scope === null || (owner !== '' && (owner === scope || usernameKey(owner) === scope));
