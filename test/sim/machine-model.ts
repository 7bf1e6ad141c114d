import type { VirtualTime } from '../../actors/kernel/virtual-time.ts';
import type { AttemptId } from '../../src/core/ids.ts';
import type { CancelMessage, LeaseReply, PresenceReply } from '../../src/core/wire/bus-messages.ts';
import { newLink, type BusModel, type Link } from './bus-model.ts';
import type { Random } from './random.ts';
import type { RunningProcesses } from './running-processes.ts';
import type { ServiceDoor } from './service-model.ts';
import type { Trace } from './trace.ts';
import { WorkerDaemon } from './worker-model.ts';
import type { DaemonPorts, DaemonRules, ProcessEnd, WorkerDisk, WorkerSpec } from './worker-ports.ts';

/** Longest time from the signal to the death of a process. */
const KILL_MS_MAX = 3_000;
/** How long guards that do not count contact wait for the next beat of the daemon. */
const BEAT_GAP_MS = 20_000;
/** Longest time in which a guard notices that the daemon is dead, and ends its process. */
const GUARD_MS_MAX = 1_000;
/** Below this a task runs, whatever the mean. */
const TASK_MS_MIN = 10;
/** And no longer than this, so that a task that does not end is known from one that takes its time. */
const TASK_MS_MAX = 600_000;

export interface MachineRules extends DaemonRules {
  /** Processes die with their daemon, or without word from it. */
  readonly guardsProcesses: boolean;
  /** Guards let processes live for as long as the daemon's contact to the service allows, not for so long after its last beat. */
  readonly guardsCountContact: boolean;
}

interface Process {
  readonly attemptId: AttemptId;
  /** Null once the daemon that wants to know is dead. */
  onEnd: ((end: ProcessEnd) => void) | null;
  readonly cancelExit: () => void;
}

export interface MachineWorld {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly trace: Trace;
  readonly bus: BusModel;
  readonly service: ServiceDoor;
  readonly processes: RunningProcesses;
  readonly rules: MachineRules;
  readonly taskMs: number;
  readonly failures: number;
}

/** One life of the daemon: what was begun in an earlier one never comes back. */
interface Life {
  readonly daemon: WorkerDaemon;
  isOver: boolean;
  isPaused: boolean;
  /** What happened while it was paused, in order. */
  readonly missed: (() => void)[];
  guardDeadline: number;
}

/**
 * A worker's machine: the daemon and the processes of tasks, which fail separately, a disk that outlives them and the
 * way to the bus.
 */
export class MachineModel {
  readonly spec: WorkerSpec;
  readonly link: Link;
  private readonly world: MachineWorld;
  private disk: WorkerDisk;
  private life: Life | null = null;
  private readonly running = new Map<AttemptId, Process>();
  private inboxes = 0;

  constructor(spec: WorkerSpec, workerId: string, world: MachineWorld) {
    this.spec = spec;
    this.world = world;
    this.link = newLink(spec.name);
    this.disk = { workerId, starts: 0, outbox: new Map() };
  }

  /** Whether a process of a task runs here. */
  get isBusy(): boolean {
    return this.running.size > 0;
  }

  get unconfirmedReports(): number {
    return this.disk.outbox.size;
  }

  /** Starts the daemon; leftovers of an earlier life are ended first. */
  start(): void {
    if (this.life !== null) return;
    const { rules, trace } = this.world;
    trace.note('daemon start', this.spec.name);
    if (rules.guardsProcesses) for (const process of [...this.running.values()]) this.die(process, null);
    const life: Life = {
      daemon: new WorkerDaemon(
        this.spec,
        this.disk,
        this.portsOf(() => life),
        rules,
      ),
      isOver: false,
      isPaused: false,
      missed: [],
      guardDeadline: this.world.time.now,
    };
    this.life = life;
    life.daemon.start();
  }

  /** kill -9 of the daemon: the guards end the processes, the disk stays. */
  killDaemon(): void {
    this.world.trace.note('daemon killed', this.spec.name);
    this.endLife();
    if (!this.world.rules.guardsProcesses) return;
    for (const process of [...this.running.values()]) {
      this.world.time.after(this.world.random.between(0, GUARD_MS_MAX), () => {
        this.die(process, null);
      });
    }
  }

  /** The machine loses power. */
  reboot(isWiped: boolean, newWorkerId: string): void {
    this.world.trace.note(isWiped ? 'machine wiped' : 'machine reboot', this.spec.name);
    this.endLife();
    for (const process of [...this.running.values()]) this.die(process, null);
    if (isWiped) this.disk = { workerId: newWorkerId, starts: 0, outbox: new Map() };
  }

  /** SIGSTOP of the daemon alone. False when there is none that runs. */
  pause(): boolean {
    const { life } = this;
    if (life === null || life.isPaused) return false;
    this.world.trace.note('daemon paused', this.spec.name);
    life.isPaused = true;
    if (!this.world.rules.guardsProcesses) return true;
    if (!this.world.rules.guardsCountContact) life.guardDeadline = this.world.time.now + BEAT_GAP_MS;
    this.world.time.after(life.guardDeadline - this.world.time.now, () => {
      if (!life.isPaused || life.isOver || life.guardDeadline > this.world.time.now) return;
      for (const process of [...this.running.values()]) this.die(process, { kind: 'killed' });
    });
    return true;
  }

  resume(): void {
    const { life } = this;
    if (life?.isPaused !== true) return;
    this.world.trace.note('daemon resumed', this.spec.name);
    life.isPaused = false;
    for (const action of life.missed.splice(0)) action();
  }

  /** A graceful stop. */
  depart(): void {
    const { life } = this;
    if (life === null || life.isPaused) return;
    this.world.trace.note('daemon departs', this.spec.name);
    life.daemon.depart(() => {
      if (this.life === life) this.endLife();
    });
  }

  /** The way to the bus is cut. False when it is so already. */
  cut(): boolean {
    if (this.link.isCut) return false;
    this.world.trace.note('link cut', this.spec.name);
    this.link.isCut = true;
    return true;
  }

  mend(): void {
    if (!this.link.isCut) return;
    this.world.trace.note('link mended', this.spec.name);
    this.world.bus.mend(this.link);
  }

  /** From the bus. */
  onCancel(message: CancelMessage): void {
    const { life } = this;
    if (life !== null)
      this.inLife(life, () => {
        life.daemon.onCancel(message.attempt_id);
      });
  }

  private endLife(): void {
    const { life } = this;
    if (life === null) return;
    life.isOver = true;
    this.life = null;
    this.link.buffered.length = 0;
    for (const process of this.running.values()) process.onEnd = null;
  }

  /** Does something in a life of the daemon: at once, when it is resumed, or never. */
  private inLife(life: Life, action: () => void): void {
    if (life.isOver) return;
    if (life.isPaused)
      life.missed.push(() => {
        this.inLife(life, action);
      });
    else action();
  }

  private die(process: Process, end: ProcessEnd | null): void {
    if (this.running.get(process.attemptId) !== process) return;
    this.running.delete(process.attemptId);
    process.cancelExit();
    this.world.processes.ended(process.attemptId, end?.kind === 'exited' ? end.exitCode : null);
    if (end !== null) process.onEnd?.(end);
  }

  private portsOf(lifeOf: () => Life): DaemonPorts {
    const { time, random, bus, service, trace } = this.world;
    const inLife = (action: () => void): void => {
      this.inLife(lifeOf(), action);
    };
    return {
      now: () => time.now,
      after: (delayMs, action) =>
        time.after(delayMs, () => {
          inLife(action);
        }),
      publishPresence: (message) => {
        trace.note(message.type, message.worker_id, 'incarnation', message.incarnation);
        bus.publish(this.link, 'presence', message);
      },
      publishStatus: (message) => {
        trace.note('report', message.attempt_id, message.status);
        bus.publish(this.link, 'status', message);
      },
      inbox: (onReply) => {
        const address = `${this.spec.name}/${this.inboxes++}`;
        service.openInbox(address, this.link, (reply) => {
          inLife(() => {
            onReply(reply as PresenceReply);
          });
        });
        return address;
      },
      requestLease: (queue, request, onReply) => {
        const address = `${this.spec.name}/${this.inboxes++}`;
        service.openInbox(address, this.link, (reply) => {
          inLife(() => {
            onReply(reply as LeaseReply);
          });
        });
        bus.core(this.link, null, request, (message) => {
          service.onLeaseRequest(queue, message, address);
        });
        return () => {
          service.closeInbox(address);
        };
      },
      startProcess: (assignment, onEnd) => {
        const { task_id: taskId, attempt_id: attemptId } = assignment;
        const life = lifeOf();
        const exitCode = random.chance(this.world.failures) ? random.pick([1, 2, 137]) : 0;
        const runsMs = Math.min(TASK_MS_MIN + random.around(this.world.taskMs), TASK_MS_MAX);
        const cancelExit = time.after(runsMs, () => {
          this.die(process, { kind: 'exited', exitCode });
        });
        const process: Process = {
          attemptId,
          onEnd: (end) => {
            this.inLife(life, () => {
              onEnd(end);
            });
          },
          cancelExit,
        };
        this.running.set(attemptId, process);
        this.world.processes.started(taskId, attemptId, this.spec.name);
      },
      killProcess: (attemptId) => {
        const process = this.running.get(attemptId);
        if (process === undefined) return;
        time.after(random.between(0, KILL_MS_MAX), () => {
          this.die(process, { kind: 'killed' });
        });
      },
      tellGuards: (deadline) => {
        lifeOf().guardDeadline = Math.max(lifeOf().guardDeadline, deadline);
      },
      note: (what, id) => {
        trace.note(what, this.spec.name, id);
      },
    };
  }
}
