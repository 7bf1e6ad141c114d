/** The rare texts of a task, a row of their own beside its packed record (docs/contract/resources.md#task). */
export interface TaskTextRecord {
  readonly version: 1;
  readonly failureReason: string;
}
