import { recordTools } from '../../src/adapters/cluster/record-tools.ts';
import type { ServerList } from '../../src/adapters/nats/server-address.ts';
import { LogStream } from '../../src/adapters/nats/log/log-stream.ts';
import { uuidBytes } from '../../src/core/cluster/bytes.ts';
import { LogChain } from '../../src/core/cluster/log-chain.ts';
import { EMPTY_LOG } from '../../src/core/cluster/log-record.ts';
import { PartJoiner } from '../../src/core/cluster/record-bodies.ts';
import { readCauses, readWindows } from '../../src/core/cluster/sections.ts';
import type { WorkCause } from '../../src/core/records/work-cause.ts';
import { until } from './until.ts';

/** Returns the causes of all commit windows in the log of a cluster, from its first record on. */
export async function loggedCauses(servers: ServerList, cluster: string): Promise<readonly WorkCause[]> {
  const stream = new LogStream(
    { servers, cluster, node: 'reader' },
    { connected: () => undefined, troubled: () => undefined },
  );
  try {
    const info = await until('the log answers', async () => {
      const look = await stream.lookUp();
      return look.type === 'found' ? look.info : null;
    });
    const chain = new LogChain(uuidBytes(info.identity?.logId ?? ''), EMPTY_LOG, recordTools);
    const joiner = new PartJoiner(recordTools);
    const causes: WorkCause[] = [];
    while (chain.position < info.last) {
      const read = await until('records are read', () => stream.read(chain.position + 1, false));
      for (const { bytes } of read.records) {
        const step = chain.read(bytes);
        if (step.kind === 'fault') throw new Error(`record ${chain.position + 1}: ${step.fault}`);
        const body = step.kind === 'valid' ? joiner.add(step.record) : null;
        if (body === 'damaged') throw new Error(`the body of record ${chain.position} is damaged`);
        if (body === null || step.kind !== 'valid' || step.record.kind !== 'changes') continue;
        causes.push(...causesOf(body));
      }
    }
    return causes;
  } finally {
    await stream.close();
  }
}

function causesOf(body: Uint8Array): readonly WorkCause[] {
  const windows = readWindows(body);
  if (windows === null) throw new Error('a record has no commit windows');
  return windows.flatMap((window) => {
    const causes = readCauses(window.causes, recordTools);
    if (causes === null) throw new Error(`window ${window.number} of shard ${window.shard}: damaged causes`);
    return causes;
  });
}
