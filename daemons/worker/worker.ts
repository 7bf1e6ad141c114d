import { join } from 'node:path';
import { agentActors } from '../../actors/agent/agent-actors.ts';
import type { AgentEnvelope, AgentSystem } from '../../actors/agent/agent-system.ts';
import { ThreadHost } from '../../actors/kernel/thread-host.ts';
import { completeImmediately, flushImmediately } from '../../actors/kernel/immediate-flush.ts';
import { FileJournal } from '../../src/adapters/host/file-journal.ts';
import { FileLogSpool } from '../../src/adapters/host/log-spool.ts';
import { thisMachine } from '../../src/adapters/host/machine.ts';
import { rootRefusal } from '../../src/adapters/host/root-check.ts';
import { lockWorkerDirectory, prepareWorkerDirectory } from '../../src/adapters/host/worker-directory.ts';
import { parseServerList } from '../../src/adapters/nats/server-address.ts';
import { connectWorkerBus } from '../../src/adapters/nats/worker-bus.ts';
import { killLeftoverProcesses, removeLeftovers } from '../../src/adapters/process/boot-fence.ts';
import { PROCESS_LIMITS } from '../../src/adapters/process/limits.ts';
import { LocalTaskProcesses } from '../../src/adapters/process/local-task-processes.ts';
import { supervisorScript } from '../../src/adapters/process/supervisor.ts';
import { LocalStaging } from '../../src/adapters/staging/local-staging.ts';
import { Uuid7 } from '../../src/adapters/system/uuid7.ts';
import { parseAttemptId, taskIdOf, type AttemptId } from '../../src/core/ids.ts';
import type { WorkerConfig } from '../../src/core/config/worker-config.ts';
import { BusLog } from '../process/bus-log.ts';
import { failStop } from '../process/fail-stop.ts';
import { createLogger } from '../process/logging.ts';
import { onHangUp, untilAborted } from '../process/stop-signal.ts';
import { AgentEffects } from './agent-effects.ts';
import { agentSettingsOf } from './agent-settings-of.ts';
import { BusDiscovery } from './bus-discovery.ts';
import { CapabilityWatch } from './capability-watch.ts';
import { DiagnosticSender } from './diagnostic-sender.ts';
import { fileOwnerBy } from './file-owner.ts';
import { SHUTDOWN_GRACE_MS, shutdownSignal } from './shutdown-signals.ts';
import { collector, IdleGarbageCollector, usedHeapBytes } from './idle-garbage-collector.ts';
import { stagingEvents } from './staging-effects.ts';
import { busListener, processEvents } from './external-events.ts';

/** Exit code of a worker that could not start. */
const NOT_STARTED_EXIT = 1;

/**
 * Runs a worker until SIGTERM or SIGINT: the composition root of its daemon. When it cannot start it says why in one line, and the
 * process ends.
 */
export async function runWorker(config: WorkerConfig): Promise<void> {
  try {
    await work(config);
    // A dial that was given up while the bus was cut off may have left a socket that is open and that nobody closes.
    process.exit();
  } catch (error) {
    process.stderr.write(`callsheet worker: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(NOT_STARTED_EXIT);
  }
}

async function work(config: WorkerConfig): Promise<void> {
  const refusal = rootRefusal(process.platform, process.getuid?.() ?? null, config.worker.allowRoot);
  if (refusal !== null) throw new Error(refusal);
  const named = parseServerList(config.bus.urls.join(','));
  if (named === null) throw new Error(`bus.url: not a NATS server: ${config.bus.urls.join(',')}`);
  let sender: DiagnosticSender | null = null;
  const logger = createLogger(config.log, 'worker', (note) => sender?.heard(note));
  let hurry: () => void = () => process.exit(NOT_STARTED_EXIT);
  const stopping = shutdownSignal(() => hurry(), NOT_STARTED_EXIT);
  const ids = new Uuid7(() => Date.now());

  const directory = await prepareWorkerDirectory(config.worker.dir);
  const lock = await lockWorkerDirectory(directory);
  const sessionsDirectory = join(directory, 'sessions');
  await endLeftovers(directory);
  try {
    await removeLeftovers(config.worker.keepSessions ? null : sessionsDirectory, directory);
  } catch (error) {
    // A tree that a task has left keeps no machine from working.
    logger.warn(
      { error: asError(error).message },
      'what an earlier worker has left on the disk could not be removed',
    );
  }
  const journal = await FileJournal.open(
    directory,
    () => ids.next(),
    (error) => failStop(logger, 'the journal cannot be written', asError(error)),
  );
  const spool = await FileLogSpool.open(join(directory, 'log-spool'), {
    bytesMax: config.worker.logSpoolBytes,
    warn: (text, attributes) => logger.warn(attributes, text),
  });
  const finder = config.discovery === null ? null : new BusDiscovery(config.discovery, logger);
  await finder?.first(stopping);
  if (stopping.aborted) {
    finder?.close();
    await journal.close();
    lock.release();
    return;
  }

  const watch = new CapabilityWatch({
    config: config.worker,
    machine: thisMachine(),
    environment: process.env,
    directory,
    warn: (text) => logger.warn(text),
    changed: (capabilities) => {
      logger.info(
        { tags: Object.keys(capabilities.tags).join(',') },
        'this worker has something else than before',
      );
      post({ actor: 'registrar', id: 'registrar', message: { type: 'capabilities.found', capabilities } });
    },
    now: () => performance.now(),
  });
  onHangUp(() => watch.lookAgain());

  let depart: () => void = () => undefined;
  const departed = new Promise<void>((resolve) => {
    depart = resolve;
  });
  const host: ThreadHost<AgentSystem> = new ThreadHost<AgentSystem>(
    agentActors(
      agentSettingsOf(config, {
        name: config.worker.name,
        capabilities: await watch.first(),
        sessionsDirectory,
        keepsSessions: config.worker.keepSessions,
        spoolsLogs: config.worker.logSpoolBytes > 0,
      }),
    ),
    {
      reader: journal,
      newId: () => ids.next(),
      commit: (changes, onCommit) => journal.append(changes, completeImmediately(onCommit)),
      prepareFlush: (outputs) =>
        flushImmediately(() => {
          for (const output of outputs) {
            if (output.kind === 'effect') effects.execute(output.effect);
          }
        }),
      log: (level, text, attributes) => logger[level](attributes, text),
      fatal: (error) => failStop(logger, 'an actor of the worker has lost its state', asError(error)),
    },
  );
  const post = (envelope: AgentEnvelope): void => host.post(envelope);
  const isolation = {
    isEnabled: config.isolation.enabled,
    environmentPassthrough: config.isolation.envPassthrough,
  };
  const processes = new LocalTaskProcesses({
    workerDirectory: directory,
    supervisorScript: supervisorScript(),
    beatTimeoutSeconds: PROCESS_LIMITS.beatTimeoutSeconds,
    tasksBeforeLauncher: PROCESS_LIMITS.tasksBeforeLauncher,
    ownEnvironment: process.env,
    events: new IdleGarbageCollector(collector(), usedHeapBytes).watching(processEvents(post)),
    isolation,
    warn: (text, attributes) => logger.warn(attributes, text),
    inform: (text, attributes) => logger.info(attributes, text),
  });
  const staging = new LocalStaging({
    events: stagingEvents(post),
    ownerOf: fileOwnerBy(isolation),
    platform: process.platform,
    environment: process.env,
  });
  const busLog = new BusLog(logger);
  const bus = connectWorkerBus(
    {
      servers: finder === null ? named : () => finder.servers(),
      name: `callsheet worker ${config.worker.name}`,
    },
    busListener(post, (event) => {
      busLog.note('worker', event);
      finder?.noticed(event);
    }),
  );
  if (config.diagnostics.enabled) {
    sender = new DiagnosticSender({
      workerId: journal.workerId,
      publish: (message) => bus.publishDiagnostic(message),
      wallClock: () => Date.now(),
      monotonicClock: () => performance.now(),
    });
  }
  const effects = new AgentEffects({ bus, processes, spool, staging }, post, {
    left: () => depart(),
    welcomed: () => sender?.flush(),
    registering: () => watch.registering(),
  });

  sendLeftLogs(spool.attempts, post);
  host.post({ actor: 'registrar', id: 'registrar', message: { type: 'agent.start' } });
  await untilAborted(stopping);

  const within = (ms: number): NodeJS.Timeout =>
    setTimeout(() => {
      failStop(logger, 'the worker did not leave in time', new Error(`not within ${ms} ms`));
    }, ms);
  const leave = (atOnce: boolean): void => {
    host.post({ actor: 'registrar', id: 'registrar', message: { type: 'agent.leave', atOnce } });
  };
  let budget = within(config.worker.drainTimeoutMs + SHUTDOWN_GRACE_MS);
  hurry = () => {
    clearTimeout(budget);
    budget = within(SHUTDOWN_GRACE_MS);
    leave(true);
  };
  leave(false);
  await departed;
  host.stop();
  await processes.settled();
  busLog.stopping();
  await bus.close();
  finder?.close();
  await spool.close();
  await journal.close();
  lock.release();
  clearTimeout(budget);
  logger.info('stopped');
}

/** docs/faults.md#mechanisms: nothing that an earlier daemon has started may run when the worker registers. */
async function endLeftovers(directory: string): Promise<void> {
  const left = await killLeftoverProcesses(directory);
  if (left.length > 0) {
    throw new Error(`processes of an earlier worker could not be ended: ${left.join(', ')}`);
  }
}

/** Logs that an earlier daemon has spooled: the attempts are over, and nothing is added to them. */
function sendLeftLogs(attempts: readonly AttemptId[], post: (envelope: AgentEnvelope) => void): void {
  for (const id of attempts) {
    const task = parseAttemptId(id);
    if (task !== null)
      post({ actor: 'shipper', id, message: { type: 'logs.recovered', taskId: taskIdOf(task) } });
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
