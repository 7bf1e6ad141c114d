import type { FarmId, QueueId } from '../ids.ts';
import type { TemplateFormat } from './job.ts';

/** An environment template of a queue (docs/queue-environments.md). Times are milliseconds since the epoch. */
export interface QueueEnvironmentRecord {
  readonly version: 1;
  readonly id: string;
  readonly queueId: QueueId;
  readonly farmId: FarmId;
  /** Name of the environment in its template; unique in the queue. */
  readonly name: string;
  /** Environments with a lower number are entered first; with the same number, older ones. */
  readonly priority: number;
  readonly format: TemplateFormat;
  /** The template, verbatim. */
  readonly template: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export const QUEUE_ENVIRONMENT_LIMITS = {
  perQueue: 20,
  priority: 10_000,
  /** Distance to the last environment for one that is added without a priority. */
  priorityStep: 10,
} as const;

/** Returns environments in the order in which they are entered. Ids are UUIDv7: in the order of time. */
export const inOrder = (environments: Iterable<QueueEnvironmentRecord>): readonly QueueEnvironmentRecord[] =>
  [...environments].sort((one, other) => one.priority - other.priority || (one.id < other.id ? -1 : 1));
