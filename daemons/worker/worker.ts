import { rootRefusal } from '../../src/adapters/host/root-check.ts';
import { accessOptions } from '../../src/adapters/nats/access.ts';
import { configuredServers, type ServerList } from '../../src/adapters/nats/server-address.ts';
import { Uuid7 } from '../../src/adapters/system/uuid7.ts';
import type { WorkerConfig } from '../../src/core/config/worker-config.ts';
import type { WorkerId } from '../../src/core/ids.ts';
import { failStop } from '../process/fail-stop.ts';
import { createLogger, type Logger } from '../process/logging.ts';
import { untilAborted } from '../process/stop-signal.ts';
import { BusDiscovery } from './bus-discovery.ts';
import { openIdentity } from './bus-identity.ts';
import type { DiagnosticSender } from './diagnostic-sender.ts';
import { SHUTDOWN_GRACE_MS, shutdownSignals, type ShutdownSignals } from './shutdown-signals.ts';
import { startAgent, type Agent } from './start-agent.ts';
import { openWorkerState, type WorkerState } from './worker-state.ts';

/** Exit code of a worker that could not start. */
const START_FAILED_EXIT = 1;

/**
 * Runs a worker until SIGTERM or SIGINT: the composition root of its daemon. Prints one line with the reason and exits
 * if it cannot start.
 */
export async function runWorker(config: WorkerConfig): Promise<void> {
  try {
    await work(config);
    // An abandoned connection attempt to an unreachable bus may leave an open socket.
    process.exit();
  } catch (error) {
    process.stderr.write(`callsheet worker: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(START_FAILED_EXIT);
  }
}

/**
 * Starts the worker, waits for the stop signal and leaves the service. A start that fails half-way ends with the
 * process.
 */
async function work(config: WorkerConfig): Promise<void> {
  const servers = checkStart(config);
  let sender: DiagnosticSender | null = null;
  const logger = createLogger(config.log, 'worker', (note) => sender?.heard(note));
  const signals = shutdownSignals(START_FAILED_EXIT);
  const ids = new Uuid7(() => Date.now());
  const newId = (): string => ids.next();

  const state = await openWorkerState(config, logger, newId);
  const identity = await openIdentity(config, logger, signals.stopping);
  if (identity !== null) await adoptId(state, identity.workerId);
  const discovery = identity === null ? await findBus(config, logger, signals.stopping) : null;
  if (signals.stopping.aborted) {
    discovery?.close();
    await state.close();
    return;
  }
  const agent = await startAgent({
    config,
    logger,
    newId,
    state,
    servers,
    identity,
    discovery,
    onSender: (started) => {
      sender = started;
    },
  });
  await untilAborted(signals.stopping);
  await leaveService(agent, config, logger, signals, async () => {
    await agent.close();
    await identity?.close();
    discovery?.close();
    await state.close();
  });
  logger.info('stopped');
}

/** Returns the servers of `bus.url`. Throws if the worker must not or cannot start. */
function checkStart({ bus, worker }: WorkerConfig): ServerList {
  const refusal = rootRefusal(process.platform, process.getuid?.() ?? null, worker.allowRoot);
  if (refusal !== null) throw new Error(refusal);
  const servers = configuredServers(bus.urls, bus.access);
  // A file that is missing now would be reported only as an unreachable bus.
  accessOptions(servers);
  return servers;
}

/** Gives the worker the id of its credential, before anything refers to it. */
const adoptId = (state: WorkerState, workerId: WorkerId): Promise<void> =>
  state.journal.workerId === workerId
    ? Promise.resolve()
    : new Promise((resolve) => state.journal.append([{ op: 'worker-identified', workerId }], resolve));

/** Waits until discovery has found a service, or until the worker is asked to stop. Returns null without discovery. */
async function findBus(
  config: WorkerConfig,
  logger: Logger,
  stopping: AbortSignal,
): Promise<BusDiscovery | null> {
  if (config.discovery === null) return null;
  const discovery = new BusDiscovery(config.discovery, logger);
  await discovery.first(stopping);
  return discovery;
}

/**
 * Drains the worker, or interrupts its tasks after the second signal, and closes its parts when it has left. Ends the
 * process when that takes longer than the drain timeout and the grace.
 */
async function leaveService(
  agent: Agent,
  { worker }: WorkerConfig,
  logger: Logger,
  signals: ShutdownSignals,
  close: () => Promise<void>,
): Promise<void> {
  const failAfter = (ms: number): NodeJS.Timeout =>
    setTimeout(() => {
      failStop(logger, 'the worker did not leave in time', new Error(`not within ${ms} ms`));
    }, ms);
  let budget = failAfter(worker.drainTimeoutMs + SHUTDOWN_GRACE_MS);
  signals.onHurry(() => {
    clearTimeout(budget);
    budget = failAfter(SHUTDOWN_GRACE_MS);
    agent.leave(true);
  });
  agent.leave(false);
  await agent.departed;
  await close();
  clearTimeout(budget);
}
