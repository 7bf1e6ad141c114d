import { EXPRESSIONS } from '../../src/adapters/regex/default-expressions.ts';
import type { AgentSettings } from '../../actors/agent/agent-settings.ts';
import { EXPR_LIMITS } from '../../src/openjd/expr/expr-limits.ts';
import type { WorkerHardware } from '../../src/core/records/worker.ts';
import type { TaskId, WorkerId } from '../../src/core/ids.ts';
import type { CancelMessage } from '../../src/core/wire/bus-messages.ts';
import { AgentIncarnation, type LifeWorld } from './agent-incarnation.ts';
import type { BusCredentials } from './bus-credentials.ts';
import { newLink, type Link } from './bus-model.ts';
import { TaskProcessesModel, type MachineRules, type ProcessesWorld } from './task-processes-model.ts';
import { Violation } from './violation.ts';
import { WorkerDisk } from './worker-disk.ts';

/** Time after which guards give up waiting for a daemon beat (PROCESS_LIMITS.beatTimeoutSeconds). */
const BEAT_GAP_MS = 20_000;
/** Longest time until a guard detects that the daemon has ended, and ends its process. */
const GUARD_MS_MAX = 1_000;

/** Capabilities of a worker. */
export interface WorkerSpec {
  readonly name: string;
  readonly hostName: string;
  readonly farm: string;
  readonly queues: readonly string[];
  readonly cores: number;
  readonly computeLocation: string;
  readonly tags: Readonly<Record<string, string>>;
  /** Memory limits of an expression in bytes; each start of the daemon uses one of them. */
  readonly exprMemory: readonly number[];
  readonly hardware: WorkerHardware;
  /** Further amounts by name. */
  readonly amounts: Readonly<Record<string, number>>;
  /** Offset of its clock in milliseconds. */
  readonly skewMs: number;
}

export interface MachineWorld extends LifeWorld, ProcessesWorld {
  readonly rules: MachineRules;
  readonly lingerMs: number;
  /** Null on a bus without authentication. */
  readonly credentials: BusCredentials | null;
  /** The time of day on a clock with this offset. */
  wallClock(skewMs: number): number;
  newId(skewMs: number): string;
}

/**
 * A worker's machine: the daemon and the task processes, which fail separately, a disk that outlives them, and the
 * connection to the bus.
 */
export class MachineModel {
  readonly spec: WorkerSpec;
  readonly link: Link;
  private readonly world: MachineWorld;
  private readonly processes: TaskProcessesModel;
  private disk: WorkerDisk;
  private life: AgentIncarnation | null = null;
  private lives = 0;

  constructor(spec: WorkerSpec, workerId: WorkerId, world: MachineWorld) {
    this.spec = spec;
    this.world = world;
    this.link = newLink(spec.name);
    this.disk = new WorkerDisk(workerId);
    this.processes = new TaskProcessesModel(spec.name, spec.computeLocation, world.rules, world);
    this.join();
  }

  /** Reports whether a process of a task runs here. */
  get isBusy(): boolean {
    return this.processes.isBusy;
  }

  get openSessions(): number {
    return this.processes.openSessions;
  }

  get unconfirmedReports(): number {
    return this.disk.reports.length;
  }

  /** Reports whether an unconfirmed success of the task is on the disk. */
  holdsSuccessOf(taskId: TaskId): boolean {
    return this.disk.holdsSuccessOf(taskId);
  }

  /** Reports whether the daemon exists. */
  get isUp(): boolean {
    return this.life !== null;
  }

  /** Starts the daemon after it has ended leftover processes of an earlier incarnation. */
  start(): void {
    if (this.life !== null) return;
    const { world, spec } = this;
    if (world.rules.guardsProcesses) this.processes.clear();
    const life: AgentIncarnation = new AgentIncarnation(world, {
      settings: this.settings(),
      link: this.link,
      disk: this.disk,
      processes: this.processes,
      number: this.lives++,
      wallClock: () => world.wallClock(spec.skewMs),
      newId: () => world.newId(spec.skewMs),
      left: () => {
        this.hasLeft(life);
      },
    });
    this.life = life;
  }

  /** Ends the daemon as by kill -9: the guards end the processes, the disk remains. */
  killDaemon(): void {
    this.world.trace.note('daemon killed', this.spec.name);
    this.endLife();
    if (!this.world.rules.guardsProcesses) return;
    const lives = this.lives;
    this.world.time.after(this.world.random.between(0, GUARD_MS_MAX), () => {
      if (lives === this.lives) this.processes.clear();
    });
  }

  /** The machine loses power. */
  reboot(isWiped: boolean, newWorkerId: WorkerId): void {
    this.world.trace.note(isWiped ? 'machine wiped' : 'machine reboot', this.spec.name);
    this.endLife();
    this.processes.clear();
    if (!isWiped) return;
    // With authentication, a worker that joins with a token takes over the id of the worker with its name.
    this.disk = new WorkerDisk(this.world.credentials === null ? newWorkerId : this.workerId);
    this.join();
  }

  /** Stops only the daemon (SIGSTOP), and continues it later (SIGCONT). */
  pause(forMs: number): void {
    const { life } = this;
    if (life === null || life.isPaused) return;
    const { time, trace, rules } = this.world;
    trace.note('daemon paused', this.spec.name, forMs);
    life.pause(forMs);
    if (!rules.guardsProcesses) return;
    time.after(BEAT_GAP_MS, () => {
      if (this.life === life && life.isPaused) this.processes.fence();
    });
  }

  /** A graceful stop. */
  depart(atOnce: boolean): void {
    const { life } = this;
    if (life === null) return;
    this.world.trace.note('daemon departs', this.spec.name);
    life.leave(atOnce);
  }

  /** Cuts the connection to the bus. Returns false if it is cut already. */
  cut(): boolean {
    if (this.link.isCut) return false;
    this.world.trace.note('link cut', this.spec.name);
    this.link.isCut = true;
    return true;
  }

  mend(): void {
    if (!this.link.isCut || this.link.isRefused) return;
    this.world.trace.note('link restored', this.spec.name);
    this.world.bus.mend(this.link);
    this.life?.reconnected();
  }

  get workerId(): WorkerId {
    return this.disk.workerId;
  }

  /** The credential is revoked: the bus closes the connection at once, and accepts no other one with it. */
  revoke(): void {
    const { credentials, trace } = this.world;
    if (credentials === null || this.link.isRefused) return;
    trace.note('credential revoked', this.spec.name);
    credentials.revoke(this.workerId);
    if (!credentials.isRefused(this.workerId)) return;
    this.link.isRefused = true;
    this.link.isCut = true;
    this.link.buffered.length = 0;
  }

  /** A revoked worker has joined with another token, and keeps its id. */
  rejoin(): void {
    if (!this.link.isRefused) return;
    this.world.trace.note('worker joins again', this.spec.name);
    this.join();
    this.link.isRefused = false;
    this.mend();
  }

  /** The bus has restarted after a crash. */
  busIsBack(): void {
    if (!this.link.isCut) this.life?.reconnected();
  }

  /** Called by the bus. */
  onCancel(message: CancelMessage): void {
    this.life?.cancelRequested(message);
  }

  private join(): void {
    const { credentials } = this.world;
    if (credentials === null) return;
    credentials.join(this.workerId, this.spec.name);
    this.link.worker = this.workerId;
  }

  private hasLeft(life: AgentIncarnation): void {
    if (this.life !== life) return;
    if (this.processes.openSessions > 0)
      throw new Violation(
        'sessions of a worker end when it leaves',
        `${this.spec.name} has ${this.openSessions}`,
      );
    this.world.trace.note('daemon has left', this.spec.name);
    this.endLife();
  }

  private endLife(): void {
    this.life?.stop();
    this.life = null;
  }

  private settings(): AgentSettings {
    const { name, farm, queues, cores, computeLocation, tags, exprMemory } = this.spec;
    return {
      name,
      hostName: this.spec.hostName,
      farm,
      queues,
      cpuCount: cores,
      memoryMib: 4096,
      amounts: this.spec.amounts,
      os: 'linux',
      arch: 'x86_64',
      softwareVersion: '1',
      computeLocation,
      exprLimits: { ...EXPR_LIMITS, memory: this.world.random.pick(exprMemory) },
      regex: EXPRESSIONS.regex,
      capabilities: {
        hardware: this.spec.hardware,
        tags,
      },
      sessionsDirectory: '/sessions',
      sessionLingerMs: this.world.lingerMs,
      keepsSessions: false,
      spoolsLogs: false,
      drainTimeoutMs: 20_000,
    };
  }
}
