import { done, refused, type Outcome } from '../../src/core/problems.ts';
import { keys } from '../../src/core/records/tables.ts';
import { usernameKey } from '../../src/core/records/user.ts';
import { isPermitted, type Principal } from '../guards/principal.ts';
import type { Ports } from '../ports.ts';
import { pointedProblem } from '../problems.ts';

/** Who a job belongs to, and who submitted it. */
export interface JobIdentity {
  readonly owner: string;
  readonly submitter: string;
}

/**
 * Applies the rules of docs/contract/submission.md#job-identity to the owner that a client asks for; absent or empty
 * means itself; `pointer` is the place of the owner in the request. Refuses with 403 an owner that the principal must not
 * name, whether or not there is such an account, and with 400 an owner without an account, while
 * `auth.validate_job_owner` is on.
 */
export function jobIdentityOf(
  given: string | undefined,
  pointer: string,
  principal: Principal,
  { store, auth }: Pick<Ports, 'store' | 'auth'>,
): Outcome<JobIdentity> {
  const submitter = principal.username;
  if (given === undefined || given === '' || usernameKey(given) === usernameKey(submitter))
    return done({ owner: submitter, submitter });
  if (!isPermitted(principal, 'jobs.submit_as'))
    return refused('forbidden', 'an owner other than yourself needs the permission jobs.submit_as');
  if (!auth.enabled || !auth.validateJobOwner) return done({ owner: given, submitter });
  const account = store.get('username', keys.username(given));
  const user = account === undefined ? undefined : store.get('user', keys.user(account.userId));
  if (user === undefined) {
    const detail = `there is no account ${given.slice(0, 100)}`;
    return { ok: false, problem: pointedProblem('bad-request', [{ pointer, detail }]) };
  }
  return done({ owner: user.username, submitter });
}
