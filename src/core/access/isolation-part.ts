/** One part of the isolation of jobs, as this machine supports it (docs/isolation.md). */
export interface IsolationPart {
  readonly part: string;
  readonly isSupported: boolean;
  /** Facts about this machine, for people. */
  readonly detail: string;
  /** How to make it available; empty if it is supported. */
  readonly fix: string;
}
