import { rm } from 'node:fs/promises';
import { benchDirectory, freePort } from '../kit/service.ts';
import type { Peer } from './peer.ts';
import { runPeerProgram, runWorkers } from './run-program.ts';
import { listens, startServer } from './server-process.ts';

/** beanstalkd with its log. `fsyncMs` is the maximum time between a write and its flush, 0 for each write. */
export function beanstalkd(name: string, fsyncMs: number): Peer {
  return {
    name,
    kind: 'cycles',
    durability: fsyncMs === 0 ? 'log, fsync each write' : `log, fsync each ${fsyncMs / 1000} s`,
    latency: 'from sending delete and reserve to the reply to reserve, a connection a worker',
    settings: `-b, -f${fsyncMs}; a connection a worker, delete of the last job and reserve of the next in one write; puts in one row`,
    share: 1,
    versions: async (installation) => ({ beanstalkd: installation.programVersion('beanstalkd', '-v') }),
    start: async (installation) => {
      const folder = await benchDirectory();
      const port = await freePort();
      const server = await startServer({
        program: installation.program('beanstalkd'),
        args: ['-l', '127.0.0.1', '-p', String(port), '-b', folder, `-f${fsyncMs}`],
        isReady: () => listens(port),
      });
      const order = { packages: installation.packages, port, variant: '', details: {} };
      return {
        submit: async (tasks) =>
          (await runPeerProgram('beanstalkd', { ...order, role: 'submit', workers: 0, tasks, warmUp: 0 }))
            .seconds,
        work: (workers, work) => runWorkers('beanstalkd', { ...order, role: 'work', workers, ...work }),
        stop: async () => {
          await server.stop();
          await rm(folder, { recursive: true, force: true });
        },
      };
    },
  };
}
