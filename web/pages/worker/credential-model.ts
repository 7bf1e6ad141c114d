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

/** Returns what a revocation does to a worker with `tasks` current tasks. */
export function revocationText(tasks: number): string {
  const moved =
    tasks === 0
      ? ''
      : tasks === 1
        ? 'Its current task runs again on another worker. '
        : `Its ${tasks.toLocaleString('en')} current tasks run again on other workers. `;
  return `The worker is disconnected at once and cannot connect again. ${moved}It needs a new join token to return. A revoked credential cannot be restored.`;
}
