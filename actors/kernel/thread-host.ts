/**
 * States: running, stopped (final). Invariants: at most one pump is queued and one timer is set. Exits: `stop`;
 * messages that are still queued are not handled.
 */

import type { AnyDefinition, ActorSystem } from './actor.ts';
import type { Envelope } from './address.ts';
import { Kernel } from './kernel.ts';
import { KERNEL_LIMITS, type KernelPorts } from './ports.ts';
import { StableWallClock } from './stable-wall-clock.ts';

/** Maximum delay of setTimeout: Node runs a longer one immediately. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * Runs a kernel in real time on its thread: pumps it when there is work, wakes it for timers, and detects stalls of the
 * thread and steps of the clock, after which silence of others counts from zero.
 */
export class ThreadHost<W extends ActorSystem> {
  readonly kernel: Kernel<W>;
  private readonly clock: StableWallClock;
  private pumpQueued = false;
  private timer: NodeJS.Timeout | null = null;
  private timerDueAt = Infinity;
  private readonly heartbeat: NodeJS.Timeout;
  private readonly noticeGap: () => void;
  private idleWaiters: (() => void)[] = [];
  private isStopped = false;

  /** `windowsInFlight`: maximum number of windows that are not durable. */
  constructor(
    definitions: readonly AnyDefinition<W>[],
    ports: Omit<KernelPorts<W>, 'wallClock' | 'monotonicClock' | 'wake'>,
    windowsInFlight: number = KERNEL_LIMITS.windowsInFlight,
  ) {
    this.clock = new StableWallClock(
      () => Date.now(),
      () => performance.now(),
    );
    const all: KernelPorts<W> = {
      ...ports,
      wallClock: () => this.clock.wall(),
      monotonicClock: () => performance.now(),
      wake: () => {
        this.schedule();
      },
    };
    this.kernel = new Kernel<W>(definitions, all, windowsInFlight);
    this.noticeGap = () => {
      const gap = this.clock.tick();
      if (gap === null) return;
      ports.log('warn', 'this thread was stopped or the clock stepped', { gap_ms: String(Math.round(gap)) });
      this.kernel.restartLivenessGrace();
    };
    this.heartbeat = setInterval(this.noticeGap, StableWallClock.tickMs);
    this.heartbeat.unref();
  }

  /** Posts a message from outside. Calls `onProcessed` once all its changes are on disk. */
  post(envelope: Envelope<W['messages']>, onProcessed: (() => void) | null = null): void {
    this.kernel.post(envelope, onProcessed);
    this.schedule();
  }

  /** Resolves once the queue is empty and all changes are readable. */
  idle(): Promise<void> {
    if (this.kernel.isIdle) return Promise.resolve();
    return new Promise((resolve) => {
      this.idleWaiters.push(resolve);
    });
  }

  /** Stops the kernel. Queued messages are not handled. */
  stop(): void {
    this.isStopped = true;
    clearInterval(this.heartbeat);
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.timerDueAt = Infinity;
  }

  private schedule(): void {
    if (this.pumpQueued || this.isStopped) return;
    this.pumpQueued = true;
    setImmediate(() => {
      this.pumpQueued = false;
      if (this.isStopped) return;
      this.noticeGap();
      this.kernel.pump();
      if (this.kernel.hasWork) this.schedule();
      this.armTimer();
      if (this.kernel.isIdle) this.resolveIdleWaiters();
    });
  }

  private resolveIdleWaiters(): void {
    const waiters = this.idleWaiters;
    this.idleWaiters = [];
    for (const resolve of waiters) resolve();
  }

  private armTimer(): void {
    const dueAt = this.kernel.nextTimerAt() ?? Infinity;
    if (dueAt === this.timerDueAt) return;
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.timerDueAt = dueAt;
    if (dueAt === Infinity) return;
    this.timer = setTimeout(
      () => {
        this.timer = null;
        this.timerDueAt = Infinity;
        this.schedule();
      },
      Math.min(LONGEST_TIMEOUT_MS, Math.max(0, Math.ceil(dueAt - performance.now()))),
    );
  }
}
