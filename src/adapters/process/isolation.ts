import type { RunAs } from '../../core/ports/task-processes.ts';
import type { LimitSettings } from './limit-settings.ts';
import { lookUpAccount, type AccountLookup } from '../host/accounts.ts';

/** Isolation settings of the worker. */
export interface IsolationSettings {
  /** Set if tasks of queues with an account are run at all. */
  readonly isEnabled: boolean;
  /** Globs of the worker's variables that such tasks get. */
  readonly environmentPassthrough: readonly string[];
  /** Globs of the worker's variables that no task gets. */
  readonly environmentDeny: readonly string[];
  readonly limits: LimitSettings;
}

/**
 * Returns the account of a queue, or why its tasks cannot run here. Another account is never substituted: without root,
 * or on a system on which the change of the account is reversible, the task is refused.
 */
export async function accountFor(
  runAs: RunAs,
  { isEnabled }: Pick<IsolationSettings, 'isEnabled'>,
): Promise<AccountLookup> {
  const refusal = (because: string): AccountLookup => ({
    ok: false,
    refusal: `its queue runs tasks as the account ${JSON.stringify(runAs.user)}, and this worker ${because}`,
  });
  if (!isEnabled) return refusal('runs none as another account (isolation.enabled is false)');
  if (process.platform !== 'linux') return refusal('can change the account only on Linux');
  if (process.geteuid?.() !== 0) return refusal('does not run as root, so it cannot');
  return lookUpAccount(runAs);
}
