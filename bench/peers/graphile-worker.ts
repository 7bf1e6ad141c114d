import type { Installation } from './installation.ts';
import { SLOT_LATENCY, type Peer, type RunningPeer } from './peer.ts';
import { POSTGRES_SETTINGS, startPostgres } from './postgres.ts';
import { runPeerProgram, runWorkers } from './run-program.ts';

/**
 * Every job is fetched from the database, or a queue in the workers' process is filled with 500 at once and ends are
 * written in batches.
 */
type Variant = 'direct' | 'local-queue';

/** Connections besides those of the pool: the submitter, the listener, the counter. */
const OTHER_CONNECTIONS = 20;

/** graphile-worker on PostgreSQL. */
export function graphileWorker(name: string, variant: Variant, poolSize: number): Peer {
  return {
    name,
    kind: variant === 'direct' ? 'cycles' : 'batches',
    durability: 'commit flushed',
    latency: SLOT_LATENCY,
    settings:
      `concurrentJobs = workers, at most ${poolSize} connections, one addJobs; ` +
      (variant === 'direct'
        ? 'no batching. '
        : 'localQueue.size 500, completeJobBatchDelay 0, failJobBatchDelay 0 (its manual on performance). ') +
      POSTGRES_SETTINGS,
    share: variant === 'direct' ? 1 : 5,
    versions: async (installation) => ({
      'graphile-worker': installation.packageVersion('graphile-worker'),
      pg: installation.packageVersion('pg'),
      postgresql: installation.programVersion('postgres'),
    }),
    start: (installation) => start(installation, variant, poolSize),
  };
}

async function start(installation: Installation, variant: Variant, poolSize: number): Promise<RunningPeer> {
  const server = await startPostgres(installation, poolSize + OTHER_CONNECTIONS);
  const order = {
    packages: installation.packages,
    port: server.port,
    variant,
    details: { poolSize: String(poolSize) },
  };
  return {
    submit: async (tasks) =>
      (await runPeerProgram('graphile-worker', { ...order, role: 'submit', workers: 0, tasks, warmUp: 0 }))
        .seconds,
    work: (workers, work) => runWorkers('graphile-worker', { ...order, role: 'work', workers, ...work }),
    stop: () => server.stop(),
  };
}
