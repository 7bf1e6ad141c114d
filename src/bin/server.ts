import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startFront } from '../../http/front.ts';
import { JobLists, type CurrentState } from '../../http/lists/job-lists.ts';
import { TaskLists } from '../../http/lists/task-lists.ts';
import type { Ports, StorePages } from '../../http/ports.ts';
import { TaskTails } from '../../http/tails/task-tails.ts';
import { exitNow, sayLastWords } from '../adapters/lmdb/fail-stop.ts';
import { openLogReader, type LogStoreReader } from '../adapters/lmdb/log-reader.ts';
import type { ChangeWatch } from '../adapters/lmdb/change-watch.ts';
import { openStateReader, type StateReader } from '../adapters/lmdb/state-reader.ts';
import { startStoreThread, type StoreThread } from '../adapters/lmdb/store-thread-host.ts';
import { STATE_DISK_LIMITS } from '../adapters/lmdb/state-writer.ts';
import type { ServerList } from '../adapters/nats/server-address.ts';
import { EventLoopWatch, type EventLoopLag } from '../adapters/system/event-loop-lag.ts';
import { tallyMemory, type TallyMemory } from '../adapters/system/shared-tallies.ts';
import { Uuid7 } from '../adapters/system/uuid7.ts';
import type { ServerConfig } from '../core/config/server-config.ts';
import { DiagnosticLog } from '../core/diagnostics/diagnostic-log.ts';
import { nanosOfMs } from '../core/diagnostics/nano-time.ts';
import { SERVER_COMPONENT, workerComponent } from '../core/diagnostics/record.ts';
import { committedShares, type Share } from '../core/lease/committed-shares.ts';
import type { LogReader } from '../core/ports/log-store.ts';
import { TEMPLATE_LIMITS } from '../core/openjd/template-limits.ts';
import { BusLog } from './daemon/bus-log.ts';
import { failStop } from './daemon/fail-stop.ts';
import { startLogThread, type LogThread } from './server/log-thread.ts';
import { createLogger, type Logger } from './daemon/logging.ts';
import { ServiceMetrics } from './server/metrics.ts';
import { openBus } from './server/open-bus.ts';
import { ThreadProfiler } from './server/profiler.ts';
import { PreparationPool } from './server/preparation-pool.ts';
import { Shards } from './server/shards.ts';
import { prepareData, waitAfterRestore } from './server/prepare-data.ts';
import { Shutdown } from './daemon/shutdown.ts';
import { stopSignal, untilAborted } from './daemon/stop-signal.ts';
import { storeDirectory } from './maintenance/data-directory.ts';
import { TaskEventHub } from './server/task-events.ts';
import { versionFacts } from './daemon/version.ts';
import type { ToldDiagnostic } from './threads/log-protocol.ts';
import { MEASURE_PERIOD_MS } from './threads/shard-protocol.ts';
import { shardThreadName, threadEntry } from './threads/thread-entry.ts';

/** interface.md, "Limits": graceful shutdown. */
export const SHUTDOWN_MS = 30_000;
/** How long running requests have of it to end. */
const HTTP_DRAIN_MS = 15_000;
/** interface.md, "Public, ungated": each readiness check has this long. */
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
    sayLastWords('a second signal: ending at once, without waiting for what runs');
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

function goOnUnless(stopping: AbortSignal): void {
  if (stopping.aborted) throw new StoppedEarlyError();
}

/** What the service stands on. */
interface Ground {
  readonly config: ServerConfig;
  readonly logger: Logger;
  /** Null when none are kept. */
  readonly diagnostics: DiagnosticLog | null;
  readonly stopping: AbortSignal;
  /** Is told of each part that was started. */
  readonly shutdown: Shutdown;
}

/** Starts the parts, one upon the other; resolves when the service is ready or was asked to stop. */
async function start({ config, logger, diagnostics, stopping, shutdown }: Ground): Promise<void> {
  const version = versionFacts();
  const directory = resolve(config.data.dir);
  await prepareData({
    directory,
    compactFreePercent: config.data.compactFreePercent,
    logger,
    stopping,
  });
  goOnUnless(stopping);

  const lagOf = new Map<string, (lag: EventLoopLag) => void>();
  const stateDirectory = storeDirectory(directory, 'state');
  const store = await startStoreThread(
    threadEntry('store-thread'),
    { directory: stateDirectory, softwareVersion: version.version, disk: STATE_DISK_LIMITS },
    {
      diskChanged: (disk) => logger.warn({ disk }, diskText(disk)),
      warned: (text) => logger.warn(text),
      measured: (lag) => lagOf.get('store')?.(lag),
    },
  );
  shutdown.add('store', () => store.stop());
  if (store.diskState() === 'low') logger.warn({ disk: 'low' }, diskText('low'));
  await waitAfterRestore(directory, config.scheduler.heartbeatTimeoutMs, logger, stopping);
  goOnUnless(stopping);
  const bus = await openBus(config, directory, logger);
  shutdown.add('bus', () => bus.stop());
  goOnUnless(stopping);

  const events = new TaskEventHub();
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
        if (notice.type === 'diagnosed' && diagnostics !== null) keepTold(diagnostics, notice.told);
        if (notice.type === 'measured') {
          metrics.loopLagged('logs', notice.lag);
          metrics.redelivered('logs', notice.redeliveries);
        }
        if (notice.type === 'stored') {
          logsTakenInAt = performance.now();
          for (const taskId of notice.tasks) events.publish({ kind: 'log', taskId });
        }
      },
      broken: (error) => failStop(logger, 'the logs thread is gone', error),
    },
  );
  shutdown.add('bus', () => logThread.stop());
  const logStore = await openLogReader(logDirectory);
  shutdown.add('store', () => logStore.close());
  goOnUnless(stopping);
  const logs = currentLogs(logStore);
  const shares = committedShares(reader);
  const tallies = tallyMemory(shares);
  const changes = store.watch();
  shutdown.add('store', () => changes.close());
  const lists = openLists(reader, changes, stopping);
  const shards = startShards(
    config,
    bus.servers,
    store,
    reader,
    { logger, busLog, events, metrics, logThread },
    directory,
    { tallies, shares },
  );
  shutdown.add('bus', () => shards.stop());
  shutdown.add('scheduler', () => shards.stopLeasing());
  const pool = new PreparationPool(Math.max(1, availableParallelism() - 1), config.http.enablePprof);
  shutdown.add('scheduler', () => pool.stop());
  const ids = new Uuid7(() => Date.now());
  const limits = { ...TEMPLATE_LIMITS, maxTasksPerStep: config.openjd.maxTasksPerStep };
  const storePages = (): StorePages => ({ state: reader.pages(), logs: logStore.pages() });
  metrics.storePages(storePages);

  const tails = new TaskTails({
    state: { store: reader, renew: () => reader.refresh() },
    logs,
    bus: { lastOf: (task) => logThread.lastLogOf(task), takenInAt: () => logsTakenInAt },
    events,
    now: () => Date.now(),
    steadyNow: () => performance.now(),
    delay: (milliseconds) => delay(milliseconds),
    warn: (text, attributes) => logger.warn(attributes, text),
  });

  const ports: Ports = {
    store: reader,
    jobLists: lists.jobs,
    taskLists: lists.tasks,
    actors: {
      ask: async (make) => {
        const outcome = await shards.ask<never>(make);
        reader.refresh();
        return outcome;
      },
    },
    prepareJob: (request) => pool.prepare({ ...request, limits }),
    logs,
    tails,
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
    },
    ports,
  );
  shutdown.add('http', () => front.stop(HTTP_DRAIN_MS));
  await untilReady(ports, stopping);
  goOnUnless(stopping);
  process.stdout.write(`callsheet: serving http://${hostForUrl(config.http.addr.host)}:${front.port}\n`);
  warnIfOpen(config, logger);
}

/** The log store, every read of which sees what was stored until then. */
const currentLogs = (logs: LogStoreReader): LogReader => ({
  page: (task, afterBusSeq, limit, enough) => {
    logs.refresh();
    return logs.page(task, afterBusSeq, limit, enough);
  },
  extent: (task) => {
    logs.refresh();
    return logs.extent(task);
  },
  arrival: (task, last) => {
    logs.refresh();
    return logs.arrival(task, last);
  },
});

/** The lists of jobs are read in pieces, so that the start waits for none of them. */
function openLists(
  reader: StateReader,
  changes: ChangeWatch,
  stopping: AbortSignal,
): { readonly jobs: JobLists; readonly tasks: TaskLists } {
  const state: CurrentState = { store: reader, renew: () => reader.refresh() };
  const jobs = new JobLists(state, changes.jobs);
  changes.onArrival(() => jobs.noticesArrived());
  const fill = (): void => {
    if (!stopping.aborted && jobs.fillNext()) setImmediate(fill);
  };
  setImmediate(fill);
  return { jobs, tasks: new TaskLists(state, changes.pages) };
}

/** A worker whose clock is ahead does not write the future. */
function keepTold(diagnostics: DiagnosticLog, told: readonly ToldDiagnostic[]): void {
  const now = nanosOfMs(Date.now());
  for (const { workerId, at, note } of told) {
    diagnostics.add(workerComponent(workerId), at < now ? at : now, note);
  }
}

const retryOf = ({ scheduler }: ServerConfig) => ({
  maxAttempts: scheduler.maxAttempts,
  retryDelaySeconds: scheduler.retryDelaySeconds,
  failureLimit: scheduler.failureLimit,
});

interface Hearing {
  readonly logger: Logger;
  readonly busLog: BusLog;
  readonly events: TaskEventHub;
  readonly metrics: ServiceMetrics;
  readonly logThread: LogThread;
}

/** What the farms have counted at the start, and the memory in which they go on. */
interface Counted {
  readonly tallies: TallyMemory;
  readonly shares: readonly Share[];
}

function startShards(
  config: ServerConfig,
  servers: ServerList,
  store: StoreThread,
  reader: StateReader,
  { logger, busLog, events, metrics, logThread }: Hearing,
  directory: string,
  { tallies, shares }: Counted,
): Shards {
  return new Shards(
    {
      count: config.scheduler.shards,
      stateDirectory: storeDirectory(directory, 'state'),
      bus: servers,
      heartbeatTimeoutMs: config.scheduler.heartbeatTimeoutMs,
      retry: retryOf(config),
      unschedulableGraceMs: config.scheduler.unschedulableGraceMs,
      reservationAfterMs: config.scheduler.reservationAfterMs,
      serviceId: randomUUID(),
      attemptFloor: reader.attemptFloor(),
      tallies,
      shares,
      retention: {
        afterMs: config.scheduler.jobRetentionMs,
        includeFailed: config.scheduler.jobRetentionIncludeFailed,
      },
    },
    (shard) => store.attachShard(shard),
    reader,
    {
      noticed: (shard, notice) => {
        switch (notice.type) {
          case 'log':
            logger[notice.level](notice.attributes, notice.text);
            return;
          case 'bus':
            busLog.note(`shard ${shard}`, notice.event);
            return;
          case 'said':
            for (const count of notice.counts) metrics.count(count);
            if (!events.hasListeners || notice.events.length === 0) return;
            reader.refresh();
            for (const event of notice.events) events.publishDomain(event);
            return;
          case 'measured':
            metrics.measured(shard, notice.measures);
            return;
          case 'fell':
        }
      },
      forgetLogs: (job) => logThread.forget(job),
      broken: (shard, error) => failStop(logger, `shard ${shard} is gone`, error),
    },
  );
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

const ANY_HOST = new Set(['0.0.0.0', '::']);

const hostForUrl = (host: string): string => {
  if (ANY_HOST.has(host)) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
};

/** reliability.md, D15: without authentication whoever reaches the port may run commands on the farm. */
function warnIfOpen(config: ServerConfig, logger: Logger): void {
  const { host } = config.http.addr;
  if (host === 'localhost' || host === '::1' || host.startsWith('127.')) return;
  logger.warn(
    { host },
    'there is no authentication: whoever reaches this address may run commands on the workers',
  );
  if (config.http.enablePprof)
    logger.warn({ host }, 'profiles of the service can be taken by whoever reaches this address');
}
