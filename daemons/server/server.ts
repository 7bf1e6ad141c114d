import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startFront } from '../../http/front.ts';
import { readBundle, type Bundle } from '../../http/pages/bundle.ts';
import type { Ports, StorePages } from '../../http/ports.ts';
import { TaskTails } from '../../http/log-follow/task-tails.ts';
import { EventHub } from '../../http/ws/hub.ts';
import type { ChangeSubscription } from '../../src/adapters/lmdb/change-subscription.ts';
import { exitNow, writeFinalLog } from '../../src/adapters/lmdb/fail-stop.ts';
import { openLogReader } from '../../src/adapters/lmdb/log-reader.ts';
import { openStateReader, type StateReader } from '../../src/adapters/lmdb/state-reader.ts';
import { startStoreThread } from '../../src/adapters/lmdb/store-thread-host.ts';
import { EventLoopWatch, type EventLoopLag } from '../../src/adapters/system/event-loop-lag.ts';
import { FollowedJobs, followedMemory } from '../../src/adapters/system/followed-jobs.ts';
import { tallyMemory } from '../../src/adapters/system/shared-tallies.ts';
import { Uuid7 } from '../../src/adapters/system/uuid7.ts';
import type { ServerConfig } from '../../src/core/config/server-config.ts';
import { JobActivity } from '../../src/core/history/job-activity.ts';
import { DiagnosticLog } from '../../src/core/diagnostics/diagnostic-log.ts';
import { nanosOfMs } from '../../src/core/diagnostics/nano-time.ts';
import { SERVER_COMPONENT } from '../../src/core/diagnostics/record.ts';
import { committedShares } from '../../src/core/lease/committed-shares.ts';
import { EXPR_LIMITS } from '../../src/openjd/expr/expr-limits.ts';
import { TEMPLATE_LIMITS } from '../../src/openjd/template/template-limits.ts';
import { BusLog } from '../process/bus-log.ts';
import { failStop } from '../process/fail-stop.ts';
import { startLogThread } from './log-thread.ts';
import { createLogger, type Logger } from '../process/logging.ts';
import { announceBus } from './announce-bus.ts';
import { currentLogs } from './current-logs.ts';
import { recordWorkerDiagnostics } from './worker-diagnostics.ts';
import { openLists } from './open-lists.ts';
import { logReady } from './log-ready.ts';
import { retryOf, startShards } from './start-shards.ts';
import { ServiceMetrics } from './metrics.ts';
import { openBus } from './open-bus.ts';
import { ThreadProfiler } from './profiler.ts';
import { PreparationPool } from './preparation-pool.ts';
import { prepareData, waitAfterRestore } from './prepare-data.ts';
import { packageRoot } from '../process/package-root.ts';
import { Shutdown } from '../process/shutdown.ts';
import { stopSignal, untilAborted } from '../process/stop-signal.ts';
import { startBackupServer } from '../maintenance/backup-socket.ts';
import { storeDirectory } from '../maintenance/data-directory.ts';
import { TaskEventHub } from './task-events.ts';
import { disablePretenuring } from './disable-pretenuring.ts';
import { watchFarms } from './watch-farms.ts';
import { versionFacts } from '../process/version.ts';
import { MEASURE_PERIOD_MS } from '../threads/shard-protocol.ts';
import { shardThreadName, threadEntry } from '../threads/thread-entry.ts';
import type { CopiedStore } from '../../src/adapters/lmdb/copy-stores.ts';

/** docs/contract/limits.md#shutdown. */
export const SHUTDOWN_MS = 30_000;
/** How long running requests have of it to end. */
const HTTP_DRAIN_MS = 15_000;
/** docs/contract/rest.md#public-routes: each readiness check has this long. */
const CHECK_MS = 5_000;
const READY_POLL_MS = 50;

/** Exit code of a service that could not start. */
const NOT_STARTED_EXIT = 1;
/** Exit code of a service that was told to stop a second time. */
const STOPPED_AT_ONCE_EXIT = 1;

/**
 * Runs the service until SIGTERM or SIGINT: the composition root of the main thread. Prints its URL once it is ready.
 * When it cannot start it says why in one line, and the process ends.
 */
export async function runServer(config: ServerConfig): Promise<void> {
  disablePretenuring();
  try {
    await serve(config);
  } catch (error) {
    process.stderr.write(`callsheet server: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(NOT_STARTED_EXIT);
  }
}

async function serve(config: ServerConfig): Promise<void> {
  const { bufferSize } = config.diagnostics;
  const diagnostics = bufferSize === 0 ? null : new DiagnosticLog(bufferSize);
  const logger = createLogger(config.log, 'server', (note) => {
    diagnostics?.add(SERVER_COMPONENT, nanosOfMs(Date.now()), note);
  });
  const stopping = stopSignal(() => {
    writeFinalLog('a second signal: ending at once, without waiting for what runs');
    exitNow(STOPPED_AT_ONCE_EXIT);
  });
  const shutdown = new Shutdown(logger, () => performance.now());
  let budget: NodeJS.Timeout | undefined;
  stopping.addEventListener('abort', () => {
    logger.info('stopping');
    budget = setTimeout(() => {
      failStop(logger, 'the service did not stop in time', new Error(`not within ${SHUTDOWN_MS} ms`));
    }, SHUTDOWN_MS);
  });
  let failure: Error | null = null;
  try {
    await start({ config, logger, diagnostics, stopping, shutdown });
    await untilAborted(stopping);
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
  }
  // A service that cannot start leaves nothing behind either.
  await shutdown.run();
  clearTimeout(budget);
  if (failure !== null && !(failure instanceof StoppedEarlyError)) throw failure;
  logger.info('stopped');
}

/** The service was asked to stop before it was ready. */
class StoppedEarlyError extends Error {
  override readonly name = 'StoppedEarlyError';
}

function throwIfStopping(stopping: AbortSignal): void {
  if (stopping.aborted) throw new StoppedEarlyError();
}

/** The state store for a backup: with all that anybody was told is on disk when it begins. */
const readableState = (reader: StateReader, changes: ChangeSubscription): CopiedStore => ({
  kind: reader.kind,
  pages: () => reader.pages(),
  copyTo: async (target) => {
    await changes.untilReadable();
    reader.refresh();
    return await reader.copyTo(target);
  },
});

/** What the service stands on. */
interface ServiceDeps {
  readonly config: ServerConfig;
  readonly logger: Logger;
  /** Null when none are kept. */
  readonly diagnostics: DiagnosticLog | null;
  readonly stopping: AbortSignal;
  /** Is told of each part that was started. */
  readonly shutdown: Shutdown;
}

/** Starts the parts, one upon the other; resolves when the service is ready or was asked to stop. */
async function start({ config, logger, diagnostics, stopping, shutdown }: ServiceDeps): Promise<void> {
  const version = versionFacts();
  const directory = resolve(config.data.dir);
  await prepareData({
    directory,
    compactFreePercent: config.data.compactFreePercent,
    logger,
    stopping,
  });
  throwIfStopping(stopping);

  const lagOf = new Map<string, (lag: EventLoopLag) => void>();
  const stateDirectory = storeDirectory(directory, 'state');
  const store = await startStoreThread(
    threadEntry('store-thread'),
    { directory: stateDirectory, softwareVersion: version.version },
    {
      diskChanged: (disk) => logger.warn({ disk }, diskText(disk)),
      warned: (text) => logger.warn(text),
      measured: (lag) => lagOf.get('store')?.(lag),
    },
  );
  shutdown.add('store', () => store.stop());
  if (store.diskState() === 'low') logger.warn({ disk: 'low' }, diskText('low'));
  await waitAfterRestore(directory, config.scheduler.heartbeatTimeoutMs, logger, stopping);
  throwIfStopping(stopping);
  const bus = await openBus(config, directory, logger);
  shutdown.add('bus', () => bus.stop());
  throwIfStopping(stopping);

  const followed = followedMemory();
  const followedJobs = new FollowedJobs(followed);
  const taskEvents = new TaskEventHub(followedJobs, () => changes.untilReadable());
  const events = new EventHub({
    replayDepth: config.events.replayDepth,
    now: () => Date.now(),
    steadyNow: () => performance.now(),
  });
  diagnostics?.listen((record) => events.publishDiagnostic(record));
  const busLog = new BusLog(logger);
  stopping.addEventListener('abort', () => busLog.stopping());
  const logDirectory = storeDirectory(directory, 'logs');
  const reader = await openStateReader(stateDirectory);
  shutdown.add('store', () => reader.close());
  const metrics = new ServiceMetrics(() => [...reader.scan('queue')].map(({ value }) => value));
  lagOf.set('store', (lag) => metrics.loopLagged('store', lag));
  const frontLag = new EventLoopWatch();
  const measuring = setInterval(() => metrics.loopLagged('front', frontLag.read()), MEASURE_PERIOD_MS);
  shutdown.add('scheduler', () => clearInterval(measuring));
  let logsTakenInAt = performance.now();
  const logThread = await startLogThread(
    {
      logDirectory,
      stateDirectory,
      bus: bus.servers,
      softwareVersion: version.version,
      maxBytesPerTask: config.logs.maxBytesPerTask,
    },
    {
      noticed: (notice) => {
        if (notice.type === 'log') logger[notice.level](notice.attributes, notice.text);
        if (notice.type === 'bus') busLog.note('logs', notice.event);
        if (notice.type === 'diagnosed' && diagnostics !== null)
          recordWorkerDiagnostics(diagnostics, notice.told);
        if (notice.type === 'measured') {
          metrics.loopLagged('logs', notice.lag);
          metrics.redelivered('logs', notice.redeliveries);
        }
        if (notice.type === 'stored') {
          logsTakenInAt = performance.now();
          for (const taskId of notice.tasks) taskEvents.publish({ kind: 'log', taskId });
        }
      },
      broken: (error) => failStop(logger, 'the logs thread is gone', error),
    },
  );
  shutdown.add('bus', () => logThread.stop());
  const logStore = await openLogReader(logDirectory);
  shutdown.add('store', () => logStore.close());
  throwIfStopping(stopping);
  const logs = currentLogs(logStore);
  const changes = store.watch();
  shutdown.add('store', () => changes.close());
  const backupDoor = await startBackupServer(directory, [readableState(reader, changes), logStore]);
  shutdown.add('store', () => backupDoor.close());
  const shares = committedShares(reader);
  const tallies = tallyMemory(shares);
  const activity = new JobActivity(Date.now());
  const lists = openLists(reader, changes, activity, stopping);
  const farms = watchFarms(reader, activity, lists.jobs, stopping);
  const shards = startShards(
    config,
    bus.servers,
    store,
    reader,
    { logger, busLog, taskEvents, events, metrics, logThread },
    directory,
    { tallies, shares, followed },
  );
  shutdown.add('bus', () => shards.stop());
  shutdown.add('scheduler', () => shards.stopLeasing());
  const pool = new PreparationPool({
    threads: Math.max(1, availableParallelism() - 1),
    deadlineMs: config.openjd.exprSubmissionDeadlineMs,
    isAnswering: config.http.enablePprof,
  });
  shutdown.add('scheduler', () => pool.stop());
  const ids = new Uuid7(() => Date.now());
  const limits = { ...TEMPLATE_LIMITS, maxTasksPerStep: config.openjd.maxTasksPerStep };
  const exprLimits = { ...EXPR_LIMITS, memory: config.openjd.exprMemoryBytes };
  const storePages = (): StorePages => ({ state: reader.pages(), logs: logStore.pages() });
  metrics.storePages(storePages);
  metrics.eventChannel(() => events.figures);

  const tails = new TaskTails({
    state: { store: reader, renew: () => reader.refresh() },
    logs,
    bus: { lastOf: (task) => logThread.lastLogOf(task), takenInAt: () => logsTakenInAt },
    events: taskEvents,
    now: () => Date.now(),
    steadyNow: () => performance.now(),
    delay: (milliseconds) => delay(milliseconds),
    warn: (text, attributes) => logger.warn(attributes, text),
  });

  const ports: Ports = {
    store: reader,
    commits: {
      count: () => changes.commits(),
      renew: () => reader.refresh(),
      untilReadable: () => changes.untilReadable(),
    },
    jobLists: lists.jobs,
    taskLists: lists.tasks,
    history: farms.watch,
    actors: {
      ask: async (make) => {
        const outcome = await shards.ask(make);
        reader.refresh();
        return outcome;
      },
      submitLarge: async (farm, submission, plan) => {
        const outcome = await shards.submitLarge(farm, submission, plan);
        reader.refresh();
        return outcome;
      },
    },
    largeJobs: store,
    prepareJob: (request) => pool.prepare({ ...request, limits, exprLimits }),
    logs,
    tails,
    events,
    taskEvents,
    followedJobs,
    health: {
      store: () => checkStore(reader),
      bus: () => shards.checkBus(CHECK_MS),
    },
    storePages,
    isStopping: () => stopping.aborted,
    metrics: () => metrics.text(),
    activity: () => metrics.activity(),
    diagnostics: () => diagnostics,
    tally: (slot) => Atomics.load(tallies.totals, slot),
    version,
    acceptsSubmissions: () => store.diskState() === 'ok',
    serverRetry: retryOf(config),
    newId: () => ids.next(),
    now: () => Date.now(),
    steadyNow: () => performance.now(),
    delay: (milliseconds, signal) => delay(milliseconds, undefined, { signal }).catch(() => undefined),
    log: (level, text, attributes) => logger[level](attributes, text),
  };
  const { addr, corsOrigins, rateLimit, trustProxy, enablePprof } = config.http;
  const shardThreads = Array.from({ length: config.scheduler.shards }, (_, index) => shardThreadName(index));
  const profiler = new ThreadProfiler(() => [...shardThreads, 'store', 'logs', ...pool.threads()]);
  const front = await startFront(
    {
      ...addr,
      corsOrigins,
      rateLimit: { limit: rateLimit, trustProxy },
      profiler: enablePprof ? profiler : null,
      pages: webApp(logger),
    },
    ports,
  );
  shutdown.add('http', () => front.stop(HTTP_DRAIN_MS));
  await untilReady(ports, stopping);
  throwIfStopping(stopping);
  lists.fill(farms.begin);
  const announcement = announceBus(config, logger);
  if (announcement !== null) shutdown.add('discovery', () => announcement.withdraw());
  logReady(config, front.port, logger);
}

/** The files of the web application as the build has made them; null when it has made none. */
function webApp(logger: Logger): Bundle | null {
  const directory = fileURLToPath(new URL('dist/web-app', packageRoot));
  const bundle = readBundle(directory);
  if (bundle === null) logger.warn({ directory }, 'there is no web application: npm run build makes it');
  return bundle;
}

/** A read from the store, and no commit that failed: such a one ends the process. */
function checkStore(reader: StateReader): Promise<void> {
  reader.get('farm', 'readiness');
  return Promise.resolve();
}

async function untilReady(ports: Ports, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    try {
      await ports.health.bus();
      return;
    } catch {
      // Not ready yet: /readyz says why to whoever asks, and the bus tells the log.
      await ports.delay(READY_POLL_MS, stopping);
    }
  }
}

const diskText = (disk: 'ok' | 'low'): string =>
  disk === 'low' ? 'the disk is low: new jobs are refused' : 'the disk has room again: new jobs are taken';
