import { SLOT_LATENCY, type Peer } from './peer.ts';
import { POSTGRES_SETTINGS, startPostgres } from './postgres.ts';
import { runPeerProgram, runWorkers } from './run-program.ts';

const POOL_SIZE = 32;
/** Connections besides those of the workers: the submitter's. */
const OTHER_CONNECTIONS = 40;

/** pg-boss on PostgreSQL. */
export const pgBoss: Peer = {
  name: 'pg-boss',
  kind: 'cycles',
  durability: 'commit flushed',
  latency: SLOT_LATENCY,
  settings:
    `each worker fetches and completes one job after another (its work() polls twice a second at most); at most ${POOL_SIZE} connections; ` +
    `one insert; no maintenance while it runs. ${POSTGRES_SETTINGS}`,
  share: 0.1,
  versions: async (installation) => ({
    'pg-boss': installation.packageVersion('pg-boss'),
    pg: installation.packageVersion('pg'),
    postgresql: installation.programVersion('postgres'),
  }),
  start: async (installation) => {
    const server = await startPostgres(installation, POOL_SIZE + OTHER_CONNECTIONS);
    const order = {
      packages: installation.packages,
      port: server.port,
      variant: '',
      details: { poolSize: String(POOL_SIZE) },
    };
    return {
      submit: async (tasks) =>
        (await runPeerProgram('pg-boss', { ...order, role: 'submit', workers: 0, tasks, warmUp: 0 })).seconds,
      work: (workers, work) => runWorkers('pg-boss', { ...order, role: 'work', workers, ...work }),
      stop: () => server.stop(),
    };
  },
};
