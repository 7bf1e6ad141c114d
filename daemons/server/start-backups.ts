import type { CopiedStore } from '../../src/adapters/lmdb/copy-stores.ts';
import type { LogStoreReader } from '../../src/adapters/lmdb/log-reader.ts';
import { startBackupServer } from '../maintenance/backup-socket.ts';
import type { OpenState } from './open-state.ts';
import type { StartContext } from './start-context.ts';

/** Starts the server through which `callsheet backup` copies the stores of a running service. */
export async function startBackups(
  { directory, shutdown }: StartContext,
  state: OpenState,
  logs: LogStoreReader,
): Promise<void> {
  const server = await startBackupServer(directory, [durableState(state), logs]);
  shutdown.add('store', () => server.close());
}

/** The state store for a backup. A copy contains everything that was confirmed before the copy starts. */
const durableState = ({ reader, changes }: OpenState): CopiedStore => ({
  kind: reader.kind,
  pages: () => reader.pages(),
  copyTo: async (target) => {
    await changes.untilReadable();
    reader.refresh();
    return await reader.copyTo(target);
  },
});
