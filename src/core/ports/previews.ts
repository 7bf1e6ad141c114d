import type { AttemptId, TaskId } from '../ids.ts';
import type { OutputSearch } from '../previews/declared-outputs.ts';
import type { RunAs } from './task-processes.ts';

/** The outputs of an attempt that has succeeded. */
export interface PreviewRequest {
  readonly taskId: TaskId;
  readonly attemptId: AttemptId;
  /** Those that the task has named. */
  readonly outputs: readonly WrittenOutput[];
  /** Where its OUT parameters are. They are used only if it has named no image. */
  readonly searches: readonly OutputSearch[];
  /** When its first process was started: milliseconds since the epoch. Files that did not change since are not its own. */
  readonly startedAt: number;
  /** Replaces redacted values in the name of a file that was found. */
  readonly redact: (name: string) => string;
  /** The account of the task, which reads them; null for the worker's own. */
  readonly runAs: RunAs | null;
}

export interface WrittenOutput {
  /** As the task has printed it. */
  readonly path: string;
  /** Without redacted values, as in the report of the end. */
  readonly name: string;
}

/** Makes previews of outputs on a worker. Nothing waits for them. */
export interface Previews {
  make(request: PreviewRequest): void;
  /** Sets whether the service stores previews. Until then none are made. */
  serviceStores(isStoring: boolean): void;
}
