import type { CommitCallbacks } from '../../src/core/ports/store.ts';
import type { LogLevel, ActorSystem } from './actor.ts';
import type { Output } from './output.ts';

/** Lets out what the turns of one window have said. */
export interface WindowFlush {
  /** What needs no more than that the window, and all that came before it, is on disk. */
  readonly durable: () => void;
  /** What somebody may hear who reads the store then; null for nothing. It is kept longer than the other, and should hold little. */
  readonly readable: (() => void) | null;
}

/** What a host gives its kernel. */
export interface KernelPorts<W extends ActorSystem> {
  readonly reader: W['reader'];
  /** Milliseconds since the epoch. */
  wallClock(): number;
  /** Milliseconds that only rise, from an arbitrary start: what timers are measured with. */
  monotonicClock(): number;
  newId(): string;
  /** Writes the changes as one, and tells of its stages, in the order of the calls. `outputs` is what waits for it. */
  commit(changes: readonly W['change'][], onCommit: CommitCallbacks, outputs: readonly Output<W>[]): void;
  /**
   * Makes ready what turns have said, while their commit is under way and nobody waits for this thread: nothing may leave yet. Called in the order of the
   * windows; so are the two parts of what it gives, each once. `windowStartedAt` is when the turns began that said it, on the monotonic clock.
   */
  prepareFlush(outputs: readonly Output<W>[], windowStartedAt: number): WindowFlush;
  log(level: LogLevel, text: string, attributes: Readonly<Record<string, string>>): void;
  /** Work has come up outside a pump (a commit has ended): the host must pump soon. */
  wake(): void;
  /** State cannot be loaded or kept: the process must end (docs/architecture.md#threads: fail-stop). */
  fatal(error: unknown): void;
}

/** Named limits of a kernel. */
export const KERNEL_LIMITS = {
  /** Messages from outside that one commit window takes at the most. */
  closuresPerWindow: 1024,
  /** Changes after which a window is closed early. */
  changesPerWindow: 1024,
  /** Windows that are not on disk yet, at the same time. */
  windowsInFlight: 2,
} as const;
