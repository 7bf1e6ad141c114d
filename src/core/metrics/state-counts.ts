import { isTerminalJob, type JobStatus, type TerminalJobStatus } from '../lifecycle/job-transitions.ts';
import type { Change } from '../records/change-set.ts';
import type { JobRecord } from '../records/job.ts';
import type { WorkerStatus } from '../records/worker.ts';

/** Jobs that have ended stay in the store for as long as anybody likes: only those that have not are counted. */
export type ActiveJobStatus = Exclude<JobStatus, TerminalJobStatus>;

/** How many there are of what the store holds. */
export interface StateCounts {
  readonly jobs: Readonly<Record<ActiveJobStatus, number>>;
  /** Tasks of jobs that have not ended; `unschedulable` ones are among the ready. */
  readonly tasks: Readonly<Record<'pending' | 'ready' | 'assigned' | 'running' | 'unschedulable', number>>;
  readonly workers: Readonly<Record<WorkerStatus, number>>;
}

export const NO_COUNTS: StateCounts = {
  jobs: { pending: 0, blocked: 0, paused: 0, running: 0 },
  tasks: { pending: 0, ready: 0, assigned: 0, running: 0, unschedulable: 0 },
  workers: { online: 0, offline: 0, disabled: 0 },
};

/** What one active job counts for. */
type JobShare = Pick<JobRecord, 'taskCounts'> & { readonly status: ActiveJobStatus };

/** Follows the commits of one shard, so that asking for the counts looks at no job and no worker. */
export class StateCounter {
  private readonly jobs = new Map<string, JobShare>();
  private readonly workers = new Map<string, WorkerStatus>();
  private readonly counted = {
    jobs: { ...NO_COUNTS.jobs },
    tasks: { ...NO_COUNTS.tasks },
    workers: { ...NO_COUNTS.workers },
  };

  /** Changes that are on disk, in their order. */
  apply(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.op === 'put') {
        if (change.table === 'job') this.noteJob(change.key, change.value);
        else if (change.table === 'worker') this.noteWorker(change.key, change.value.status);
      } else if (change.op === 'remove') {
        if (change.table === 'job') this.noteJob(change.key, null);
        else if (change.table === 'worker') this.noteWorker(change.key, null);
      }
    }
  }

  counts(): StateCounts {
    const { jobs, tasks, workers } = this.counted;
    return { jobs: { ...jobs }, tasks: { ...tasks }, workers: { ...workers } };
  }

  /** The job as it is now; null when it is gone. */
  noteJob(id: string, job: Pick<JobRecord, 'status' | 'taskCounts'> | null): void {
    const before = this.jobs.get(id);
    if (before !== undefined) this.countJob(before, -1);
    const after = job === null ? null : shareOf(job);
    if (after === null) {
      this.jobs.delete(id);
      return;
    }
    this.jobs.set(id, after);
    this.countJob(after, 1);
  }

  /** The worker as it is now; null when it is gone. */
  noteWorker(id: string, status: WorkerStatus | null): void {
    const before = this.workers.get(id);
    if (before !== undefined) this.counted.workers[before]--;
    if (status === null) {
      this.workers.delete(id);
      return;
    }
    this.workers.set(id, status);
    this.counted.workers[status]++;
  }

  private countJob({ status, taskCounts }: JobShare, sign: 1 | -1): void {
    const { jobs, tasks } = this.counted;
    jobs[status] += sign;
    tasks.pending += sign * taskCounts.pending;
    tasks.ready += sign * taskCounts.ready;
    tasks.assigned += sign * taskCounts.assigned;
    tasks.running += sign * taskCounts.running;
    tasks.unschedulable += sign * taskCounts.unschedulable;
  }
}

const shareOf = ({ status, taskCounts }: Pick<JobRecord, 'status' | 'taskCounts'>): JobShare | null =>
  isTerminalJob(status) ? null : { status, taskCounts };

/** The sum over shards. */
export function sumStates(all: Iterable<StateCounts>): StateCounts {
  const sum = {
    jobs: { ...NO_COUNTS.jobs },
    tasks: { ...NO_COUNTS.tasks },
    workers: { ...NO_COUNTS.workers },
  };
  for (const { jobs, tasks, workers } of all) {
    addTo(sum.jobs, jobs);
    addTo(sum.tasks, tasks);
    addTo(sum.workers, workers);
  }
  return sum;
}

function addTo<Name extends string>(sum: Record<Name, number>, more: Readonly<Record<Name, number>>): void {
  for (const name of Object.keys(sum) as Name[]) sum[name] += more[name];
}
