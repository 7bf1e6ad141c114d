import { accountFor, effectiveRunAs, type IsolationSettings } from '../../src/adapters/process/isolation.ts';
import type { FileOwner } from '../../src/core/ports/staging.ts';
import type { RunAs } from '../../src/core/ports/task-processes.ts';

/**
 * Returns a function that resolves the account of copied files to its ids; null for the worker's own. It throws, with a text for the user of the
 * task, if tasks may not run as this account here.
 */
export const fileOwnerBy =
  (settings: IsolationSettings) =>
  async (runAs: RunAs | null): Promise<FileOwner | null> => {
    const account = effectiveRunAs(runAs, settings);
    if (account === null) return null;
    const found = await accountFor(account, settings);
    if (!found.ok) throw new Error(found.refusal);
    const { userId: uid, groupId: gid, groupIds: groups } = found.account.ids;
    return { uid, gid, groups };
  };
