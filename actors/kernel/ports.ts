import type { CommitCallbacks } from '../../src/core/ports/store.ts';
import type { LogLevel, ActorSystem } from './actor.ts';
import type { Envelope } from './address.ts';
import type { Output } from './output.ts';

/** The prepared outputs of one window. */
export interface WindowFlush {
  /** Publishes what requires only that the window, and all before it, is durable. */
  readonly onDurable: () => void;
  /**
   * Publishes what leads clients to read the store, or null for nothing. Kept longer than `onDurable`, so it should hold
   * little.
   */
  readonly onReadable: (() => void) | null;
}

/** Outputs of a commit window, and the messages that led to it. */
export interface CommittedWindow<W extends ActorSystem> {
  /** They wait for the commit. */
  readonly outputs: readonly Output<W>[];
  /** The messages from outside that were handled, one for each unit of work, in order. */
  readonly mails: readonly { readonly envelope: Envelope<W['messages']> }[];
}

/** Services that a host provides to its kernel. */
export interface KernelPorts<W extends ActorSystem> {
  readonly reader: W['reader'];
  /** Milliseconds since the epoch. */
  wallClock(): number;
  /** Milliseconds since an arbitrary start, never falling. Timers use it. */
  monotonicClock(): number;
  newId(): string;
  /**
   * Commits the changes of a window atomically and calls `onCommit` for each stage, in the order of the calls.
   */
  commit(changes: readonly W['change'][], onCommit: CommitCallbacks, window: CommittedWindow<W>): void;
  /**
   * Prepares the outputs of a window while its commit is in flight; publishes nothing yet. Called in the order of the
   * windows. The kernel calls each part of the result once, in the same order. `windowStartedAt` is the start of the
   * window's turns on the monotonic clock.
   */
  prepareFlush(outputs: readonly Output<W>[], windowStartedAt: number): WindowFlush;
  log(level: LogLevel, text: string, attributes: Readonly<Record<string, string>>): void;
  /** Requests a pump soon: work has arrived outside a pump (a commit has finished). */
  wake(): void;
  /** Reports that state cannot be loaded or stored. The process must exit (docs/architecture.md#threads: fail-stop). */
  fatal(error: unknown): void;
}

/** Limits of a kernel. */
export const KERNEL_LIMITS = {
  /** Maximum number of messages from outside in one commit window. */
  unitsPerWindow: 1024,
  /** A window is closed early once it has this many changes. */
  changesPerWindow: 1024,
  /** Maximum number of windows that are not durable yet, where a flush of a local disk makes them so. */
  windowsInFlight: 2,
} as const;
