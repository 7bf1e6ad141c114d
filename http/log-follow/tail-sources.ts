import type { LogReader } from '../../src/core/ports/log-store.ts';
import type { TaskId } from '../../src/core/ids.ts';
import type { LogPosition } from '../../src/core/records/log-chunk.ts';
import type { CurrentState } from '../lists/job-lists.ts';
import type { TaskEvents } from './task-events.ts';

/** Data sources of log followers. */
export interface LogFollowSources {
  readonly state: CurrentState;
  /** Each read sees everything that was stored before. */
  readonly logs: Pick<LogReader, 'page' | 'arrival'>;
  readonly bus: LogsOnBus;
  readonly events: TaskEvents;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds of a clock that never goes back. */
  steadyNow(): number;
  delay(milliseconds: number): Promise<void>;
  warn(text: string, attributes: Readonly<Record<string, string>>): void;
}

/** Logs in transit on the bus. */
export interface LogsOnBus {
  /** Returns the newest chunk of the task on the bus; null if there is none. Rejects if the bus does not answer. */
  lastOf(task: TaskId): Promise<LogPosition | null>;
  /** Returns when the last chunk of any task was received, by `steadyNow`. */
  takenInAt(): number;
}
