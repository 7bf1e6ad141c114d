import type { FarmState } from '../../actors/service/farm/state.ts';
import type { JobMessage } from '../../actors/service/job/messages.ts';
import type { JobState } from '../../actors/service/job/state.ts';
import type { LeaseState } from '../../actors/service/lease/state.ts';
import type { QueueId } from '../../src/core/ids.ts';
import type { JobRecord } from '../../src/core/records/job.ts';

type Take = Extract<JobMessage, { type: 'tasks.take' }>;
type GroupedJob = Pick<JobRecord, 'owner' | 'project' | 'queueId'>;

/** A cap of an owner or project, implemented a second time from docs/policy.md#caps. */
interface GroupCap {
  readonly by: 'owner' | 'project';
  readonly name: string;
  /** Null: in the whole farm. */
  readonly queueId: QueueId | null;
  readonly cap: number;
}

const capIn = (caps: Readonly<Record<string, number>> = {}, name: string): number =>
  caps[name] ?? caps['*'] ?? 0;

/** Returns the caps under which tasks of the job run. */
function capsOf({ record, queues }: FarmState, { owner, project, queueId }: GroupedJob): readonly GroupCap[] {
  const queue = queues.get(queueId);
  const all: readonly GroupCap[] = [
    { by: 'owner', name: owner, queueId: null, cap: capIn(record.ownerCaps, owner) },
    { by: 'project', name: project, queueId: null, cap: capIn(record.projectCaps, project) },
    { by: 'owner', name: owner, queueId, cap: capIn(queue?.ownerCaps, owner) },
    { by: 'project', name: project, queueId, cap: capIn(queue?.projectCaps, project) },
  ];
  return all.filter(({ cap }) => cap > 0);
}

const isUnder = ({ by, name, queueId }: GroupCap, job: GroupedJob): boolean =>
  job[by] === name && (queueId === null || queueId === job.queueId);

const liveUnder = (cap: GroupCap, jobs: readonly JobState[]): number =>
  jobs.reduce((sum, { record, openAttempts }) => sum + (isUnder(cap, record) ? openAttempts.size : 0), 0);

/** Reports whether the caps of owner and project have room for one more task of the job. */
export const hasGroupRoom = (farm: FarmState, jobs: readonly JobState[], job: JobState): boolean =>
  capsOf(farm, job.record).every((cap) => liveUnder(cap, jobs) < cap.cap);

/** Returns the cap of an owner or project that the job's tasks exceed, as text; null if none. */
export function exceededGroup(farm: FarmState, jobs: readonly JobState[], job: JobState): string | null {
  for (const cap of capsOf(farm, job.record)) {
    const live = liveUnder(cap, jobs);
    const where = cap.queueId ?? 'the farm';
    if (live > cap.cap) return `${cap.by} ${cap.name} has ${live} live tasks in ${where}, ${cap.cap} allowed`;
  }
  return null;
}

/** Live tasks of owners and projects before each lease of a turn: those of the lease actor after it, without its leases. */
export class GroupBooks {
  private readonly lease: LeaseState;
  private readonly farm: FarmState;
  private readonly more: { readonly job: GroupedJob; readonly count: number }[] = [];

  constructor(lease: LeaseState, farm: FarmState, takes: readonly Take[]) {
    this.lease = lease;
    this.farm = farm;
    for (const { pick } of takes) {
      const job = lease.index.entry(pick.jobId, pick.stepOrder);
      const count = pick.ranges.reduce((sum, range) => sum + range.count, 0);
      if (job !== undefined) this.more.push({ job, count: -count });
    }
  }

  hasRoom({ record }: JobState): boolean {
    return capsOf(this.farm, record).every((cap) => {
      let live = 0;
      for (const step of this.lease.index.allSteps()) if (isUnder(cap, step)) live += step.live;
      for (const { job, count } of this.more) if (isUnder(cap, job)) live += count;
      return live < cap.cap;
    });
  }

  take({ record }: JobState): void {
    this.more.push({ job: record, count: 1 });
  }
}
