import type { AgentSettings } from '../../actors/agent/agent-settings.ts';
import type { AgentEffect, AgentEnvelope, AgentSystem } from '../../actors/agent/agent-system.ts';
import type { SessionState } from '../../actors/agent/session/state.ts';
import type { AnyDefinition } from '../../actors/kernel/actor.ts';
import { SimulationHost } from '../../actors/kernel/simulation-host.ts';
import { completeImmediately, flushImmediately } from '../../actors/kernel/immediate-flush.ts';
import { executeOnProcesses } from '../../daemons/worker/process-effects.ts';
import { processEvents } from '../../daemons/worker/external-events.ts';
import type { AttemptId, SessionId } from '../../src/core/ids.ts';
import type { CancelMessage } from '../../src/core/wire/bus-messages.ts';
import { AgentBus, type AgentBusWorld } from './agent-bus.ts';
import type { Link } from './bus-model.ts';
import type { SessionOwner, TaskProcessesModel } from './task-processes-model.ts';
import type { Trace } from './trace.ts';
import { Violation } from './violation.ts';
import type { WorkerDisk } from './worker-disk.ts';

const PUMP_MS_MAX = 2;

/** Parts of a daemon: the real ones, unless a mutant replaces them. */
export interface AgentBuild {
  /** Created for every incarnation: no state outlives the daemon. */
  readonly definitions: (settings: AgentSettings) => readonly AnyDefinition<AgentSystem>[];
  /** Counts every reply of the bus as the absence of the service; false except in a mutant. */
  readonly trustsBus: boolean;
  /** Replaces an effect of the actors, or drops it (null). Identity in a correct build. */
  readonly effect: (effect: AgentEffect) => AgentEffect | null;
}

export interface LifeWorld extends AgentBusWorld {
  readonly trace: Trace;
  readonly build: AgentBuild;
  /** Called when a daemon deletes the confirmed end of an attempt. */
  confirmed(attemptId: AttemptId): void;
  /** Longest time until a journal write is durable. */
  readonly flushMs: number;
}

/** Services of the machine for one incarnation of the daemon. */
export interface LifeParts {
  readonly settings: AgentSettings;
  readonly link: Link;
  readonly disk: WorkerDisk;
  readonly processes: TaskProcessesModel;
  readonly number: number;
  wallClock(): number;
  newId(): string;
  /** The daemon has deregistered, and its process exits. */
  left(): void;
}

/** One incarnation of a worker daemon: the real actors on a modeled disk, bus and task processes. */
export class AgentIncarnation implements SessionOwner {
  readonly events = processEvents((envelope) => {
    this.inLife(() => {
      this.post(envelope);
    });
  });
  private readonly world: LifeWorld;
  private readonly parts: LifeParts;
  private readonly host: SimulationHost<AgentSystem>;
  private readonly bus: AgentBus;
  private pausedUntil = 0;
  /** Events during the pause, in order. */
  private readonly missed: (() => void)[] = [];

  constructor(world: LifeWorld, parts: LifeParts) {
    this.world = world;
    this.parts = parts;
    const { time, random, trace, build } = world;
    this.bus = new AgentBus(
      world,
      {
        name: parts.settings.name,
        link: parts.link,
        post: (envelope) => {
          this.post(envelope);
        },
        inLife: (action) => {
          this.inLife(action);
        },
      },
      parts.number,
    );
    this.host = new SimulationHost<AgentSystem>(
      build.definitions(parts.settings),
      {
        reader: parts.disk,
        newId: () => parts.newId(),
        commit: (changes, onCommit) => {
          this.commit(changes, completeImmediately(onCommit));
        },
        prepareFlush: (outputs) =>
          flushImmediately(() => {
            for (const output of outputs) if (output.kind === 'effect') this.execute(output.effect);
          }),
        log: (_level, text, attributes) => {
          if (attributes['error'] !== undefined)
            throw new Violation('no handler throws', `${text}\n${attributes['error']}`);
          if (text.startsWith('discarded the last log lines of a task')) this.bus.cutOff();
        },
        fatal: (error) => {
          throw new Violation(
            'state can be loaded',
            error instanceof Error ? (error.stack ?? '') : String(error),
          );
        },
      },
      {
        time,
        wallClock: () => parts.wallClock(),
        pumpDelay: () => random.between(0, PUMP_MS_MAX),
        pumped: () => undefined,
      },
    );
    parts.processes.ownedBy(this);
    trace.note('daemon start', parts.settings.name);
    this.post({ actor: 'registrar', id: 'registrar', message: { type: 'agent.start' } });
  }

  get isPaused(): boolean {
    return this.world.time.now < this.pausedUntil;
  }

  stateOf(sessionId: SessionId): SessionState | undefined {
    // The kernel has no state types; here each kind has its own.
    return this.host.kernel.stateOf('session', sessionId) as SessionState | undefined;
  }

  /** Pauses the daemon for this number of milliseconds. */
  pause(forMs: number): void {
    this.pausedUntil = this.world.time.now + forMs;
    this.host.stall(forMs);
    this.world.time.after(forMs, () => {
      for (const action of this.missed.splice(0)) this.inLife(action);
    });
  }

  leave(atOnce: boolean): void {
    this.inLife(() => {
      this.post({ actor: 'registrar', id: 'registrar', message: { type: 'agent.leave', atOnce } });
    });
  }

  /** Ends the daemon, by kill -9 or by itself. */
  stop(): void {
    this.host.stop();
    this.bus.cutOff();
    this.parts.processes.ownedBy(null);
    this.parts.disk.crash();
    this.parts.link.buffered.length = 0;
  }

  cancelRequested(message: CancelMessage): void {
    this.inLife(() => {
      this.bus.cancelRequested(message);
    });
  }

  reconnected(): void {
    this.inLife(() => {
      this.bus.reconnected();
    });
  }

  private post(envelope: AgentEnvelope): void {
    this.host.post(envelope);
  }

  private inLife(action: () => void): void {
    if (this.host.isStopped) return;
    if (this.isPaused) this.missed.push(action);
    else action();
  }

  /** The write takes time. The daemon is notified when it runs. */
  private commit(changes: readonly AgentSystem['change'][], onDurable: () => void): void {
    const { disk } = this.parts;
    const { time, random, flushMs } = this.world;
    for (const change of changes)
      if (change.op === 'report-confirmed') this.world.confirmed(change.attemptId);
    disk.append(changes, () => {
      this.inLife(onDurable);
    });
    time.after(changes.length === 0 ? 0 : random.between(0, flushMs), () => {
      if (!this.host.isStopped) disk.flushNext()?.();
    });
  }

  private execute(said: AgentEffect): void {
    const effect = this.host.isStopped ? null : this.world.build.effect(said);
    if (effect === null) return;
    const { trace } = this.world;
    switch (effect.kind) {
      case 'announce':
        trace.note(effect.announcement.type, effect.announcement.worker_id, effect.announcement.incarnation);
        this.bus.announce(effect);
        return;
      case 'probe-absence':
        this.bus.probeAbsence(effect, this.world.build.trustsBus);
        return;
      case 'request-lease':
        this.bus.requestLease(effect);
        return;
      case 'give-up-leases':
        this.bus.cancelLeaseRequests();
        return;
      case 'follow-owner':
        // The simulated service is a single node.
        return;
      case 'report':
        trace.note('report', effect.report.attempt_id, effect.report.status);
        this.bus.report(effect);
        return;
      case 'ship-logs':
        this.bus.shipLogs(effect);
        return;
      case 'follow-cancels':
        this.bus.follow(effect.taskId);
        return;
      case 'unfollow-cancels':
        this.bus.unfollow(effect.taskId);
        return;
      case 'stopped':
        this.parts.left();
        return;
      case 'set-contact-deadline':
        this.parts.processes.contactLasts(effect.leftMs);
        return;
      case 'report-progress':
      case 'make-previews':
      case 'exit-failed':
      case 'stop-staging':
      case 'forget-staging':
        return;
      case 'spool-logs':
      case 'ship-spool':
      case 'stage':
        throw new Error(`a simulated worker has no ${effect.kind}`);
      default:
        trace.note(effect.kind, effect.sessionId);
        executeOnProcesses(this.parts.processes, effect);
    }
  }
}
