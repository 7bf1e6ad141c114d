/** When a worker renews its credential (docs/decisions/bus-identity.md#renewal). Times are milliseconds. */

/** Part of the lifetime after which it is renewed, and the random part by which that is earlier. */
const RENEW_AFTER = 2 / 3;
const JITTER = 1 / 20;

/** Validity of a JWT, in milliseconds since the epoch. */
export interface Validity {
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** Returns the time at which a credential is renewed. `random` is from 0 to 1. */
export const renewalTime = ({ issuedAt, expiresAt }: Validity, random: number): number =>
  issuedAt + (expiresAt - issuedAt) * (RENEW_AFTER - JITTER * random);
