import type { Job, WaitingGroup } from '../../../client/resources.ts';

/** A job that needs attention, and why. */
export interface Attention {
  readonly id: string;
  readonly name: string;
  readonly kind: 'failed' | 'parked' | 'unschedulable';
  readonly reason: string;
  readonly owner: string;
  /** Time of its last change; empty if it is not loaded. */
  readonly at: string;
}

type JudgedJob = Pick<
  Job,
  'id' | 'name' | 'owner' | 'status' | 'park_reason' | 'updated_at' | 'task_counts' | 'failed_attempts'
>;

/** Failed jobs are listed for this time after their end, in milliseconds. */
const RECENT_MS = 24 * 3_600_000;
const KINDS: readonly Attention['kind'][] = ['parked', 'unschedulable', 'failed'];

/**
 * Returns the jobs that need attention: first the jobs that the failure limit parked, then the jobs that no worker can
 * run, then the jobs that failed in the last day. Within a kind, the last changed job is first.
 *
 * @param now - Milliseconds since the epoch.
 */
export function attentionOf(
  jobs: readonly JudgedJob[],
  waiting: readonly Pick<WaitingGroup, 'reason' | 'sentence' | 'job_ids' | 'job_names'>[],
  now: number,
): readonly Attention[] {
  const items = new Map<string, Attention>();
  for (const group of waiting) {
    if (group.reason !== 'workers' && group.reason !== 'usage_pool_missing') continue;
    group.job_ids.forEach((id, index) => {
      const known = jobs.find((job) => job.id === id);
      items.set(id, {
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
      items.set(id, { id, name, owner, at, kind: 'parked', reason: parkReason });
    } else if (job.status === 'failed' && now - Date.parse(at) < RECENT_MS) {
      const { failed, total } = job.task_counts;
      const reason = `${failed.toLocaleString('en')} of ${total.toLocaleString('en')} tasks failed`;
      items.set(id, { id, name, owner, at, kind: 'failed', reason });
    }
  }
  return [...items.values()].sort(
    (one, other) => KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind) || (one.at > other.at ? -1 : 1),
  );
}

/** Returns the jobs with failed tasks, last changed first. */
export const jobsWithFailures = <Row extends Pick<Job, 'task_counts' | 'updated_at'>>(
  jobs: readonly Row[],
): readonly Row[] =>
  jobs
    .filter((job) => job.task_counts.failed > 0)
    .sort((one, other) => (one.updated_at > other.updated_at ? -1 : 1));
