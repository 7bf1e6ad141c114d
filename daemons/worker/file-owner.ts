import { accountFor, type IsolationSettings } from '../../src/adapters/process/isolation.ts';
import type { FileOwner } from '../../src/core/ports/staging.ts';
import type { RunAs } from '../../src/core/ports/task-processes.ts';

/** The ids of the account whose files are copied. Throws, in words for the one whose task it is, when no task runs as it here. */
export const fileOwnerBy =
  (settings: IsolationSettings) =>
  async (runAs: RunAs): Promise<FileOwner> => {
    const found = await accountFor(runAs, settings);
    if (!found.ok) throw new Error(found.refusal);
    const { userId: uid, groupId: gid, groupIds: groups } = found.account.ids;
    return { uid, gid, groups };
  };
