import type { Job, WaitingGroup } from '../../../client/resources.ts';

/** A job that somebody should look at, and why. */
export interface Attention {
  readonly id: string;
  readonly name: string;
  readonly kind: 'failed' | 'parked' | 'unschedulable';
  readonly reason: string;
  readonly owner: string;
  /** When it changed last; empty when that is not known. */
  readonly at: string;
}

type Troubled = Pick<
  Job,
  'id' | 'name' | 'owner' | 'status' | 'park_reason' | 'updated_at' | 'task_counts' | 'failed_attempts'
>;

/** What ended longer ago is no news, in milliseconds. */
const NEWS_MS = 24 * 3_600_000;
const KINDS: readonly Attention['kind'][] = ['parked', 'unschedulable', 'failed'];

/**
 * The jobs to look at: those that the failure limit parked and those that no worker may run, which go on waiting until somebody does
 * something, and then those that failed in the last day, the latest first. `now` is in milliseconds since the epoch.
 */
export function attentionOf(
  jobs: readonly Troubled[],
  waiting: readonly Pick<WaitingGroup, 'reason' | 'sentence' | 'job_ids' | 'job_names'>[],
  now: number,
): readonly Attention[] {
  const found = new Map<string, Attention>();
  for (const group of waiting) {
    if (group.reason !== 'workers' && group.reason !== 'usage_pool_missing') continue;
    group.job_ids.forEach((id, index) => {
      const known = jobs.find((job) => job.id === id);
      found.set(id, {
        id,
        name: group.job_names[index] ?? id,
        kind: 'unschedulable',
        reason: group.sentence,
        owner: known?.owner ?? '',
        at: known?.updated_at ?? '',
      });
    });
  }
  for (const job of jobs) {
    const { id, name, owner, updated_at: at, park_reason: parkReason = '' } = job;
    if (job.status === 'paused' && parkReason !== '') {
      found.set(id, { id, name, owner, at, kind: 'parked', reason: parkReason });
    } else if (job.status === 'failed' && now - Date.parse(at) < NEWS_MS) {
      const { failed, total } = job.task_counts;
      const reason = `${failed.toLocaleString('en')} of ${total.toLocaleString('en')} tasks failed`;
      found.set(id, { id, name, owner, at, kind: 'failed', reason });
    }
  }
  return [...found.values()].sort(
    (one, other) => KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind) || (one.at > other.at ? -1 : 1),
  );
}

/** Jobs with tasks that have failed, those that changed last first. */
export const jobsWithFailures = <Seen extends Pick<Job, 'task_counts' | 'updated_at'>>(
  jobs: readonly Seen[],
): readonly Seen[] =>
  jobs
    .filter((job) => job.task_counts.failed > 0)
    .sort((one, other) => (one.updated_at > other.updated_at ? -1 : 1));
