/**
 * Invariants: the counts are the sums over the known jobs, workers and bookings; only jobs that have not ended are
 * known. Exits: a job leaves when it ends or is deleted, a worker when it is deleted.
 */

import { isTerminalJob, type JobStatus, type TerminalJobStatus } from '../lifecycle/job-transitions.ts';
import type { Change } from '../records/change-set.ts';
import type { JobRecord } from '../records/job.ts';
import { heldBookings, type BookingRecord, type WorkerRecord, type WorkerStatus } from '../records/worker.ts';

/** Only jobs that have not ended are counted, because ended jobs may stay in the store indefinitely. */
export type ActiveJobStatus = Exclude<JobStatus, TerminalJobStatus>;

/** Counts of the records in the store. */
export interface StateCounts {
  readonly jobs: Readonly<Record<ActiveJobStatus, number>>;
  /** Tasks of jobs that have not ended; `unschedulable` ones are included in the ready ones. */
  readonly tasks: Readonly<Record<'pending' | 'ready' | 'assigned' | 'running' | 'unschedulable', number>>;
  readonly workers: Readonly<Record<WorkerStatus, number>>;
  /** `total`: cores of online workers. `committed`: cores that live tasks hold, on any worker. */
  readonly cores: Readonly<Record<'total' | 'committed', number>>;
}

/** Load of the service, from the latest reports of its shards. */
export interface ServiceActivity {
  readonly state: StateCounts;
  /** Number of parked lease requests. */
  readonly parkedRequests: number;
  /** Tasks assigned to workers in the last second. */
  readonly leasedPerSecond: number;
}

export const NO_COUNTS: StateCounts = {
  jobs: { pending: 0, blocked: 0, paused: 0, running: 0 },
  tasks: { pending: 0, ready: 0, assigned: 0, running: 0, unschedulable: 0 },
  workers: { online: 0, offline: 0, disabled: 0 },
  cores: { total: 0, committed: 0 },
};

/** Contribution of one active job. */
type JobShare = Pick<JobRecord, 'taskCounts'> & { readonly status: ActiveJobStatus };

type WorkerShare = Pick<WorkerRecord, 'status' | 'cpuCount'>;

/** Follows the commits of one shard, so that reading the counts visits no jobs or workers. */
export class StateCounter {
  private readonly jobs = new Map<string, JobShare>();
  private readonly workers = new Map<string, WorkerShare>();
  /** Cores that live tasks hold, by worker. */
  private readonly held = new Map<string, number>();
  private readonly counted = {
    jobs: { ...NO_COUNTS.jobs },
    tasks: { ...NO_COUNTS.tasks },
    workers: { ...NO_COUNTS.workers },
    cores: { ...NO_COUNTS.cores },
  };

  /** Applies committed changes in their order. */
  apply(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.op === 'put') {
        if (change.table === 'job') this.noteJob(change.key, change.value);
        else if (change.table === 'worker') this.noteWorker(change.key, change.value);
        else if (change.table === 'booking') this.noteBooking(change.key, change.value);
      } else if (change.op === 'remove') {
        if (change.table === 'job') this.noteJob(change.key, null);
        else if (change.table === 'worker') this.noteWorker(change.key, null);
        else if (change.table === 'booking') this.noteBooking(change.key, null);
      }
    }
  }

  counts(): StateCounts {
    const { jobs, tasks, workers, cores } = this.counted;
    return { jobs: { ...jobs }, tasks: { ...tasks }, workers: { ...workers }, cores: { ...cores } };
  }

  /** Updates a job; null if it was deleted. */
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

  /** Updates a worker; null if it was deleted. */
  noteWorker(id: string, worker: WorkerShare | null): void {
    const before = this.workers.get(id);
    if (before !== undefined) this.countWorker(before, -1);
    if (worker === null) {
      this.workers.delete(id);
      return;
    }
    const after = { status: worker.status, cpuCount: worker.cpuCount };
    this.workers.set(id, after);
    this.countWorker(after, 1);
  }

  /** Updates the booking of a worker; null if the worker was deleted. */
  noteBooking(id: string, booking: BookingRecord | null): void {
    const holding = booking === null ? [] : heldBookings(booking);
    const after = holding.reduce((cores, held) => cores + held.cores, 0);
    this.counted.cores.committed += after - (this.held.get(id) ?? 0);
    if (after === 0) this.held.delete(id);
    else this.held.set(id, after);
  }

  private countWorker({ status, cpuCount }: WorkerShare, sign: 1 | -1): void {
    this.counted.workers[status] += sign;
    if (status === 'online') this.counted.cores.total += sign * cpuCount;
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

/** Returns the sum over shards. */
export function sumStates(all: Iterable<StateCounts>): StateCounts {
  const sum = {
    jobs: { ...NO_COUNTS.jobs },
    tasks: { ...NO_COUNTS.tasks },
    workers: { ...NO_COUNTS.workers },
    cores: { ...NO_COUNTS.cores },
  };
  for (const { jobs, tasks, workers, cores } of all) {
    addTo(sum.jobs, jobs);
    addTo(sum.tasks, tasks);
    addTo(sum.workers, workers);
    addTo(sum.cores, cores);
  }
  return sum;
}

function addTo<Name extends string>(sum: Record<Name, number>, more: Readonly<Record<Name, number>>): void {
  for (const name of Object.keys(sum) as Name[]) sum[name] += more[name];
}
