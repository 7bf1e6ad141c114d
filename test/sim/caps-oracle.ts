import type { JobMessage } from '../../actors/service/job/messages.ts';
import type { JobState } from '../../actors/service/job/state.ts';
import type { LeaseState } from '../../actors/service/lease/state.ts';
import type { JobId } from '../../src/core/ids.ts';

type Take = Extract<JobMessage, { type: 'tasks.take' }>;

const stepName = (job: JobId, stepOrder: number): string => `${job} ${stepOrder}`;

/** Live tasks of the job by the counts of its steps, or of one step. */
const liveIn = ({ steps }: JobState, stepOrder: number | null): number =>
  steps.reduce(
    (sum, { record: { order, taskCounts } }) =>
      stepOrder === null || order === stepOrder ? sum + taskCounts.assigned + taskCounts.running : sum,
    0,
  );

/** Reports whether these caps have room for one more task if this many are live. */
function isBelow(
  job: JobState,
  stepOrder: number,
  live: { readonly job: number; readonly step: number },
): boolean {
  const { maxConcurrentTasks = 0, stepCaps = {} } = job.record;
  const ofStep = stepCaps[job.steps[stepOrder]?.record.name ?? ''] ?? 0;
  if (maxConcurrentTasks > 0 && live.job >= maxConcurrentTasks) return false;
  return ofStep === 0 || live.step < ofStep;
}

/** Reports whether the caps of the job and of the step have room for one more task (docs/policy.md#caps). */
export const hasOwnRoom = (job: JobState, stepOrder: number): boolean =>
  isBelow(job, stepOrder, { job: liveIn(job, null), step: liveIn(job, stepOrder) });

/** Live tasks of jobs and steps before each lease of a turn: the counts of the lease actor after it, without its leases. */
export class LiveBooks {
  private readonly lease: LeaseState;
  private readonly more = new Map<string, number>();

  constructor(lease: LeaseState, takes: readonly Take[]) {
    this.lease = lease;
    for (const { pick } of takes) {
      const count = pick.ranges.reduce((sum, range) => sum + range.count, 0);
      this.add(pick.jobId, pick.stepOrder, -count);
    }
  }

  hasRoom(job: JobState, stepOrder: number): boolean {
    const { id } = job.record;
    let ofJob = this.more.get(id) ?? 0;
    for (const { record } of job.steps) ofJob += this.lease.index.entry(id, record.order)?.live ?? 0;
    const step = this.lease.index.entry(id, stepOrder)?.live ?? 0;
    return isBelow(job, stepOrder, {
      job: ofJob,
      step: step + (this.more.get(stepName(id, stepOrder)) ?? 0),
    });
  }

  take(job: JobId, stepOrder: number): void {
    this.add(job, stepOrder, 1);
  }

  private add(job: JobId, stepOrder: number, change: number): void {
    for (const name of [job, stepName(job, stepOrder)])
      this.more.set(name, (this.more.get(name) ?? 0) + change);
  }
}
