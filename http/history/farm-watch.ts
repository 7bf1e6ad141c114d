/**
 * States: between two scans (`#scan` is null), scanning. Invariants: observations and samples change only at the end of
 * a scan; a minute gets at most one sample. Exits: a deleted farm is dropped with the next scan that ends a minute.
 */

import type { OwnerScope } from '../../src/core/access/owner-scope.ts';
import { farmId, parseAttemptId, type FarmId } from '../../src/core/ids.ts';
import {
  busiest,
  columnsOf,
  FarmSamples,
  isEmptySample,
  sampleInScope,
  MINUTE_MS,
  SHARES_KEPT,
  type FarmColumns,
  type FarmSample,
  type SampleShare,
} from '../../src/core/history/farm-samples.ts';
import type { EndedTasks, JobActivity, QueueLoad } from '../../src/core/history/job-activity.ts';
import type { StateCounts } from '../../src/core/metrics/state-counts.ts';
import { LoadSamples, type LoadPoint } from '../../src/core/history/load-samples.ts';
import type { BookingRecord } from '../../src/core/records/worker.ts';
import { keys } from '../../src/core/records/tables.ts';
import type { CurrentState, JobLists } from '../lists/job-lists.ts';

/** Workers that one step reads, which takes a few milliseconds. */
const WORKERS_AT_ONCE = 100;
/** Maximum number of farms with a history. */
const FARMS_MAX = 64;

/** Observations of the workers of one farm. */
interface FarmObservation {
  coresTotal: number;
  coresBooked: number;
  workersOnline: number;
  readonly queues: Map<string, number>;
  readonly owners: Map<string, number>;
  readonly projects: Map<string, number>;
}

/** Scan of all workers in progress. */
interface WorkerScan {
  /** Key of the last worker that was read; empty before the first. */
  after: string;
  readonly farms: Map<string, FarmObservation>;
  /** Booked cores by online worker. */
  readonly booked: Map<string, number>;
}

/** Stores a sample of a farm for later processes. */
export type KeepSample = (farm: FarmId, sample: FarmSample) => void;

/** Latest observation of a farm. Ended tasks are not in it, because they are counted per minute. */
export type FarmNow = FarmSample;

/**
 * Records the load of farms and workers: scans the workers periodically, follows the rows of jobs, and keeps a sample
 * per minute in memory. Samples of farms are also stored, so that they survive a restart. It reads the store on the main thread, a few workers at a time, and takes no part in leases.
 */
export class FarmWatch {
  readonly #state: CurrentState;
  readonly #jobs: JobActivity;
  readonly #lists: Pick<JobLists, 'bringUpToDate'>;
  readonly #now: () => number;
  readonly #samples = new Map<string, FarmSamples>();
  readonly #workers = new LoadSamples();
  readonly #pools = new LoadSamples();
  readonly #latest = new Map<string, FarmNow>();
  #scan: WorkerScan | null = null;
  #keep: KeepSample = () => undefined;
  #tally: (slot: number) => number = () => 0;
  /** Minute of the last sample, or of the start: minutes since the epoch. */
  #minute: number;

  /** `now` returns milliseconds since the epoch. The job lists notify `jobs` of the rows of jobs. */
  constructor(
    state: CurrentState,
    jobs: JobActivity,
    lists: Pick<JobLists, 'bringUpToDate'>,
    now: () => number,
  ) {
    this.#state = state;
    this.#jobs = jobs;
    this.#lists = lists;
    this.#now = now;
    this.#minute = minuteOf(now());
  }

  /** Calls `keep` with each later sample, except those of minutes in which nothing happened. */
  keepSamples(keep: KeepSample): void {
    this.#keep = keep;
  }

  /** Samples the usage pools from now on. `tally` returns the claimed slots of a pool by its slot number. */
  samplePools(tally: (slot: number) => number): void {
    this.#tally = tally;
  }

  /**
   * Runs one step of a scan; returns false after the last one. Then the results take effect, and a minute that has
   * ended gets its sample.
   */
  scanNext(): boolean {
    const scan = (this.#scan ??= this.#newScan());
    this.#state.renew();
    const { store } = this.#state;
    const after = scan.after === '' ? {} : { after: scan.after };
    let read = 0;
    for (const { key, value: worker } of store.scan('worker', { ...after, limit: WORKERS_AT_ONCE })) {
      read += 1;
      scan.after = key;
      const farm = seenOf(scan.farms, worker.farmId);
      const booked = this.#addBooking(farm, store.get('booking', keys.booking(worker.id)));
      if (worker.status !== 'online') continue;
      farm.workersOnline += 1;
      farm.coresTotal += worker.cpuCount;
      scan.booked.set(worker.id, booked);
    }
    if (read === WORKERS_AT_ONCE) return true;
    this.#scan = null;
    this.#finish(scan);
    return false;
  }

  /** Reads the jobs before the bookings, so that they are known, except those created meanwhile. */
  #newScan(): WorkerScan {
    this.#lists.bringUpToDate();
    return { after: '', farms: new Map(), booked: new Map() };
  }

  /** Adds the cores of a worker's booking. Returns their number. */
  #addBooking(farm: FarmObservation, record: BookingRecord | undefined): number {
    let sum = 0;
    for (const { attemptId, cores } of record?.bookings ?? []) {
      sum += cores;
      const side = this.#jobs.sideOf(parseAttemptId(attemptId)?.jobId ?? '');
      if (side === null) continue;
      farm.queues.set(side.queueId, (farm.queues.get(side.queueId) ?? 0) + cores);
      farm.owners.set(side.owner, (farm.owners.get(side.owner) ?? 0) + cores);
      farm.projects.set(side.project, (farm.projects.get(side.project) ?? 0) + cores);
    }
    farm.coresBooked += sum;
    return sum;
  }

  #finish({ farms, booked }: WorkerScan): void {
    this.#lists.bringUpToDate();
    const now = this.#now();
    const ids = [...this.#state.store.scan('farm', { limit: FARMS_MAX })].map(({ value }) => value.id);
    const isMinuteOver = minuteOf(now) > this.#minute;
    this.#minute = Math.max(this.#minute, minuteOf(now));
    const endOfMinute = this.#minute * MINUTE_MS;
    this.#latest.clear();
    for (const id of ids) {
      const seen = seenOf(farms, id);
      this.#latest.set(id, this.#sampleOf(id, seen, now, NOTHING_ENDED));
      if (!isMinuteOver) continue;
      const sample = this.#sampleOf(id, seen, endOfMinute, this.#jobs.takeEnded(id));
      this.#samplesOf(id).push(sample);
      if (!isEmptySample(sample)) this.#keep(id, sample);
    }
    if (!isMinuteOver) return;
    this.#workers.push(endOfMinute, booked);
    const pools = [...this.#state.store.scan('usagePool')].map((row) => row.value);
    this.#pools.push(endOfMinute, new Map(pools.map(({ id, slot }) => [id, this.#tally(slot)])));
    const known = new Set<string>(ids);
    this.#jobs.keepOnly(known);
    for (const id of this.#samples.keys()) if (!known.has(id)) this.#samples.delete(id);
  }

  #sampleOf(
    id: string,
    seen: FarmObservation,
    at: number,
    ended: ReturnType<JobActivity['takeEnded']>,
  ): FarmSample {
    const { coresTotal, coresBooked, workersOnline } = seen;
    return {
      at,
      coresTotal,
      coresBooked,
      workersOnline,
      ...this.#jobs.tasks(id),
      ...ended.all,
      queues: sharesOf(seen.queues, ended.queues),
      owners: sharesOf(seen.owners, ended.owners),
      projects: sharesOf(seen.projects, ended.projects),
    };
  }

  /** Returns the last minutes of a farm as a reader with a scope may see them, one point per `stepMinutes` minutes. */
  farm(id: string, minutes: number, stepMinutes: number, scope: OwnerScope): FarmColumns {
    const from = (this.#minute - minutes) * MINUTE_MS;
    const samples = this.#samplesOf(id).since(from);
    const visible = scope === null ? samples : samples.map((sample) => sampleInScope(sample, scope));
    return columnsOf(visible, stepMinutes);
  }

  /** Returns the samples of a farm. The first time, reads those of earlier processes: some milliseconds. */
  #samplesOf(id: string): FarmSamples {
    const known = this.#samples.get(id);
    if (known !== undefined) return known;
    const rows = this.#state.store.scan('farmSample', { prefix: keys.farmSamplesOf(farmId(id)) });
    const samples = new FarmSamples(
      [...rows].map(({ value }) => value.sample),
      this.#now(),
    );
    this.#samples.set(id, samples);
    return samples;
  }

  /** Returns the latest observation of a farm as a reader with a scope may see it; null before the first. */
  farmNow(id: string, scope: OwnerScope): FarmNow | null {
    const latest = this.#latest.get(id) ?? null;
    if (latest === null || scope === null) return latest;
    const { ready, assigned, running } = this.#jobs.tasksOf(scope, id);
    return { ...sampleInScope(latest, scope), ready, live: assigned + running };
  }

  /** Returns the tasks of an owner's jobs that have not ended. `ownerKey` is in the form of `usernameKey`. */
  tasksOf(ownerKey: string): StateCounts['tasks'] {
    this.#lists.bringUpToDate();
    return this.#jobs.tasksOf(ownerKey, null);
  }

  /** Returns the last minutes of a worker. */
  worker(id: string, minutes: number): readonly LoadPoint[] {
    return this.#workers.since(id, (this.#minute - minutes) * MINUTE_MS);
  }

  /** Returns the claimed slots of a usage pool in the last minutes, since the start of the service at most. */
  pool(id: string, minutes: number): readonly LoadPoint[] {
    return this.#pools.since(id, (this.#minute - minutes) * MINUTE_MS);
  }

  /** Returns the tasks of the jobs in a scope that have not ended, by queue. */
  queueLoads(scope: OwnerScope): ReadonlyMap<string, QueueLoad> {
    this.#lists.bringUpToDate();
    return this.#jobs.queueLoads(scope);
  }

  /** Returns the number of paused jobs of a farm and scope with ready tasks, and the number of these tasks. */
  paused(id: string, scope: OwnerScope): { readonly jobs: number; readonly tasks: number } {
    this.#lists.bringUpToDate();
    return scope === null ? this.#jobs.paused(id) : this.#jobs.pausedOf(scope, id);
  }
}

const minuteOf = (at: number): number => Math.floor(at / MINUTE_MS);

const NOTHING_ENDED = {
  all: { succeeded: 0, failed: 0 },
  queues: new Map(),
  owners: new Map(),
  projects: new Map(),
} as const;

function seenOf(farms: Map<string, FarmObservation>, id: string): FarmObservation {
  const known = farms.get(id);
  if (known !== undefined) return known;
  const seen = {
    coresTotal: 0,
    coresBooked: 0,
    workersOnline: 0,
    queues: new Map(),
    owners: new Map(),
    projects: new Map(),
  };
  farms.set(id, seen);
  return seen;
}

function sharesOf(
  cores: ReadonlyMap<string, number>,
  ended: ReadonlyMap<string, EndedTasks>,
): readonly SampleShare[] {
  const shares = [...new Set([...cores.keys(), ...ended.keys()])].map((key) => ({
    key,
    coresBooked: cores.get(key) ?? 0,
    succeeded: ended.get(key)?.succeeded ?? 0,
    failed: ended.get(key)?.failed ?? 0,
  }));
  return busiest(shares, SHARES_KEPT);
}
