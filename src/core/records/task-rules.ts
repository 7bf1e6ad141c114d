import type { WorkerId } from '../ids.ts';
import type { PreemptionCount } from './preemption.ts';

/**
 * Uses of retry rules by a task that has not ended (docs/retry-rules.md), and how often it was taken back
 * (docs/policy.md#preemption), in a row of its own. Without such a row, neither has happened. The row is removed when the
 * task ends.
 */
export interface TaskRulesRecord {
  readonly version: 1;
  /** How often each rule has applied, by its key. */
  readonly uses: Readonly<Record<string, number>>;
  /** Workers that rules have told the task to avoid. Absent: none. */
  readonly avoided?: readonly WorkerId[];
  /** Absent: it was not taken back. */
  readonly preemptions?: PreemptionCount;
  /** Numbers of failed attempts that turned out to belong to an outage (docs/outages.md). Absent: none. */
  readonly excused?: readonly number[];
}
