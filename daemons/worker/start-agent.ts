import { agentActors } from '../../actors/agent/agent-actors.ts';
import type { AgentSettings } from '../../actors/agent/agent-settings.ts';
import type { AgentEffect, AgentEnvelope, AgentSystem } from '../../actors/agent/agent-system.ts';
import { completeImmediately, flushImmediately } from '../../actors/kernel/immediate-flush.ts';
import { ThreadHost } from '../../actors/kernel/thread-host.ts';
import { isolationCapabilities } from '../../src/core/access/isolation-capabilities.ts';
import type { BusFirewall } from '../../src/adapters/firewall/bus-firewall.ts';
import { isolationSupport } from '../../src/adapters/host/isolation-support.ts';
import { thisMachine } from '../../src/adapters/host/machine.ts';
import { withAccess, type ServerList } from '../../src/adapters/nats/server-address.ts';
import { connectWorkerBus } from '../../src/adapters/nats/worker-bus.ts';
import { PROCESS_LIMITS } from '../../src/adapters/process/limits.ts';
import { LocalTaskProcesses } from '../../src/adapters/process/local-task-processes.ts';
import type { Mask } from '../../src/adapters/process/mask.ts';
import { supervisorScript } from '../../src/adapters/process/supervisor.ts';
import { LocalStaging } from '../../src/adapters/staging/local-staging.ts';
import { allowedVariables, SECRET_VARIABLES } from '../../src/core/access/denied-variables.ts';
import { parseAttemptId, taskIdOf, type AttemptId } from '../../src/core/ids.ts';
import type { WorkerConfig } from '../../src/core/config/worker-config.ts';
import type { WorkerBus } from '../../src/core/ports/bus.ts';
import type { TaskProcessEvents } from '../../src/core/ports/task-processes.ts';
import { BusLog } from '../process/bus-log.ts';
import { failStop } from '../process/fail-stop.ts';
import type { Logger } from '../process/logging.ts';
import { onHangUp } from '../process/stop-signal.ts';
import { garbageCollector, usedHeapBytes } from '../process/v8-collector.ts';
import { AgentEffects } from './agent-effects.ts';
import { agentSettingsOf } from './agent-settings-of.ts';
import type { BusDiscovery } from './bus-discovery.ts';
import type { BusIdentity } from './bus-identity.ts';
import { CapabilityWatch } from './capability-watch.ts';
import { credentialMask } from './credential-mask.ts';
import { DiagnosticSender } from './diagnostic-sender.ts';
import { openBusFirewall } from './bus-firewall.ts';
import { busListener, processEvents } from './external-events.ts';
import { fileOwnerBy } from './file-owner.ts';
import { IdleGarbageCollector } from './idle-garbage-collector.ts';
import { openPreviews } from './open-previews.ts';
import { optInIsolation, requireOptIns } from './opt-in-isolation.ts';
import { stagingEvents } from './staging-effects.ts';
import type { WorkerState } from './worker-state.ts';

type Post = (envelope: AgentEnvelope) => void;

/** Inputs of the agent. */
interface AgentContext {
  readonly config: WorkerConfig;
  readonly logger: Logger;
  readonly newId: () => string;
  readonly state: WorkerState;
  /** Servers of `bus.url`. Not used with `identity` or `discovery`. */
  readonly servers: ServerList;
  /** The credential of this worker; null on a bus without authentication. */
  readonly identity: BusIdentity | null;
  readonly discovery: BusDiscovery | null;
  /** Receives the sender of diagnostic records as soon as there is one. */
  readonly onSender: (sender: DiagnosticSender) => void;
}

/** The running actors of a worker. */
export interface Agent {
  /** Asks the worker to leave the service. Its tasks may end first, or are interrupted with `atOnce`. */
  readonly leave: (atOnce: boolean) => void;
  /** Resolves when the worker has left. */
  readonly departed: Promise<void>;
  /** Stops the actors, waits for the processes of tasks and closes the connection to the bus. */
  readonly close: () => Promise<void>;
}

/** Starts the actors of a worker, with its task processes and its connection to the bus. */
export async function startAgent(context: AgentContext): Promise<Agent> {
  const { config, logger, state, onSender } = context;
  const post: Post = (envelope) => host.post(envelope);
  let isolation: readonly string[] = [];
  const watch = watchCapabilities(context, () => isolation, post);
  onHangUp(() => watch.lookAgain());
  isolation = await checkIsolation(config, logger);
  const settings = agentSettingsOf(config, {
    name: config.worker.name,
    capabilities: await watch.first(),
    sessionsDirectory: state.sessionsDirectory,
    keepsSessions: config.worker.keepSessions,
    spoolsLogs: config.worker.logSpoolBytes > 0,
  });
  const host = createHost(context, settings, (effect) => effects.execute(effect));
  const hidden = await hideCredentials(context);
  const firewall = await openBusFirewall(config, state, logger);
  const previews = openPreviews(context, {
    processes: () => processes,
    publish: (message) => bus.publishPreview(message),
  });
  const events = previews === null ? processEvents(post) : previews.ownEvents(processEvents(post));
  const { processes, staging } = openProcesses(context, post, events, hidden, firewall);
  const busLog = new BusLog(logger);
  const bus = connectBus(context, post, busLog, firewall);
  let sender: DiagnosticSender | null = null;
  if (config.diagnostics.enabled) {
    sender = new DiagnosticSender({
      workerId: state.journal.workerId,
      publish: (message) => bus.publishDiagnostic(message),
      wallClock: () => Date.now(),
      monotonicClock: () => performance.now(),
    });
    onSender(sender);
  }
  let depart: () => void = () => undefined;
  const departed = new Promise<void>((resolve) => {
    depart = resolve;
  });
  const effects = new AgentEffects({ bus, processes, spool: state.spool, staging, previews }, post, {
    left: () => depart(),
    welcomed: () => sender?.flush(),
    registering: () => watch.registering(),
  });
  recoverLogs(state.spool.attempts, post);
  post({ actor: 'registrar', id: 'registrar', message: { type: 'agent.start' } });
  context.identity?.start(() => bus.redial());
  return {
    leave: (atOnce) =>
      post({ actor: 'registrar', id: 'registrar', message: { type: 'agent.leave', atOnce } }),
    departed,
    close: async () => {
      host.stop();
      await previews?.stop();
      await processes.settled();
      busLog.stopping();
      await bus.close();
      await firewall?.close();
    },
  };
}

/**
 * Logs each part of the isolation of tasks, and whether this machine supports it. Returns the names of those that apply. Throws
 * if a configured one is missing.
 */
async function checkIsolation(config: WorkerConfig, logger: Logger): Promise<readonly string[]> {
  const [limits, optIns] = await Promise.all([isolationSupport(), optInIsolation(config)]);
  requireOptIns(config, optIns);
  const parts = [...limits, ...optIns];
  for (const { part, isSupported, detail } of parts)
    logger.info({ part, supported: String(isSupported), detail }, 'isolation of tasks');
  const { enabled, defaultUser } = config.isolation;
  const hasTaskAccounts = enabled && defaultUser !== '' && process.geteuid?.() === 0;
  return isolationCapabilities({ ...config.isolation, hasTaskAccounts }, parts);
}

/** Watches what the machine offers. A change is sent to the registrar, which registers the worker again. */
function watchCapabilities(
  { config, logger, state }: AgentContext,
  isolation: () => readonly string[],
  post: Post,
): CapabilityWatch {
  return new CapabilityWatch({
    config: config.worker,
    machine: thisMachine(),
    isolation,
    // A program that it starts must not show secrets in its environment.
    environment: allowedVariables(process.env, SECRET_VARIABLES),
    directory: state.directory,
    warn: (text) => logger.warn(text),
    changed: (capabilities) => {
      logger.info({ tags: Object.keys(capabilities.tags).join(',') }, 'worker capabilities changed');
      post({ actor: 'registrar', id: 'registrar', message: { type: 'capabilities.found', capabilities } });
    },
    now: () => performance.now(),
  });
}

/** Creates the kernel. It flushes to the journal of the worker and then executes the effects of the window. */
function createHost(
  { logger, newId, state }: AgentContext,
  settings: AgentSettings,
  execute: (effect: AgentEffect) => void,
): ThreadHost<AgentSystem> {
  return new ThreadHost<AgentSystem>(agentActors(settings), {
    reader: state.journal,
    newId,
    commit: (changes, onCommit) => state.journal.append(changes, completeImmediately(onCommit)),
    prepareFlush: (outputs) =>
      flushImmediately(() => {
        for (const output of outputs) if (output.kind === 'effect') execute(output.effect);
      }),
    log: (level, text, attributes) => logger[level](attributes, text),
    fatal: (error) =>
      failStop(
        logger,
        'an actor of the worker has lost its state',
        error instanceof Error ? error : new Error(String(error)),
      ),
  });
}

/** Returns the files that tasks must not see, and logs whether the credentials of the worker are hidden from its own account. */
async function hideCredentials({ config, logger, state }: AgentContext): Promise<Mask | null> {
  const { enabled, defaultUser } = config.isolation;
  // Then every task has an account of its own, which cannot read the files.
  if (enabled && defaultUser !== '' && process.geteuid?.() === 0) return null;
  const found = await credentialMask(config.bus.access, state.directory, config.worker.credentialsFile);
  if (found === null) return null;
  const { mask, part } = found;
  const { detail, fix } = part;
  if (part.isSupported)
    logger.info({ detail }, "the worker's credentials are hidden from tasks of its own account");
  else {
    logger.warn(
      { reason: detail, fix },
      "tasks of the worker's own account can read the worker's credentials",
    );
  }
  return mask;
}

/** Opens the adapters that run the processes of tasks and copy their files. */
function openProcesses(
  { config, logger, state }: AgentContext,
  post: Post,
  events: TaskProcessEvents,
  mask: Mask | null,
  firewall: BusFirewall | null,
): { readonly processes: LocalTaskProcesses; readonly staging: LocalStaging } {
  const isolation = {
    isEnabled: config.isolation.enabled,
    defaultUser: config.isolation.defaultUser,
    environmentPassthrough: config.isolation.envPassthrough,
    environmentDeny: config.isolation.envDeny,
    limits: {
      mode: config.isolation.limits,
      memoryFactor: config.isolation.memoryFactor,
      pidsMax: config.isolation.pidsMax,
      wholeCores: config.isolation.wholeCores,
    },
    network: config.isolation.network,
    diskQuotaBytes: config.isolation.diskQuotaBytes,
    privateTmp: config.isolation.privateTmp,
    hideProcesses: config.isolation.hideProcesses,
    noNewPrivileges: config.isolation.noNewPrivileges,
  };
  const collector = new IdleGarbageCollector(garbageCollector(), usedHeapBytes);
  const processes = new LocalTaskProcesses({
    workerDirectory: state.directory,
    supervisorScript: supervisorScript(),
    beatTimeoutSeconds: PROCESS_LIMITS.beatTimeoutSeconds,
    tasksBeforeLauncher: PROCESS_LIMITS.tasksBeforeLauncher,
    ownEnvironment: process.env,
    events: collector.watching(events),
    isolation,
    mask: () => mask,
    ...(firewall !== null && { blockAccount: (userId) => firewall.blockAccount(userId) }),
    warn: (text, attributes) => logger.warn(attributes, text),
    inform: (text, attributes) => logger.info(attributes, text),
  });
  const staging = new LocalStaging({
    events: stagingEvents(post),
    ownerOf: fileOwnerBy(isolation),
    platform: process.platform,
    environment: process.env,
  });
  return { processes, staging };
}

/** Connects to the bus: to the configured servers, or to those that discovery has found last. */
function connectBus(
  { config, servers, identity, discovery }: AgentContext,
  post: Post,
  busLog: BusLog,
  firewall: BusFirewall | null,
): WorkerBus {
  const issued = (): readonly string[] => identity?.issuedServers() ?? [];
  return connectWorkerBus(
    {
      servers:
        identity !== null
          ? () => identity.servers()
          : discovery === null
            ? servers
            : () => withAccess(discovery.servers(), config.bus.access),
      identity,
      name: `callsheet worker ${config.worker.name}`,
      ...(firewall !== null && {
        beforeUse: (found: readonly string[]) => firewall.blockServers([...found, ...issued()]),
      }),
    },
    busListener(post, (event) => {
      busLog.note('worker', event);
      identity?.noticed(event);
      discovery?.noticed(event);
    }),
  );
}

/** Sends the spooled logs of an earlier daemon to their shippers. These attempts have ended. */
function recoverLogs(attempts: readonly AttemptId[], post: Post): void {
  for (const id of attempts) {
    const task = parseAttemptId(id);
    if (task !== null)
      post({ actor: 'shipper', id, message: { type: 'logs.recovered', taskId: taskIdOf(task) } });
  }
}
