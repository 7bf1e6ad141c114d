import { rm } from 'node:fs/promises';
import { benchDirectory, freePort } from '../kit/service.ts';
import type { Installation } from './installation.ts';
import { SLOT_LATENCY, type Peer, type RunningPeer } from './peer.ts';
import { runPeerProgram, runWorkers } from './run-program.ts';
import { listens, startServer } from './server-process.ts';

type Fsync = 'always' | 'everysec';
/** One process with the number of workers as its concurrency, or one instance with its own connections per worker. */
type Variant = 'concurrency' | 'instances';

const DURABILITY: Readonly<Record<Fsync, string>> = {
  always: 'append-only file, fsync always',
  everysec: 'append-only file, fsync each second',
};

/** BullMQ on Redis. */
export function bullmq(name: string, fsync: Fsync, variant: Variant): Peer {
  return {
    name,
    kind: 'cycles',
    durability: DURABILITY[fsync],
    latency: SLOT_LATENCY,
    settings:
      variant === 'concurrency'
        ? 'one Worker, concurrency = workers; addBulk of 1,000; removeOnComplete'
        : 'a Worker with connections of its own a worker; addBulk of 1,000; removeOnComplete',
    share: 1,
    versions: async (installation) => ({
      bullmq: installation.packageVersion('bullmq'),
      ioredis: installation.packageVersion('ioredis'),
      'redis-server': installation.programVersion('redis-server'),
    }),
    start: (installation) => start(installation, fsync, variant),
  };
}

async function start(installation: Installation, fsync: Fsync, variant: Variant): Promise<RunningPeer> {
  const folder = await benchDirectory();
  const port = await freePort();
  const server = await startServer({
    program: installation.program('redis-server'),
    args: [
      ...['--bind', '127.0.0.1', '--port', String(port), '--dir', folder, '--save', '', '--daemonize', 'no'],
      ...['--appendonly', 'yes', '--appendfsync', fsync, '--maxclients', '10000'],
    ],
    isReady: () => listens(port),
  });
  const order = { packages: installation.packages, port, variant, details: {} };
  return {
    submit: async (tasks) =>
      (await runPeerProgram('bullmq', { ...order, role: 'submit', workers: 0, tasks, warmUp: 0 })).seconds,
    work: (workers, work) => runWorkers('bullmq', { ...order, role: 'work', workers, ...work }),
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
