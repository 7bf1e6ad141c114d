import type { WorkerId } from '../ids.ts';

/**
 * What retry rules have done for a task that has not ended, in a row of its own (docs/retry-rules.md). A task without
 * such a row has had no rule. It is removed when the task ends.
 */
export interface TaskRulesRecord {
  readonly version: 1;
  /** How often each rule has applied, by its key. */
  readonly uses: Readonly<Record<string, number>>;
  /** Workers that rules have told the task to avoid. Absent: none. */
  readonly avoided?: readonly WorkerId[];
}
