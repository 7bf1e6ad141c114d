import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import type { StorePages } from '../../http/ports.ts';
import { exitNow, writeFinalLog } from '../../src/adapters/lmdb/fail-stop.ts';
import type { ServerConfig } from '../../src/core/config/server-config.ts';
import { DiagnosticLog } from '../../src/core/diagnostics/diagnostic-log.ts';
import { nanosOfMs } from '../../src/core/diagnostics/nano-time.ts';
import { SERVER_COMPONENT } from '../../src/core/diagnostics/record.ts';
import { tallyOf } from '../../src/adapters/system/shared-tallies.ts';
import type { QueueRecord } from '../../src/core/records/queue.ts';
import { failStop } from '../process/fail-stop.ts';
import { createLogger } from '../process/logging.ts';
import { Shutdown } from '../process/shutdown.ts';
import { stopSignal, untilAborted } from '../process/stop-signal.ts';
import { versionFacts } from '../process/version.ts';
import { announceBus } from './announce-bus.ts';
import { watchBusStanding } from './bus-standing.ts';
import { bootstrapAdmin } from './bootstrap-admin.ts';
import { startClusterNode } from './cluster/start-cluster-node.ts';
import { disablePretenuring } from './disable-pretenuring.ts';
import { httpPorts } from './http-ports.ts';
import { logReady } from './log-ready.ts';
import { createObservers } from './observers.ts';
import { openBus, type OpenedBus } from './open-bus.ts';
import { keepSamples } from './keep-samples.ts';
import { openLists } from './open-lists.ts';
import { openState, startStore, type StartedStore } from './open-state.ts';
import { OwnerRole } from './owner-role.ts';
import { takeOverWhenOwner } from './take-over.ts';
import { openProducts } from './open-products.ts';
import { prepareLog } from './prepare-log.ts';
import { PreparationPool } from './preparation-pool.ts';
import { waitAfterRestore } from './wait-after-restore.ts';
import { startBackups } from './start-backups.ts';
import { StoppedEarlyError, throwIfStopping, type StartContext } from './start-context.ts';
import { startHttp, untilReady } from './start-http.ts';
import { startLogs } from './start-logs.ts';
import { startWebhooks } from './start-webhooks.ts';

/** docs/contract/limits.md#shutdown. */
export const SHUTDOWN_MS = 30_000;

/** Exit code of a service that could not start. */
const START_FAILED_EXIT = 1;
/** Exit code of a service that received a second stop signal. */
const SECOND_SIGNAL_EXIT = 1;

/**
 * Runs the service until SIGTERM or SIGINT: the composition root of the main thread. Prints its URL when it is ready.
 * Prints one line with the reason and exits if it cannot start.
 */
export async function runServer(config: ServerConfig): Promise<void> {
  disablePretenuring();
  try {
    await serve(config);
  } catch (error) {
    process.stderr.write(`callsheet server: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(START_FAILED_EXIT);
  }
}

/**
 * Starts the service, waits for the stop signal and stops everything that was started, also after a start that failed
 * half-way.
 */
async function serve(config: ServerConfig): Promise<void> {
  const { bufferSize } = config.diagnostics;
  const diagnostics = bufferSize === 0 ? null : new DiagnosticLog(bufferSize);
  const logger = createLogger(config.log, 'server', (note) => {
    diagnostics?.add(SERVER_COMPONENT, nanosOfMs(Date.now()), note);
  });
  const stopping = stopSignal(() => {
    writeFinalLog('a second signal: ending at once, without waiting for running work');
    exitNow(SECOND_SIGNAL_EXIT);
  });
  const shutdown = new Shutdown(logger, () => performance.now());
  let budget: NodeJS.Timeout | undefined;
  stopping.addEventListener('abort', () => {
    logger.info('stopping');
    budget = setTimeout(() => {
      failStop(logger, 'the service did not stop in time', new Error(`not within ${SHUTDOWN_MS} ms`));
    }, SHUTDOWN_MS);
  });
  const directory = resolve(config.data.dir);
  let failure: Error | null = null;
  try {
    const version = versionFacts();
    await start({
      config,
      directory,
      version,
      logger,
      diagnostics,
      stopping,
      shutdown,
      readiness: { isReady: false },
    });
    await untilAborted(stopping);
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
  }
  await shutdown.run();
  clearTimeout(budget);
  if (failure !== null && !(failure instanceof StoppedEarlyError)) throw failure;
  logger.info('stopped');
  // The store thread of a node that still waits for its log does not end by itself.
  if (failure !== null) exitNow(0);
}

/**
 * Starts the parts of the service, each on those before it. Each stage adds the stop of its part to `context.shutdown`,
 * which stops them in the order of its steps. Resolves when the service is ready.
 *
 * @throws StoppedEarlyError if the service is asked to stop before it is ready.
 */
async function start(context: StartContext): Promise<void> {
  const { config, logger, stopping, shutdown } = context;
  const { bus, store } = await openBusAndStore(context);
  const state = await openState(context, store.thread);
  if (config.cluster === null) await waitAfterRestore(context, bus.requests, state.reader);
  const observers = createObservers(context, store, state);
  const logs = await startLogs(context, bus, observers, store.standing);
  await startBackups(context, state, logs.store);
  const lists = openLists(context, state);
  observers.metrics.queueLoads(() => lists.queueLoads());
  const webhooks = startWebhooks(context, state.reader);
  const cluster = startClusterNode(context, { bus, store, state, observers });
  const owner = new OwnerRole(context, { bus, store, state, observers, logs, webhooks, cluster });
  if (cluster === null) owner.start();
  const pool = startPool(context);
  const storePages = (): StorePages => ({ state: state.reader.pages(), logs: logs.store.pages() });
  observers.metrics.storePages(storePages);
  const queues = (): Iterable<QueueRecord> => [...state.reader.scan('queue')].map(({ value }) => value);
  const busStanding = watchBusStanding(context, bus.requests, queues);
  observers.metrics.openBus(() => busStanding.current());
  const ports = httpPorts(context, {
    store,
    state,
    observers,
    logs,
    lists,
    shards: () => owner.current(),
    cluster,
    authority: bus.authority,
    webhooks: webhooks.ports,
    pool,
    products: openProducts(context, pool),
    storePages,
    busStanding,
  });
  const port = await startHttp(context, ports, pool, cluster);
  if (cluster === null) await bootstrapAdmin(config.auth, ports, logger);
  else takeOverWhenOwner(context, { bus, store, state, lists, owner, ports, cluster });
  await untilReady(ports, stopping);
  throwIfStopping(stopping);
  context.readiness.isReady = true;
  lists.fill();
  const actors = owner.current();
  if (cluster === null && actors !== null)
    lists.begin(keepSamples(actors.shards, context), (slot) => tallyOf(actors.tallies, slot));
  const announcement = announceBus(config, logger);
  if (announcement !== null) shutdown.add('discovery', () => announcement.withdraw());
  logReady(config, port, logger);
}

/** The log of a cluster is on its bus, so the bus comes first there. */
async function openBusAndStore(
  context: StartContext,
): Promise<{ readonly bus: OpenedBus; readonly store: StartedStore }> {
  if (context.config.cluster === null) {
    const store = await startStore(context, null);
    return { bus: await openBus(context), store };
  }
  const bus = await openBus(context);
  await prepareLog(context, context.config.cluster, bus.streams);
  return { bus, store: await startStore(context, { ...context.config.cluster, servers: bus.streams }) };
}

/** Starts the pool that parses and expands templates. */
function startPool({ config, shutdown }: StartContext): PreparationPool {
  const pool = new PreparationPool({
    threads: Math.max(1, availableParallelism() - 1),
    deadlineMs: config.openjd.exprSubmissionDeadlineMs,
    isAnswering: config.http.enablePprof,
  });
  shutdown.add('scheduler', () => pool.stop());
  return pool;
}
