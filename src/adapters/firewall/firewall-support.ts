import type { IsolationPart } from '../../core/access/isolation-part.ts';
import { runNft, type NftOptions } from './nft.ts';
import { tableCommands } from './rules.ts';

/** Name of this part of the isolation of tasks. */
export const FIREWALL_PART = 'network without bus';
const CHECKED_TABLE = 'callsheet_check';

/**
 * Reports whether this machine can keep tasks from the bus by rules of its firewall. Changes nothing and never throws.
 * `mustChangeAccount`: set if tasks would run as root.
 */
export async function firewallSupport(
  mustChangeAccount: boolean,
  { path }: Pick<NftOptions, 'path'> = {},
): Promise<IsolationPart> {
  if (process.platform !== 'linux') return unsupported('only Linux has nftables', 'use a host with Linux');
  if (process.geteuid?.() !== 0)
    return unsupported(
      'only root can set rules of the firewall',
      'run the worker as root (CAP_NET_ADMIN) with isolation.default_user',
    );
  if (mustChangeAccount)
    return unsupported(
      'connections of a task of root are not different from those of the worker',
      'set isolation.default_user, so that no task runs as root',
    );
  const blocked = {
    accounts: new Set([1]),
    endpoints: [
      { family: 4, address: '127.0.0.1', port: 1 },
      { family: 6, address: '::1', port: 1 },
    ],
    ports: new Set([1]),
  } as const;
  try {
    await runNft(tableCommands(CHECKED_TABLE, blocked), {
      isCheck: true,
      ...(path !== undefined && { path }),
    });
  } catch (error) {
    return unsupported(
      error instanceof Error ? error.message : String(error),
      'install nftables, and run the worker with CAP_NET_ADMIN on a kernel with nf_tables',
    );
  }
  return { part: FIREWALL_PART, isSupported: true, detail: 'nftables', fix: '' };
}

const unsupported = (detail: string, fix: string): IsolationPart => ({
  part: FIREWALL_PART,
  isSupported: false,
  detail,
  fix,
});
