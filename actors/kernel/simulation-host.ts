import type { CommitCallbacks } from '../../src/core/ports/store.ts';
import type { AnyDefinition, ActorSystem } from './actor.ts';
import type { Envelope } from './address.ts';
import { Kernel } from './kernel.ts';
import type { KernelPorts } from './ports.ts';
import { StableWallClock } from './stable-wall-clock.ts';
import type { VirtualTime } from './virtual-time.ts';

/** What a simulation decides about a host that a thread would leave to the machine. */
export interface SimulationPorts {
  readonly time: VirtualTime;
  /** The machine's time of day in milliseconds since the epoch: may jump. */
  wallClock(): number;
  /** How many milliseconds pass before the kernel gets round to its work. */
  pumpDelay(): number;
  /** Called after each pump, when no message is half worked. */
  pumped(): void;
}

/**
 * Runs a kernel under virtual time, as the thread host runs it in real time: pumps it when there is work, wakes it for
 * timers, notices stalls and steps of the clock. It can be stalled, and be stopped dead like a process that was killed.
 */
export class SimulationHost<W extends ActorSystem> {
  readonly kernel: Kernel<W>;
  private readonly simulation: SimulationPorts;
  private readonly clock: StableWallClock;
  private readonly noticedGap: (gapMs: number) => void;
  private pumpQueued = false;
  private stalledUntil = 0;
  private stopped = false;
  private timer: { readonly dueAt: number; readonly cancel: () => void } | null = null;

  constructor(
    definitions: readonly AnyDefinition<W>[],
    ports: Omit<KernelPorts<W>, 'wallClock' | 'monotonicClock' | 'wake'>,
    simulation: SimulationPorts,
  ) {
    this.simulation = simulation;
    const { time } = simulation;
    this.clock = new StableWallClock(
      () => simulation.wallClock(),
      () => time.now,
    );
    this.noticedGap = (gapMs) => {
      ports.log('warn', 'this thread was stopped or the clock stepped', { gap_ms: String(gapMs) });
    };
    this.kernel = new Kernel<W>(definitions, {
      ...ports,
      commit: (changes, onCommit, outputs) => {
        const toldAlive: CommitCallbacks = {
          durable: () => {
            if (!this.stopped) onCommit.durable();
          },
          readable: () => {
            if (!this.stopped) onCommit.readable();
          },
        };
        ports.commit(changes, toldAlive, outputs);
      },
      wallClock: () => this.clock.wall(),
      monotonicClock: () => time.now,
      wake: () => {
        this.schedule();
      },
    });
    this.tickLater();
  }

  get isStopped(): boolean {
    return this.stopped;
  }

  /** The time of day as the actors see it, in milliseconds since the epoch. */
  get now(): number {
    return this.clock.wall();
  }

  /** A message from outside; `onProcessed` is called once all that it caused is on disk. */
  post(envelope: Envelope<W['messages']>, onProcessed: (() => void) | null = null): void {
    if (this.stopped) return;
    this.kernel.post(envelope, onProcessed);
    this.schedule();
  }

  /** The thread does not run for so many milliseconds. */
  stall(forMs: number): void {
    this.stalledUntil = Math.max(this.stalledUntil, this.simulation.time.now + forMs);
  }

  /** The process is dead: nothing that it had begun goes on. */
  stop(): void {
    this.stopped = true;
    this.timer?.cancel();
  }

  private tickLater(): void {
    this.whenRunning(StableWallClock.tickMs, () => {
      this.noticeGap();
      this.tickLater();
    });
  }

  private schedule(): void {
    if (this.pumpQueued || this.stopped) return;
    this.pumpQueued = true;
    this.whenRunning(this.simulation.pumpDelay(), () => {
      this.pumpQueued = false;
      this.noticeGap();
      this.kernel.pump();
      if (this.kernel.hasWork) this.schedule();
      this.armTimer();
      this.simulation.pumped();
    });
  }

  private noticeGap(): void {
    const gap = this.clock.tick();
    if (gap === null) return;
    this.noticedGap(Math.round(gap));
    this.kernel.restartLivenessGrace();
  }

  private armTimer(): void {
    const dueAt = this.kernel.nextTimerAt();
    if (dueAt === (this.timer?.dueAt ?? null)) return;
    this.timer?.cancel();
    this.timer = null;
    if (dueAt === null) return;
    const cancel = this.simulation.time.after(dueAt - this.simulation.time.now, () => {
      this.timer = null;
      this.schedule();
    });
    this.timer = { dueAt, cancel };
  }

  /** Does something after a delay, or when the stall ends that there is by then; never once the process is dead. */
  private whenRunning(delayMs: number, action: () => void): void {
    const { time } = this.simulation;
    time.after(delayMs, () => {
      if (this.stopped) return;
      if (this.stalledUntil > time.now) this.whenRunning(this.stalledUntil - time.now, action);
      else action();
    });
  }
}
