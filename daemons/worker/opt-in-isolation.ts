import { networkSupport } from '../../src/adapters/host/network-support.ts';
import { countDisk } from '../../src/adapters/process/disk-count.ts';
import { noNetworkArguments } from '../../src/adapters/process/network.ts';
import type { IsolationPart } from '../../src/core/access/isolation-part.ts';
import type { WorkerConfig } from '../../src/core/config/worker-config.ts';

const PROBE_TIMEOUT_MS = 10_000;
/** A file that every system has and that is counted at once. */
const COUNTED = '/dev/null';

/** Returns whether this machine supports the parts of isolation that are off by default. Changes nothing. */
export async function optInIsolation({
  isolation,
}: Pick<WorkerConfig, 'isolation'>): Promise<readonly IsolationPart[]> {
  const isRoot = process.geteuid?.() === 0;
  const [command = '', ...args] = [...noNetworkArguments(isRoot), 'true'];
  return Promise.all([
    networkSupport({ command, args }, isRoot && isolation.defaultUser === ''),
    quotaSupport(),
  ]);
}

async function quotaSupport(): Promise<IsolationPart> {
  const part = 'disk quota';
  const count = await countDisk(COUNTED, PROBE_TIMEOUT_MS).result;
  if (count.kind === 'counted')
    return { part, isSupported: true, detail: 'counts the directories of sessions', fix: '' };
  return { part, isSupported: false, detail: count.reason, fix: 'install bash and GNU coreutils (du, nice)' };
}

/** Refuses to start with a part that is configured and that this machine does not support. */
export function requireOptIns(
  { isolation }: Pick<WorkerConfig, 'isolation'>,
  parts: readonly IsolationPart[],
): void {
  const wanted = [
    { key: 'isolation.network', part: 'network', isSet: isolation.network !== 'open' },
    { key: 'isolation.disk_quota', part: 'disk quota', isSet: isolation.diskQuotaBytes > 0 },
  ];
  for (const { key, part, isSet } of wanted) {
    const found = parts.find((one) => one.part === part);
    if (isSet && found?.isSupported === false)
      throw new Error(`${key}: this machine does not support it: ${found.detail}. ${found.fix}`);
  }
}
