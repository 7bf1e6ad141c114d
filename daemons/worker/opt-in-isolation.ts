import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NamespaceProbe } from '../../src/adapters/host/namespace-probe.ts';
import { networkSupport } from '../../src/adapters/host/network-support.ts';
import { hiddenProcessesSupport, privateTmpSupport } from '../../src/adapters/host/view-support.ts';
import { countDisk } from '../../src/adapters/process/disk-count.ts';
import { noNetworkArguments } from '../../src/adapters/process/network.ts';
import { viewArguments } from '../../src/adapters/process/session-view.ts';
import type { IsolationPart } from '../../src/core/access/isolation-part.ts';
import type { WorkerConfig } from '../../src/core/config/worker-config.ts';

const PROBE_TIMEOUT_MS = 10_000;
/** A file that every system has and that is counted at once. */
const COUNTED = '/dev/null';

/** Returns whether this machine supports the parts of isolation that are off by default. Removes what it makes. */
export async function optInIsolation({
  isolation,
}: Pick<WorkerConfig, 'isolation'>): Promise<readonly IsolationPart[]> {
  const isRoot = process.geteuid?.() === 0;
  const mustChangeAccount = isRoot && isolation.defaultUser === '';
  return Promise.all([
    networkSupport(probeOf(noNetworkArguments(isRoot)), mustChangeAccount),
    quotaSupport(),
    tmpSupport(isRoot),
    hiddenProcessesSupport(
      probeOf(viewArguments({ privateTmp: null, hidesProcesses: true }, null, isRoot, '')),
      isRoot,
      mustChangeAccount,
    ),
  ]);
}

/** Tries it with an empty directory in place of that of a session. */
async function tmpSupport(isRoot: boolean): Promise<IsolationPart> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'callsheet-probe-')));
  try {
    const view = { privateTmp: directory, hidesProcesses: false };
    return await privateTmpSupport(probeOf(viewArguments(view, null, isRoot, directory)));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function probeOf(preparation: readonly string[]): NamespaceProbe {
  const [command = '', ...args] = [...preparation, 'true'];
  return { command, args };
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
    { key: 'isolation.private_tmp', part: 'private tmp', isSet: isolation.privateTmp },
    { key: 'isolation.hide_processes', part: 'hidden processes', isSet: isolation.hideProcesses },
  ];
  for (const { key, part, isSet } of wanted) {
    const found = parts.find((one) => one.part === part);
    if (isSet && found?.isSupported === false)
      throw new Error(`${key}: this machine does not support it: ${found.detail}. ${found.fix}`);
  }
}
