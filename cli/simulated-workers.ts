import type { AgentSettings } from '../actors/agent/agent-settings.ts';
import { thisMachine } from '../src/adapters/host/machine.ts';
import { InFlightLimit } from '../src/adapters/nats/in-flight-limit.ts';
import { configuredServers } from '../src/adapters/nats/server-address.ts';
import type { SimulationSettings } from '../src/adapters/process/simulated-task-processes.ts';
import { Uuid7 } from '../src/adapters/system/uuid7.ts';
import type { WorkerConfig } from '../src/core/config/worker-config.ts';
import { failStop } from '../daemons/process/fail-stop.ts';
import { createLogger } from '../daemons/process/logging.ts';
import { untilAborted } from '../daemons/process/stop-signal.ts';
import { agentSettingsOf } from '../daemons/worker/agent-settings-of.ts';
import { SHUTDOWN_GRACE_MS, shutdownSignals } from '../daemons/worker/shutdown-signals.ts';
import { SimulatedWorker } from '../daemons/worker/simulated-worker.ts';
import { simulatedIdentities } from '../daemons/worker/simulated-identities.ts';

/** Period in which the totals of the workers are logged. */
const REPORT_MS = 10_000;

/**
 * Workers that connect at the same time. TLS and the signature of a credential take milliseconds of this one process: if
 * thousands started together, none would be connected within its time limit.
 */
const DIALING_MAX = 16;

/** Exit code if the process is ended before its workers have left. */
const ENDED_EXIT = 1;

export interface SimulationOptions extends SimulationSettings {
  readonly workers: number;
}

/**
 * `callsheet worker --simulate N`: N workers in this process that lease, report and log like the daemon but run no
 * processes, until SIGTERM or SIGINT. They store nothing on disk but their credentials.
 */
export async function runSimulatedWorkers(config: WorkerConfig, options: SimulationOptions): Promise<void> {
  const servers = configuredServers(config.bus.urls, config.bus.access);
  const logger = createLogger(config.log, 'simulation');
  // An event often affects thousands of workers at once: only the first worker logs warnings, unless the level is
  // `debug`.
  const { level } = config.log;
  const first = logger.child({}, { level: level === 'info' ? 'warn' : level });
  const others = logger.child({}, { level: level === 'debug' ? level : 'error' });
  const ids = new Uuid7(() => Date.now());
  const tally = { registered: 0, succeeded: 0, failed: 0 };
  let leave: (atOnce: boolean) => void = () => undefined;
  const { stopping, onHurry } = shutdownSignals(ENDED_EXIT);
  onHurry(() => leave(true));

  const names = Array.from({ length: options.workers }, (_unused, index) =>
    nameOf(config.worker.name, index, options.workers),
  );
  const identities = await simulatedIdentities(config, names, others, stopping);
  if (stopping.aborted) return;
  const dialing = new InFlightLimit(DIALING_MAX, 0);
  const settings = settingsOf(config);
  const workers = names.map(
    (name, index) =>
      new SimulatedWorker({
        settings: { ...settings, name },
        simulation: options,
        index,
        servers,
        identity: identities.get(name) ?? null,
        dialing,
        newId: () => ids.next(),
        logger: index === 0 ? first : others,
        fatal: (error) =>
          failStop(
            logger,
            'a simulated worker has lost its state',
            error instanceof Error ? error : new Error(String(error)),
          ),
        taskEnded: (isGood) => {
          tally[isGood ? 'succeeded' : 'failed']++;
        },
        welcomed: () => {
          tally.registered++;
          if (tally.registered === options.workers)
            logger.info({ workers: options.workers }, 'all simulated workers are registered');
        },
      }),
  );

  let lastReport = '';
  const reporting = setInterval(() => {
    const now = JSON.stringify(tally);
    if (now !== lastReport) logger.info({ workers: options.workers, ...tally }, 'simulated');
    lastReport = now;
  }, REPORT_MS);
  await untilAborted(stopping);

  const budget = setTimeout(() => {
    failStop(logger, 'the simulated workers did not leave in time', new Error(`${tally.registered} workers`));
  }, config.worker.drainTimeoutMs + SHUTDOWN_GRACE_MS);
  const left = (atOnce: boolean): Promise<unknown> =>
    Promise.all(workers.map((worker) => worker.leave(atOnce)));
  leave = (atOnce) => void left(atOnce);
  await left(false);
  clearInterval(reporting);
  clearTimeout(budget);
  logger.info({ workers: options.workers, ...tally }, 'left');
}

/** Returns `NAME-0001`: numbers have the width of the last one, at least four digits. */
function nameOf(name: string, index: number, workers: number): string {
  const width = Math.max(4, String(workers).length);
  return `${name}-${String(index + 1).padStart(width, '0')}`;
}

/** Returns the settings of all simulated workers but for the name. They report the configured GPUs and detect nothing. */
function settingsOf(config: WorkerConfig): AgentSettings {
  const { gpus, tags } = config.worker;
  const { osVersion } = thisMachine();
  const hardware = { gpuCount: gpus ?? 0, gpuMemoryMib: 0, gpuModels: [], scratchMib: 0, osVersion };
  return agentSettingsOf(config, {
    name: config.worker.name,
    capabilities: { hardware, tags },
    sessionsDirectory: '/simulated',
    keepsSessions: false,
    spoolsLogs: false,
  });
}
