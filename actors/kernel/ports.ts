import type { LogLevel, World } from './actor.ts';
import type { Output } from './closure.ts';

/** What a host gives its kernel. */
export interface KernelPorts<W extends World> {
  readonly reader: W['reader'];
  /** Milliseconds since the epoch. */
  wallClock(): number;
  /** Milliseconds that only rise, from an arbitrary start: what timers are measured with. */
  monotonicClock(): number;
  newId(): string;
  /** Writes the changes as one; calls back once they are on disk, in the order of the calls. */
  commit(changes: readonly W['change'][], onDurable: () => void): void;
  /**
   * Lets out what was said, in order. Called only after the commit of all that came before. `windowStartedAt` is when the
   * turns began that said it, on the monotonic clock.
   */
  release(outputs: readonly Output<W>[], windowStartedAt: number): void;
  /**
   * Makes ready what `release` would let out, while the commit is under way and nobody waits for this thread: nothing may leave yet. What it
   * gives is called once, in place of `release`. Called in the order of the windows.
   */
  prepare?(outputs: readonly Output<W>[], windowStartedAt: number): () => void;
  log(level: LogLevel, text: string, attributes: Readonly<Record<string, string>>): void;
  /** Work has come up outside a pump (a commit has ended): the host must pump soon. */
  wake(): void;
  /** State cannot be loaded or kept: the process must end (design.md, "Threads": fail-stop). */
  fatal(error: unknown): void;
}

/** Named limits of a kernel. */
export const KERNEL_LIMITS = {
  /** Messages from outside that one commit window takes at the most. */
  closuresPerWindow: 1024,
  /** Changes after which a window is closed early. */
  changesPerWindow: 1024,
  /** Windows that are being committed at the same time. */
  windowsInFlight: 2,
} as const;
