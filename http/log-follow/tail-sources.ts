import type { LogReader } from '../../src/core/ports/log-store.ts';
import type { TaskId } from '../../src/core/ids.ts';
import type { LogPosition } from '../../src/core/records/log-chunk.ts';
import type { CurrentState } from '../lists/job-lists.ts';
import type { TaskEvents } from './task-events.ts';

/** What tails are made of. */
export interface TailSources {
  readonly state: CurrentState;
  /** Each read sees all that was stored until then. */
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

/** The logs that are on their way. */
export interface LogsOnBus {
  /** The newest chunk of the task that the bus has; null when it has none. Rejects when the bus does not answer. */
  lastOf(task: TaskId): Promise<LogPosition | null>;
  /** When a chunk of any task was taken in last, by `steadyNow`. */
  takenInAt(): number;
}
