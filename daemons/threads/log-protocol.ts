import type { MessagePort } from 'node:worker_threads';
import type { LogLevel } from '../../actors/kernel/actor.ts';
import type { StandingMemory } from '../../src/adapters/cluster/standing.ts';
import type { EventLoopLag } from '../../src/adapters/system/event-loop-lag.ts';
import type { ServerList } from '../../src/adapters/nats/server-address.ts';
import type { DiagnosticNote } from '../../src/core/diagnostics/record.ts';
import type { JobId, TaskId, WorkerId } from '../../src/core/ids.ts';
import type { BusEvent } from '../../src/core/ports/bus.ts';
import type { LogPosition } from '../../src/core/records/log-chunk.ts';
import type { StoreFailure } from '../../src/adapters/lmdb/fail-stop.ts';

/** Version of the messages between the main thread and the logs thread. */
export const LOG_PROTOCOL_VERSION = 1;

export interface LogThreadOptions {
  /** Directory of the log store. */
  readonly logDirectory: string;
  /** Directory of the state store. */
  readonly stateDirectory: string;
  /** Servers of the connection for streams. */
  readonly busStreams: ServerList;
  /** Whether each worker has a credential of its own, and its subjects end with its id. */
  readonly isBusScoped: boolean;
  /** `bus.replicas`; null if it is not set. */
  readonly busReplicas: number | null;
  /** Maximum size of the stored log of a task, in bytes; 0 means unlimited. */
  readonly maxBytesPerTask: number;
  readonly softwareVersion: string;
  /** The node of a cluster and its standing; null for a single node. */
  readonly cluster: { readonly node: string; readonly standing: StandingMemory } | null;
  readonly controlPort: MessagePort;
}

export type LogNotice =
  | { readonly v: typeof LOG_PROTOCOL_VERSION; readonly type: 'ready' }
  /** The log store cannot be opened: a one-line reason with its path. */
  | { readonly v: typeof LOG_PROTOCOL_VERSION; readonly type: 'refused'; readonly reason: string }
  /** The process must end now with the exit code of the failure. The thread has stopped. */
  | { readonly v: typeof LOG_PROTOCOL_VERSION; readonly type: 'failed'; readonly failure: StoreFailure }
  /** Tasks with chunks since the last notice, which are on disk or were dropped because of the limit. */
  | { readonly v: typeof LOG_PROTOCOL_VERSION; readonly type: 'stored'; readonly tasks: readonly TaskId[] }
  | {
      readonly v: typeof LOG_PROTOCOL_VERSION;
      readonly type: 'log';
      readonly level: LogLevel;
      readonly text: string;
      readonly attributes: Readonly<Record<string, string>>;
    }
  | { readonly v: typeof LOG_PROTOCOL_VERSION; readonly type: 'bus'; readonly event: BusEvent }
  /** Diagnostic records of workers. */
  | {
      readonly v: typeof LOG_PROTOCOL_VERSION;
      readonly type: 'diagnosed';
      readonly told: readonly WorkerDiagnostic[];
    }
  /** Sent periodically; `redeliveries` counts since the last one. */
  | {
      readonly v: typeof LOG_PROTOCOL_VERSION;
      readonly type: 'measured';
      readonly lag: EventLoopLag;
      readonly redeliveries: number;
    };

export interface WorkerDiagnostic {
  readonly workerId: WorkerId;
  /** Nanoseconds since the epoch, by the clock of the worker. */
  readonly at: bigint;
  readonly note: DiagnosticNote;
}

/** Control calls to the logs thread. */
export interface LogControl {
  /**
   * Removes the logs of a job that is no longer in the state store. Resolves when all are removed, and never after
   * `stop`.
   */
  forget(job: JobId): Promise<void>;
  /** Returns the position of the newest chunk of the task on the bus, or null. Rejects if the bus does not answer. */
  lastLogOf(task: TaskId): Promise<LogPosition | null>;
  /** Disconnects from the bus, stores the received chunks and closes the log store. */
  stop(): Promise<void>;
}
