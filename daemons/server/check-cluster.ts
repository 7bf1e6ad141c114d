import { randomUUID } from 'node:crypto';
import { FORMAT_VERSIONS } from '../../src/adapters/lmdb/store-format.ts';
import { externalServersRefusal, managedServersRefusal } from '../../src/adapters/nats/cluster-checks.ts';
import { untilLeader } from '../../src/adapters/nats/cluster-servers.ts';
import { NodeFactsExchange } from '../../src/adapters/nats/node-facts.ts';
import type { ServerList } from '../../src/adapters/nats/server-address.ts';
import { RECORD_FORMAT } from '../../src/core/cluster/record-formats.ts';
import {
  clockRefusal,
  clockWarnings,
  formatRefusal,
  formatWarnings,
  nameRefusal,
  type HeardFacts,
} from '../../src/core/cluster/peer-facts.ts';
import type { ClusterConfig } from '../../src/core/config/cluster-config.ts';
import { throwIfStopping, type StartContext } from './start-context.ts';

const KNOWN = { record: RECORD_FORMAT, state: FORMAT_VERSIONS.state };
/** Interval at which the clocks and formats of the other nodes are compared. */
const CHECK_MS = 60_000;

/** Access of a node to the servers of its cluster. `system` is null for an external NATS cluster. */
interface ClusterAccess {
  readonly streams: ServerList;
  readonly system: ServerList | null;
}

/**
 * Checks that this node can be part of its cluster, and answers the checks of the other nodes until the service stops. Clocks
 * and formats are compared again each minute; differences are then logged.
 *
 * @throws Error that says what to do, if the servers, the clock or the version do not fit.
 */
export async function checkCluster(
  context: StartContext,
  cluster: ClusterConfig,
  { streams, system }: ClusterAccess,
): Promise<void> {
  const { logger, stopping, shutdown, version } = context;
  const warn = (text: string): void => logger.warn(text);
  // The bus has waited for managed servers.
  if (system === null) await untilLeader({ streams, system, peers: cluster.peers }, stopping, warn);
  throwIfStopping(stopping);
  const refusal =
    system === null
      ? await externalServersRefusal(streams, cluster.name, cluster.serversSyncAlways)
      : await managedServersRefusal(system);
  if (refusal !== null) throw new Error(refusal);
  const own = {
    node: cluster.node,
    instance: randomUUID(),
    version: version.version,
    recordFormat: RECORD_FORMAT,
    stateFormat: FORMAT_VERSIONS.state,
  };
  const exchange = new NodeFactsExchange({ servers: streams, cluster: cluster.name, own }, warn);
  let next: NodeJS.Timeout | undefined;
  shutdown.add('bus', () => {
    clearTimeout(next);
    return exchange.close();
  });
  const heard = await exchange.ask();
  throwIfStopping(stopping);
  const fault = nameRefusal(own, heard) ?? formatRefusal(KNOWN, heard) ?? clockRefusal(cluster.node, heard);
  if (fault !== null) throw new Error(fault);
  let told: readonly string[] = [];
  const compare = (latest: readonly HeardFacts[]): void => {
    const kinds = [...clockWarnings(cluster.node, latest), ...formatWarnings(KNOWN, latest)];
    const twin = nameRefusal(own, latest);
    const lines = twin === null ? kinds : [twin, ...kinds];
    for (const line of lines) if (!told.includes(line)) warn(line);
    told = lines;
  };
  const repeat = (): void => {
    next = setTimeout(() => {
      if (stopping.aborted) return;
      void exchange
        .ask()
        .then(compare, (error: unknown) => {
          logger.warn(`other nodes cannot be asked for their clocks: ${String(error)}`);
        })
        .finally(repeat);
    }, CHECK_MS).unref();
  };
  compare(heard);
  repeat();
}
