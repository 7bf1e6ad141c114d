import type { WorkerCredential } from '../../../client/resources.ts';
import type { JoinMethod } from '../worker-tokens/join-method.ts';

type CredentialState = 'valid' | 'expired' | 'revoked';

/** Returns whether the bus accepts a credential at `now`, in milliseconds since the epoch. */
export function credentialState(
  { revoked, expires_at: end }: Pick<WorkerCredential, 'revoked' | 'expires_at'>,
  now: number,
): CredentialState {
  if (revoked) return 'revoked';
  return Date.parse(end) <= now ? 'expired' : 'valid';
}

/** Returns why a credential cannot be revoked; empty if it can. `method` is null while it is not loaded. */
export function whyNotRevocable(
  { revoked }: Pick<WorkerCredential, 'revoked'>,
  method: JoinMethod | null,
): string {
  if (revoked) return 'The credential is already revoked.';
  return method === null || method === 'token'
    ? ''
    : 'The service does not issue the credentials of this bus (bus.auth.enabled).';
}
