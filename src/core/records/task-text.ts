/** The rare texts of a task, in a row of their own next to its packed record (docs/contract/resources.md#task). */
export interface TaskTextRecord {
  readonly version: 1;
  readonly failureReason: string;
}
