/**
 * States: running, stalled (until `stalledUntil`), stopped (final). Invariants: at most one pump is queued and one
 * timer is set; after the stop neither actors nor callbacks of commits run. Exits: `stop`.
 */

import type { CommitCallbacks } from '../../src/core/ports/store.ts';
import type { AnyDefinition, ActorSystem } from './actor.ts';
import type { Envelope } from './address.ts';
import { Kernel } from './kernel.ts';
import type { KernelPorts } from './ports.ts';
import { StableWallClock } from './stable-wall-clock.ts';
import type { VirtualTime } from './virtual-time.ts';

/** The decisions of a simulation that depend on the machine for a real thread. */
export interface SimulationPorts {
  readonly time: VirtualTime;
  /** The machine's time of day in milliseconds since the epoch. It may jump. */
  wallClock(): number;
  /** Delay in milliseconds before the next pump. */
  pumpDelay(): number;
  /** Called after each pump, when no message is partly handled. */
  pumped(): void;
}

/**
 * Runs a kernel under virtual time, as ThreadHost runs it in real time: pumps it when there is work, wakes it for
 * timers, detects stalls and steps of the clock. It can stall, and stop like a killed process.
 */
export class SimulationHost<W extends ActorSystem> {
  readonly kernel: Kernel<W>;
  private readonly simulation: SimulationPorts;
  private readonly clock: StableWallClock;
  private readonly onGap: (gapMs: number) => void;
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
    this.onGap = (gapMs) => {
      ports.log('warn', 'this thread was stopped or the clock stepped', { gap_ms: String(gapMs) });
    };
    this.kernel = new Kernel<W>(definitions, {
      ...ports,
      commit: (changes, onCommit, window) => {
        const callbacksUntilStopped: CommitCallbacks = {
          onDurable: () => {
            if (!this.stopped) onCommit.onDurable();
          },
          onReadable: () => {
            if (!this.stopped) onCommit.onReadable();
          },
        };
        ports.commit(changes, callbacksUntilStopped, window);
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

  /** Posts a message from outside. Calls `onProcessed` once all its changes are on disk. */
  post(envelope: Envelope<W['messages']>, onProcessed: (() => void) | null = null): void {
    if (this.stopped) return;
    this.kernel.post(envelope, onProcessed);
    this.schedule();
  }

  /** Stops the thread from running for `forMs` milliseconds. */
  stall(forMs: number): void {
    this.stalledUntil = Math.max(this.stalledUntil, this.simulation.time.now + forMs);
  }

  /** Kills the process: everything in progress is lost. */
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
    this.onGap(Math.round(gap));
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

  /** Runs the action after a delay, or at the end of a stall. Never runs it once the process is stopped. */
  private whenRunning(delayMs: number, action: () => void): void {
    const { time } = this.simulation;
    time.after(delayMs, () => {
      if (this.stopped) return;
      if (this.stalledUntil > time.now) this.whenRunning(this.stalledUntil - time.now, action);
      else action();
    });
  }
}
