import type { WorkerId } from '../ids.ts';
import type { JoinTokenRecord } from '../records/join-token.ts';
import type { WorkerStatus } from '../records/worker.ts';
import type { WorkerCredentialRecord } from '../records/worker-credential.ts';
import { isValidCredential, latestKey, UNREGISTERED_HOLD_MS } from './credentials.ts';
import { joinTokenStatus, useToken } from './join-tokens.ts';

/** A registered worker with the name of one that joins, in a farm in which that one may register. */
export interface Namesake {
  readonly id: WorkerId;
  readonly status: WorkerStatus;
}

/** The workers and credentials with the name of a worker that joins. */
export interface NameHolders {
  readonly workers: readonly {
    readonly worker: Namesake;
    readonly credential: WorkerCredentialRecord | undefined;
  }[];
  /** Credentials of workers that have joined with the name and have not registered yet. */
  readonly unregistered: readonly WorkerCredentialRecord[];
}

export type JoinDecision =
  /** A repeated request: the worker has joined with this key. */
  | { readonly type: 'repeated'; readonly credential: WorkerCredentialRecord }
  /** `takesOver` is the id of the worker; null for a new one. `revokes` never registered, and loses the name. */
  | {
      readonly type: 'joins';
      readonly token: JoinTokenRecord;
      readonly takesOver: WorkerId | null;
      readonly revokes: readonly WorkerCredentialRecord[];
    }
  | { readonly type: 'refused'; readonly reason: string };

const refusal = (reason: string): JoinDecision => ({ type: 'refused', reason });

/**
 * Decides whether a worker joins (docs/decisions/bus-identity.md). The secret of the token is already checked.
 *
 * @param holder - Credential that has the worker's key, if any.
 */
export function decideJoin(
  token: JoinTokenRecord,
  name: string,
  holder: WorkerCredentialRecord | undefined,
  key: string,
  { workers, unregistered }: NameHolders,
  now: number,
): JoinDecision {
  if (holder !== undefined) {
    const isSame = holder.tokenId === token.id && latestKey(holder).key === key;
    return isSame && isValidCredential(holder, now)
      ? { type: 'repeated', credential: holder }
      : refusal('the key was used before; delete the credential file of the worker and join again');
  }
  const used = useToken(token, now);
  if (used === null) return refusal(`the token ${TOKEN_FAULTS[joinTokenStatus(token)]}; create a new one`);
  const shown = JSON.stringify(name);
  for (const { worker, credential } of workers) {
    if (worker.status !== 'offline')
      return refusal(`a worker named ${shown} is ${worker.status}; stop and delete it, or set worker.name`);
    if (credential !== undefined && isValidCredential(credential, now)) return refusal(heldName(shown));
  }
  const waiting = unregistered.filter((each) => isValidCredential(each, now));
  if (waiting.some((each) => now < latestKey(each).issuedAt + UNREGISTERED_HOLD_MS))
    return refusal(
      `a worker named ${shown} has joined and has not registered yet; try again after ${UNREGISTERED_HOLD_MS / 60_000} minutes`,
    );
  if (workers.length > 1)
    return refusal(`several farms have a worker named ${shown}; set worker.farm, or use a token of one farm`);
  return { type: 'joins', token: used, takesOver: workers[0]?.worker.id ?? null, revokes: waiting };
}

const heldName = (shown: string): string =>
  `a worker named ${shown} has a credential; delete it, or revoke it with "callsheet workers revoke"`;

const TOKEN_FAULTS = {
  active: 'has expired',
  used_up: 'has no uses left',
  revoked: 'is revoked',
} as const;
