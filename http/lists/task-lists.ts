/**
 * Invariants: a block is used only if its version has not changed since it was read; the caches are bounded by bytes,
 * steps and jobs, the most recently requested last. Exits: eviction of the least recently requested, or a job that does
 * not exist any more.
 */

import { PAGES_PER_BLOCK, StepTasks } from '../../src/core/lists/step-tasks.ts';
import { jobId, type JobId } from '../../src/core/ids.ts';
import type { PageVersions } from '../../src/core/ports/committed-changes.ts';
import type { JobRecord } from '../../src/core/records/job.ts';
import type { StepRecord } from '../../src/core/records/step.ts';
import { keys, lastNumberOfKey } from '../../src/core/records/tables.ts';
import { shapesOf, spacesOf, type ShapeOf, type SpaceOf } from '../views/job-spaces.ts';
import { takeSnapshot, type CurrentState } from './job-lists.ts';

/** Memory for the states of tasks of recently requested jobs: seven million tasks. */
const KEPT_BYTES = 64 * 2 ** 20;
const KEPT_STEPS = 1000;
/** Maximum number of jobs whose parameter spaces are kept. Their size depends on the template. */
const KEPT_JOBS = 64;

/** Tasks of one job in the newest committed state. Valid only in the turn in which it was returned. */
export interface OpenTaskList {
  readonly job: JobRecord;
  readonly steps: readonly StepRecord[];
  readonly tasksOf: (step: StepRecord) => StepTasks;
  readonly shapeOf: ShapeOf;
  readonly spaceOf: SpaceOf;
}

/** Data of a job that never changes, and its steps: of these only the number of tasks is used, which may change. */
interface KnownJob {
  steps: readonly StepRecord[];
  readonly shapeOf: ShapeOf;
  readonly spaceOf: SpaceOf;
}

interface KeptStep {
  readonly tasks: StepTasks;
  /** Version of the pages by block when they were read; null before, and if a page was being written. */
  readonly versions: (number | null)[];
}

/**
 * Caches the status and time of tasks of recently listed jobs, and reads only blocks of pages that have changed
 * (docs/decisions/lists.md).
 */
export class TaskLists {
  readonly #state: CurrentState;
  readonly #versions: PageVersions;
  /** By key of the step; the most recently requested one comes last. */
  readonly #kept = new Map<string, KeptStep>();
  /** The most recently requested one comes last. */
  readonly #jobs = new Map<JobId, KnownJob>();

  constructor(state: CurrentState, versions: PageVersions) {
    this.#state = state;
    this.#versions = versions;
  }

  /** Returns the task list of a job, or null if there is no such job. Later reads of this turn see the same state. */
  open(id: string): OpenTaskList | null {
    this.#evict(jobId(id));
    const { store, renew } = this.#state;
    const known = this.#jobOf(jobId(id));
    // The snapshot is taken afterwards, so its pages have at least these versions.
    const versions = new Map(known.steps.map((step) => [step.order, this.#versionsOf(step)]));
    renew();
    takeSnapshot(store);
    const job = store.get('job', keys.job(jobId(id)));
    if (job === undefined) {
      this.#jobs.delete(jobId(id));
      return null;
    }
    const steps = this.#stepsOf(job.id);
    known.steps = steps;
    return {
      job,
      steps,
      tasksOf: (step) => this.#tasksOf(step, versions.get(step.order) ?? []),
      shapeOf: known.shapeOf,
      spaceOf: known.spaceOf,
    };
  }

  #jobOf(id: JobId): KnownJob {
    const kept = this.#jobs.get(id);
    if (kept !== undefined && kept.steps.length > 0) {
      this.#jobs.delete(id);
      this.#jobs.set(id, kept);
      return kept;
    }
    const { store, renew } = this.#state;
    renew();
    const shapeOf = shapesOf(store, id);
    const known = { steps: this.#stepsOf(id), shapeOf, spaceOf: spacesOf(store, id, shapeOf) };
    this.#jobs.set(id, known);
    for (const oldest of this.#jobs.keys()) {
      if (this.#jobs.size <= KEPT_JOBS) break;
      this.#jobs.delete(oldest);
    }
    return known;
  }

  #stepsOf(id: JobId): readonly StepRecord[] {
    return [...this.#state.store.scan('step', { prefix: keys.stepsOf(id) })].map((row) => row.value);
  }

  #versionsOf(step: StepRecord): readonly (number | null)[] {
    const blocks = new StepTasks(step.taskCount).blockCount;
    return Array.from({ length: blocks }, (_, block) =>
      this.#versions.readableVersion(step.jobId, step.order, block),
    );
  }

  #tasksOf(step: StepRecord, before: readonly (number | null)[]): StepTasks {
    const kept = this.#keptOf(step);
    const { tasks, versions } = kept;
    for (let block = 0; block < tasks.blockCount;) {
      let end = block;
      while (end < tasks.blockCount && this.#isOld(step, end, versions)) end += 1;
      if (end > block) {
        this.#read(step, tasks, block, end);
        for (let each = block; each < end; each += 1) versions[each] = before[each] ?? null;
      }
      block = end + 1;
    }
    return tasks;
  }

  #isOld(step: StepRecord, block: number, versions: readonly (number | null)[]): boolean {
    return versions[block] !== this.#versions.of(step.jobId, step.order, block);
  }

  #read(step: StepRecord, tasks: StepTasks, from: number, to: number): void {
    for (let block = from; block < to; block += 1) tasks.clear(block);
    const prefix = keys.taskPagesOf(step.jobId, step.order);
    const last = from * PAGES_PER_BLOCK - 1;
    const after = last < 0 ? {} : { after: keys.taskPage(step.jobId, step.order, last) };
    for (const { key, value } of this.#state.store.scan('taskPage', { prefix, ...after })) {
      const number = lastNumberOfKey(key);
      if (number >= to * PAGES_PER_BLOCK) return;
      tasks.addPage(number, value);
    }
  }

  #keptOf(step: StepRecord): KeptStep {
    const key = keys.step(step.jobId, step.order);
    const kept = this.#kept.get(key);
    // Chunks that change their size change the number of tasks.
    const known = kept?.tasks.taskCount === step.taskCount ? kept : undefined;
    const tasks = known?.tasks ?? new StepTasks(step.taskCount);
    const latest = known ?? { tasks, versions: Array.from({ length: tasks.blockCount }, () => null) };
    this.#kept.delete(key);
    this.#kept.set(key, latest);
    return latest;
  }

  /**
   * Evicts the least recently requested steps, but never those of the job that is about to be listed. Checks every
   * cached step, so it is called once per list, not per step.
   */
  #evict(listed: JobId): void {
    let bytes = 0;
    for (const { tasks } of this.#kept.values()) bytes += tasks.bytes;
    for (const [key, { tasks }] of this.#kept) {
      if (bytes <= KEPT_BYTES && this.#kept.size <= KEPT_STEPS) return;
      if (key.startsWith(keys.stepsOf(listed))) continue;
      this.#kept.delete(key);
      bytes -= tasks.bytes;
    }
  }
}
