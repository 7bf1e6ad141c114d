/** Who skipped tasks, and why (docs/scheduling.md#skipped-tasks). */
export interface SkipNote {
  /** Username. */
  readonly by: string;
  /** Text of the user; may be empty. */
  readonly reason: string;
}

/** The rare texts of a task, in a row of their own next to its packed record (docs/contract/resources.md#task). */
export interface TaskTextRecord {
  readonly version: 1;
  readonly failureReason: string;
  /** Set while the task is skipped: then `failureReason` is empty. */
  readonly skip?: SkipNote;
}
