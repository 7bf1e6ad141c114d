import type { WorkerId } from '../ids.ts';

/**
 * Uses of retry rules by a task that has not ended, in a row of its own (docs/retry-rules.md). Without such a row, no rule
 * has applied to the task. The row is removed when the task ends.
 */
export interface TaskRulesRecord {
  readonly version: 1;
  /** How often each rule has applied, by its key. */
  readonly uses: Readonly<Record<string, number>>;
  /** Workers that rules have told the task to avoid. Absent: none. */
  readonly avoided?: readonly WorkerId[];
}
