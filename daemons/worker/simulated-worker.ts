import { agentActors } from '../../actors/agent/agent-actors.ts';
import type { AgentSettings } from '../../actors/agent/agent-settings.ts';
import type { AgentEnvelope, AgentSystem } from '../../actors/agent/agent-system.ts';
import { ThreadHost } from '../../actors/kernel/thread-host.ts';
import { completeImmediately, flushImmediately } from '../../actors/kernel/immediate-flush.ts';
import { MemoryJournal } from '../../src/adapters/memory/memory-journal.ts';
import { NO_LOG_SPOOL } from '../../src/adapters/memory/no-log-spool.ts';
import type { InFlightLimit } from '../../src/adapters/nats/in-flight-limit.ts';
import type { ServerList } from '../../src/adapters/nats/server-address.ts';
import { connectWorkerBus } from '../../src/adapters/nats/worker-bus.ts';
import {
  SimulatedTaskProcesses,
  type SimulationSettings,
} from '../../src/adapters/process/simulated-task-processes.ts';
import { simulatedStaging } from '../../src/adapters/staging/simulated-staging.ts';
import { workerId } from '../../src/core/ids.ts';
import type { WorkerBus } from '../../src/core/ports/bus.ts';
import type { TaskProcessEvents } from '../../src/core/ports/task-processes.ts';
import { BusLog } from '../process/bus-log.ts';
import type { Logger } from '../process/logging.ts';
import { AgentEffects } from './agent-effects.ts';
import { stagingEvents } from './staging-effects.ts';
import type { BusIdentity } from './bus-identity.ts';
import { busListener, processEvents } from './external-events.ts';

export interface SimulatedWorkerOptions {
  readonly settings: AgentSettings;
  readonly simulation: SimulationSettings;
  /** Index of the worker in the process. */
  readonly index: number;
  /** Servers of `bus.url`. Not used with `identity`. */
  readonly servers: ServerList;
  /** The credential of this worker; null on a bus without authentication. */
  readonly identity: BusIdentity | null;
  /** Shared by the workers of the process. */
  readonly dialing: InFlightLimit;
  readonly newId: () => string;
  readonly logger: Logger;
  /** Called when the worker has lost its state and cannot continue. */
  readonly fatal: (error: unknown) => void;
  readonly taskEnded: (isGood: boolean) => void;
  /** Called at the first reply of the service. */
  readonly welcomed: () => void;
}

/** Worker that connects to a real service with the actors of the daemon, and simulates its tasks. */
export class SimulatedWorker {
  private readonly host: ThreadHost<AgentSystem>;
  private readonly bus: WorkerBus;
  private readonly busLog: BusLog;
  private readonly identity: BusIdentity | null;
  private readonly departed: Promise<void>;

  constructor(options: SimulatedWorkerOptions) {
    const { settings, logger, identity } = options;
    this.identity = identity;
    const journal = new MemoryJournal(identity?.workerId ?? workerId(options.newId()));
    this.host = new ThreadHost<AgentSystem>(agentActors(settings), {
      reader: journal,
      newId: options.newId,
      commit: (changes, onCommit) => journal.append(changes, completeImmediately(onCommit)),
      prepareFlush: (outputs) =>
        flushImmediately(() => {
          for (const output of outputs) {
            if (output.kind === 'effect') effects.execute(output.effect);
          }
        }),
      // With thousands of workers, info records are too many.
      log: (level, text, attributes) =>
        logger[level === 'info' ? 'debug' : level]({ worker: settings.name, ...attributes }, text),
      fatal: options.fatal,
    });
    const post = (envelope: AgentEnvelope): void => this.host.post(envelope);
    const processes = new SimulatedTaskProcesses(
      options.simulation,
      options.index,
      counted(processEvents(post), options.taskEnded),
    );
    this.busLog = new BusLog(logger);
    this.bus = connectWorkerBus(
      {
        servers: identity === null ? options.servers : () => identity.servers(),
        identity,
        dialing: options.dialing,
        name: `callsheet simulated worker ${settings.name}`,
      },
      busListener(post, (event) => {
        this.busLog.note('worker', event);
        identity?.noticed(event);
      }),
    );
    let depart: () => void = () => undefined;
    this.departed = new Promise((resolve) => {
      depart = resolve;
    });
    let isWelcome = false;
    const staging = simulatedStaging(stagingEvents(post));
    const effects = new AgentEffects(
      { bus: this.bus, processes, spool: NO_LOG_SPOOL, staging, previews: null },
      post,
      {
        left: () => depart(),
        welcomed: () => {
          if (isWelcome) return;
          isWelcome = true;
          options.welcomed();
          // Its confirmation takes a connection, too: not before those of the workers, which are limited.
          identity?.start(() => this.bus.redial());
        },
        registering: () => undefined,
      },
    );
    post({ actor: 'registrar', id: 'registrar', message: { type: 'agent.start' } });
  }

  /**
   * Leaves the service. Tasks end first, or are interrupted with `atOnce`. May be called again. Resolves when the
   * worker has left.
   */
  async leave(atOnce: boolean): Promise<void> {
    this.host.post({ actor: 'registrar', id: 'registrar', message: { type: 'agent.leave', atOnce } });
    await this.departed;
    this.host.stop();
    this.busLog.stopping();
    await this.bus.close();
    await this.identity?.close();
  }
}

/** Returns the same events and reports each task that has ended by itself to `taskEnded`. */
function counted(events: TaskProcessEvents, taskEnded: (isGood: boolean) => void): TaskProcessEvents {
  return {
    ...events,
    ended: (sessionId, run, end, usage) => {
      if (end.kind === 'exited') taskEnded(end.code === 0);
      events.ended(sessionId, run, end, usage);
    },
  };
}
