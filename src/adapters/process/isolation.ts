import type { RunAs } from '../../core/ports/task-processes.ts';
import { lookUpAccount, type AccountLookup } from '../host/accounts.ts';

/** What the one who runs the worker has said of other accounts, and what the worker can. */
export interface IsolationSettings {
  /** Whether tasks of queues that name an account are run at all. */
  readonly isEnabled: boolean;
  /** Globs of variables of the worker that such tasks get. */
  readonly environmentPassthrough: readonly string[];
}

/**
 * The account that a queue names, or why its tasks are not run here. Never another account instead: without root, or on a system where the
 * account cannot be changed for good, the task is refused.
 */
export async function accountFor(runAs: RunAs, { isEnabled }: IsolationSettings): Promise<AccountLookup> {
  const refusal = (because: string): AccountLookup => ({
    ok: false,
    refusal: `its queue runs tasks as the account ${JSON.stringify(runAs.user)}, and this worker ${because}`,
  });
  if (!isEnabled) return refusal('runs none as another account (isolation.enabled is false)');
  if (process.platform !== 'linux') return refusal('can change the account only on Linux');
  if (process.geteuid?.() !== 0) return refusal('does not run as root, so it cannot');
  return lookUpAccount(runAs);
}
