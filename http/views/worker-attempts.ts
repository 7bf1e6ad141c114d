import { parseAttemptId, stepIdOf, taskIdOf, type AttemptAddress, type JobId } from '../../src/core/ids.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import type { AttemptRecord } from '../../src/core/records/attempt.ts';
import type { JobRecord } from '../../src/core/records/job.ts';
import { readAttempt } from '../../src/core/records/open-attempt.ts';
import type { StepRecord } from '../../src/core/records/step.ts';
import { keys } from '../../src/core/records/tables.ts';
import { readTask } from '../../src/core/records/task-page.ts';
import { indexedAttempts } from '../../src/core/records/attempts-of-worker.ts';
import type { WorkerRecord } from '../../src/core/records/worker.ts';
import { timestampOf } from '../../src/core/timestamp.ts';
import { taskNameOf } from '../../src/openjd/template/task-name.ts';
import { spacesOf, type SpaceOf } from './job-spaces.ts';
import type { Schemas } from './schemas.ts';
import type { VisibleJobs } from './visible-jobs.ts';

/** Attempts that ran at some time from `since` to before `until`, in milliseconds since the epoch. */
export interface AttemptRange {
  readonly since: number;
  readonly until: number;
}

/** Maximum number of entries of the index that one page examines. */
export const EXAMINED_MAX = 2_000;

interface KnownJob {
  readonly record: JobRecord;
  readonly spaceOf: SpaceOf;
  readonly steps: Map<number, StepRecord | undefined>;
}

/** Builds views of attempts of workers, of the jobs that the reader may see. Reads each job once, so it is valid in one turn. */
export class WorkerAttempts {
  readonly #store: StoreReader;
  readonly #visible: VisibleJobs;
  readonly #jobs = new Map<JobId, KnownJob | undefined>();

  constructor(store: StoreReader, visible: VisibleJobs) {
    this.#store = store;
    this.#visible = visible;
  }

  /** Returns the open attempts of a worker, the latest start first. */
  open(worker: WorkerRecord, { until }: AttemptRange): Schemas['WorkerAttempt'][] {
    const { bookings } = this.#store.get('booking', keys.booking(worker.id)) ?? { bookings: [] };
    const open = bookings.flatMap(({ attemptId }) => {
      const address = parseAttemptId(attemptId);
      const record = address === null ? undefined : this.#openAttempt(worker, address);
      if (address === null || record?.endedAt !== undefined) return [];
      return record === undefined || record.startedAt >= until ? [] : [{ address, record }];
    });
    return open
      .sort((one, other) => other.record.startedAt - one.record.startedAt)
      .flatMap(({ address, record }) => this.#view(address, record) ?? []);
  }

  /** Returns closed attempts of a worker, the latest end first. `before`: `next` of the page before. */
  closed(
    worker: WorkerRecord,
    { since, until }: AttemptRange,
    before: string | null,
    limit: number,
  ): Schemas['WorkerAttemptPage'] {
    const items: Schemas['WorkerAttempt'][] = [];
    let examined = 0;
    let next = before;
    for (const { attempt, endedAt, place } of indexedAttempts(this.#store, worker.id, before)) {
      if (endedAt < since) break;
      if (next !== null && (items.length >= limit || examined >= EXAMINED_MAX)) return { items, next };
      examined++;
      next = place;
      const record = this.#store.get('attempt', keys.attempt(attempt, attempt.attemptNumber));
      if (record === undefined || record.startedAt >= until) continue;
      const item = this.#view(attempt, record);
      if (item !== null) items.push(item);
    }
    return { items };
  }

  #openAttempt({ farmId }: WorkerRecord, address: AttemptAddress): AttemptRecord | undefined {
    const page = this.#store.get('taskPage', keys.taskPageOf(address));
    const task = page === undefined ? null : readTask(page, address.index);
    return task === null
      ? undefined
      : readAttempt(this.#store, { farmId, address, task }, address.attemptNumber);
  }

  /** Returns null for an attempt of a job that the reader may not see, or that was deleted. */
  #view(address: AttemptAddress, record: AttemptRecord): Schemas['WorkerAttempt'] | null {
    const { jobId, stepOrder, index, attemptNumber } = address;
    if (!this.#visible.has(jobId)) return null;
    const job = this.#job(jobId);
    const step = job === undefined ? undefined : this.#step(job, stepOrder);
    if (job === undefined || step === undefined) return null;
    const { exitCode, message, reclaimed, endedAt } = record;
    return {
      job_id: jobId,
      job_name: job.record.name,
      step_id: stepIdOf(jobId, stepOrder),
      step_name: step.name,
      task_id: taskIdOf(address),
      task_name: taskNameOf(step.name, job.spaceOf(step).at(index)),
      attempt_number: attemptNumber,
      status: record.status,
      ...(exitCode !== undefined && { exit_code: exitCode }),
      ...(message !== '' && { message }),
      ...(reclaimed === true && { reclaimed }),
      started_at: timestampOf(record.startedAt),
      ...(endedAt !== undefined && { ended_at: timestampOf(endedAt) }),
    };
  }

  #job(id: JobId): KnownJob | undefined {
    if (this.#jobs.has(id)) return this.#jobs.get(id);
    const record = this.#store.get('job', keys.job(id));
    const known =
      record === undefined ? undefined : { record, spaceOf: spacesOf(this.#store, id), steps: new Map() };
    this.#jobs.set(id, known);
    return known;
  }

  #step({ record, steps }: KnownJob, order: number): StepRecord | undefined {
    if (!steps.has(order)) steps.set(order, this.#store.get('step', keys.step(record.id, order)));
    return steps.get(order);
  }
}
