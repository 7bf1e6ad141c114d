import type { RunAs } from '../../core/ports/task-processes.ts';
import type { LimitSettings } from './limit-settings.ts';
import { lookUpAccount, type AccountLookup } from '../host/accounts.ts';

/** Isolation settings of the worker. */
export interface IsolationSettings {
  /** Set if tasks of queues with an account are run at all. */
  readonly isEnabled: boolean;
  /** Globs of the worker's variables that such tasks get. */
  readonly environmentPassthrough: readonly string[];
  /** The account of tasks of queues without one, if the worker runs as root; empty for the worker's own. */
  readonly defaultUser: string;
  /** Globs of the worker's variables that no task gets. */
  readonly environmentDeny: readonly string[];
  readonly limits: LimitSettings;
  /** `none`: tasks have no network. */
  readonly network: 'open' | 'none';
  /** Disk space of the directory of a session; 0: no quota. */
  readonly diskQuotaBytes: number;
  /** Set if each session has its own temporary directory. */
  readonly privateTmp: boolean;
  /** Set if tasks see only processes of their account. */
  readonly hideProcesses: boolean;
  /** Set if tasks of the worker's own account can get no new privileges either. */
  readonly noNewPrivileges: boolean;
}

/** Returns the account that a session runs as: the queue's, or the default of the worker; null for the worker's own. */
export function effectiveRunAs(runAs: RunAs | null, { defaultUser }: IsolationSettings): RunAs | null {
  if (runAs !== null || defaultUser === '' || process.geteuid?.() !== 0) return runAs;
  return { user: defaultUser, group: null };
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
