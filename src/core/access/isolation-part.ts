/** One part of the isolation of jobs, and whether this machine supports it for this process. */
export interface IsolationPart {
  /** Such as `memory limit`. */
  readonly part: string;
  readonly isSupported: boolean;
  /** How it is supported (`cgroup v1`), or why not. */
  readonly detail: string;
  /** What an operator does to get it. Empty if it is supported. */
  readonly fix: string;
}
