import { BusFirewall, removeEarlierTable } from '../../src/adapters/firewall/bus-firewall.ts';
import type { WorkerConfig } from '../../src/core/config/worker-config.ts';
import type { Logger } from '../process/logging.ts';
import type { WorkerState } from './worker-state.ts';

/**
 * Returns the rules that keep tasks from the bus with `isolation.network=no_bus`, and null otherwise. Removes rules that an
 * earlier process of this worker has left. Throws if the rules cannot be set.
 */
export async function openBusFirewall(
  { isolation }: Pick<WorkerConfig, 'isolation'>,
  { directory, journal }: Pick<WorkerState, 'directory' | 'journal'>,
  logger: Logger,
): Promise<BusFirewall | null> {
  if (isolation.network === 'no_bus') {
    const { workerId } = journal;
    const warn = (text: string, attributes: Readonly<Record<string, string>>): void =>
      logger.warn(attributes, text);
    const firewall = await BusFirewall.open({ directory, workerId, warn });
    logger.info({ table: firewall.table }, 'rules of the firewall keep tasks from the bus');
    return firewall;
  }
  try {
    await removeEarlierTable(directory);
  } catch (error) {
    // The rules refuse more than they should; this is not a reason to run no tasks.
    logger.warn(
      { reason: error instanceof Error ? error.message : String(error) },
      'rules of the firewall remain from an earlier start with isolation.network=no_bus',
    );
  }
  return null;
}
