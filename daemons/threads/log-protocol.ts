import type { MessagePort } from 'node:worker_threads';
import type { LogLevel } from '../../actors/kernel/actor.ts';
import type { EventLoopLag } from '../../src/adapters/system/event-loop-lag.ts';
import type { ServerList } from '../../src/adapters/nats/server-address.ts';
import type { DiagnosticNote } from '../../src/core/diagnostics/record.ts';
import type { JobId, TaskId, WorkerId } from '../../src/core/ids.ts';
import type { BusEvent } from '../../src/core/ports/bus.ts';
import type { LogPosition } from '../../src/core/records/log-chunk.ts';
import type { StoreFailure } from '../../src/adapters/lmdb/fail-stop.ts';

/** What is said between the main thread and the logs thread. */
export const LOG_PROTOCOL_VERSION = 1;

export interface LogThreadOptions {
  /** Directory of the log store. */
  readonly logDirectory: string;
  /** Directory of the state store. */
  readonly stateDirectory: string;
  readonly bus: ServerList;
  /** Bytes that are stored of the log of a task; 0 is no limit. */
  readonly maxBytesPerTask: number;
  readonly softwareVersion: string;
  readonly controlPort: MessagePort;
}

export type LogNotice =
  | { readonly v: typeof LOG_PROTOCOL_VERSION; readonly type: 'ready' }
  /** The log store cannot be opened: one line that says where and why. */
  | { readonly v: typeof LOG_PROTOCOL_VERSION; readonly type: 'refused'; readonly reason: string }
  /** The process must end now with the exit code of the failure; the thread does nothing more. */
  | { readonly v: typeof LOG_PROTOCOL_VERSION; readonly type: 'failed'; readonly failure: StoreFailure }
  /** Chunks of these tasks are on disk since the last notice, or have come and are over the limit. */
  | { readonly v: typeof LOG_PROTOCOL_VERSION; readonly type: 'stored'; readonly tasks: readonly TaskId[] }
  | {
      readonly v: typeof LOG_PROTOCOL_VERSION;
      readonly type: 'log';
      readonly level: LogLevel;
      readonly text: string;
      readonly attributes: Readonly<Record<string, string>>;
    }
  | { readonly v: typeof LOG_PROTOCOL_VERSION; readonly type: 'bus'; readonly event: BusEvent }
  /** What workers have told for the diagnostics. */
  | {
      readonly v: typeof LOG_PROTOCOL_VERSION;
      readonly type: 'diagnosed';
      readonly told: readonly WorkerDiagnostic[];
    }
  /** Once in a while; `redeliveries` since the last time. */
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
  /** Removes the logs of a job that is in the state store no longer; resolves when none is left, and never after `stop`. */
  forget(job: JobId): Promise<void>;
  /** The newest chunk of the task that the bus has; null when it has none. Rejects when the bus does not answer. */
  lastLogOf(task: TaskId): Promise<LogPosition | null>;
  /** Leaves the bus, stores what has come and closes the log store. */
  stop(): Promise<void>;
}
