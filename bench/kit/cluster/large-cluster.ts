import { randomUUID } from 'node:crypto';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { firstMarkRow } from '../../../src/adapters/cluster/applied-mark.ts';
import { openStateWriter, STATE_DISK_LIMITS } from '../../../src/adapters/lmdb/state-writer.ts';
import { LogStream } from '../../../src/adapters/nats/log/log-stream.ts';
import { layOutManyJobs, type ManyJobs } from '../many-jobs.ts';
import { benchDirectory } from '../service.ts';
import { BENCH_CLUSTER } from './bench-cluster.ts';
import type { BusServers } from './bus-servers.ts';

/**
 * Gives each node a store with many running jobs, and creates a log that begins with this store, as `callsheet cluster
 * recover` does.
 */
export async function layOutCluster(
  size: ManyJobs,
  dataDirectories: readonly string[],
  bus: BusServers,
): Promise<void> {
  const logId = randomUUID();
  const source = await benchDirectory();
  try {
    await layOutManyJobs(source, size);
    await mark(source, logId);
    for (const directory of dataDirectories) await cp(source, join(directory, 'state'), { recursive: true });
  } finally {
    await rm(source, { recursive: true, force: true });
  }
  await createLog(logId, bus);
}

/** Writes that the store is the beginning of the log. */
async function mark(directory: string, logId: string): Promise<void> {
  const writer = await openStateWriter({
    directory,
    softwareVersion: 'bench',
    disk: STATE_DISK_LIMITS,
    endProcess: ({ detail }) => {
      throw new Error(detail);
    },
    warn: (text) => process.stderr.write(`${text}\n`),
  });
  writer.apply([], { mark: firstMarkRow(logId) });
  await writer.close();
}

async function createLog(logId: string, { servers }: BusServers): Promise<void> {
  const list = { servers: servers.map(({ port }) => `127.0.0.1:${port}`), isTls: false };
  let refused: string | null = 'not connected';
  await new Promise<void>((resolve) => {
    const stream: LogStream = new LogStream(
      { servers: list, cluster: BENCH_CLUSTER, node: 'bench' },
      {
        connected: () => {
          void (async () => {
            // A cluster that has just started has no leader at first.
            for (let tries = 0; refused !== null && tries < CREATE_TRIES; tries++)
              refused = await stream.create(servers.length, { logId, base: 'store' });
            await stream.close();
            resolve();
          })();
        },
        troubled: () => undefined,
      },
    );
  });
  if (refused !== null) throw new Error(`the log cannot be created: ${refused}`);
}

/** Each waits up to some seconds. */
const CREATE_TRIES = 10;
