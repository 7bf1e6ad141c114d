import { isDeepStrictEqual } from 'node:util';
import type { JobSubmission } from '../../actors/service/farm/messages.ts';
import type { JobUpdate, RetryRequest, RetryResult, RetryTarget } from '../../actors/service/job/messages.ts';
import type { JobId, QueueId } from '../../src/core/ids.ts';
import type { JobPlan } from '../../src/openjd/template/plan.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import type { JobRecord } from '../../src/core/records/job.ts';
import { keys } from '../../src/core/records/tables.ts';
import type { StepRecord } from '../../src/core/records/step.ts';
import type { SkipNote } from '../../src/core/records/task-text.ts';
import { pageOf, readTask } from '../../src/core/records/task-page.ts';
import { ask, type ClientWorld } from './client-port.ts';
import { rulesOfJob } from './retry-rule-plans.ts';
import { ownerOf, projectOf } from './share-plans.ts';
import { capsOfJob, changeOfCaps, NO_CAPS } from './cap-plans.ts';
import { canariesOf } from './guard-plans.ts';
import { randomPlan, randomRetry } from './job-plans.ts';

/** A job that a client has submitted. */
interface OwnJob {
  readonly id: JobId;
  readonly plan: JobPlan;
  /** Its deletion was requested, so it may be missing. */
  isDeletionPending: boolean;
  /** Number of requests for it. The result of an answered request holds until the next request. */
  requests: number;
}

const PRIORITIES = [10, 50, 50, 50, 90] as const;
const PAUSED_SHARE = 0.4;
const HELD_SHARE = 0.5;
const LATER_SHARE = 0.7;
const LATER_MAX_MS = 180_000;
/** One job in this number is submitted paused. */
const PAUSED_EVERY = 7;

/** Clients that submit jobs to a farm and control them: cancel, pause, resume, retry, change. */
export class JobClients {
  private readonly world: ClientWorld;
  private readonly queues: readonly QueueId[];
  private readonly jobs: OwnJob[] = [];
  private submitted = 0;
  private capChanges = 0;

  constructor(world: ClientWorld, queues: readonly QueueId[]) {
    this.world = world;
    this.queues = queues;
  }

  get mustSubmit(): boolean {
    return this.submitted < this.world.options.jobs;
  }

  get hasJobs(): boolean {
    return this.jobs.length > 0;
  }

  submit(): void {
    const { random, options, service, checker, farm } = this.world;
    const plan = randomPlan(`job${this.submitted++}`, random, options);
    const upstreams =
      random.chance(0.3) && this.jobs.length > 0 ? [random.pick(this.jobs), random.pick(this.jobs)] : [];
    const submission: JobSubmission = {
      queueId: random.pick(this.queues),
      plan,
      description: '',
      extensions: [],
      template: { text: 'name: simulated' },
      templateFormat: 'yaml',
      owner: options.shares || options.groupCaps ? ownerOf(this.submitted) : 'simulation',
      submitter: 'simulation',
      project: options.shares || options.groupCaps ? projectOf(this.submitted) : '',
      priority: random.pick(PRIORITIES),
      retry: { ...randomRetry(random), ...canariesOf(options, this.submitted) },
      ...(options.rules && { retryRules: rulesOfJob(this.submitted) }),
      ...(options.caps && { caps: capsOfJob(this.submitted) }),
      isPaused: this.submitted % PAUSED_EVERY === 0,
      product: null,
      upstreams: upstreams.flatMap(({ id }) => {
        const status = service.store.get('job', keys.job(id))?.status;
        return status === undefined ? [] : [{ jobId: id, status }];
      }),
    };
    ask<JobRecord>(
      this.world,
      (replyTo) => ({ actor: 'farm', id: farm, message: { type: 'job.submit', submission, replyTo } }),
      (outcome) => {
        if (!outcome.ok) return;
        const { id } = outcome.value;
        const own: OwnJob = { id, plan, isDeletionPending: false, requests: 0 };
        this.jobs.push(own);
        let tasks = 0;
        let plansSeen = 0;
        for (const step of plan.steps) tasks += step.taskCount;
        checker.promise((store) => {
          const job = store.get('job', keys.job(id));
          if (job === undefined) return this.mayBeGone(own) ? null : `job ${id} is missing`;
          // Chunks that change their size change the number of tasks.
          if (job.taskCounts.total !== tasks && plan.steps.every(({ chunks }) => chunks === undefined))
            return `job ${id} has ${job.taskCounts.total} tasks, not ${tasks}`;
          // A plan never changes: it is compared after the answer and once more later.
          if (plansSeen++ > 1) return null;
          return isDeepStrictEqual(store.get('plan', keys.plan(id)), plan)
            ? null
            : `the plan of job ${id} has changed`;
        });
      },
    );
  }

  cancelJob(): void {
    const job = this.anyJob();
    const { id } = job;
    const promise = this.promiser(job);
    ask<null>(
      this.world,
      (replyTo) => ({ actor: 'job', id, message: { type: 'job.cancel', replyTo } }),
      (outcome) => {
        if (!outcome.ok) return;
        promise((store) => {
          const status = store.get('job', keys.job(id))?.status;
          return status === 'canceled' ? null : `job ${id} was canceled and is ${status ?? 'missing'}`;
        });
      },
    );
  }

  /** Cancels a job and retries it at once, while its canceled attempts may still run. */
  cancelAndRetry(): void {
    const job = this.anyJob();
    const { id } = job;
    job.requests++;
    const settled = this.world.checker.undoing(id);
    ask<null>(
      this.world,
      (replyTo) => ({ actor: 'job', id, message: { type: 'job.cancel', replyTo } }),
      ({ ok }) => {
        settled();
        if (ok) this.retryOf(job, 'job', 'tasks', false);
      },
    );
  }

  cancelTask(): void {
    const job = this.anyJob();
    const { id } = job;
    const { stepOrder, index } = this.anyTask(job);
    const promise = this.promiser(job);
    ask<null>(
      this.world,
      (replyTo) => ({ actor: 'job', id, message: { type: 'task.cancel', stepOrder, index, replyTo } }),
      (outcome) => {
        if (!outcome.ok) return;
        promise((store) => {
          const page = store.get('taskPage', keys.taskPage(id, stepOrder, pageOf(index)));
          const status = page === undefined ? undefined : readTask(page, index)?.status;
          return status === 'canceled'
            ? null
            : `task ${index} of ${id} was canceled and is ${status ?? 'untouched'}`;
        });
      },
    );
  }

  deleteJob(): void {
    const { checker } = this.world;
    const job = this.anyJob();
    const { id } = job;
    job.requests++;
    job.isDeletionPending = true;
    const settled = checker.undoing(id);
    ask<null>(
      this.world,
      (replyTo) => ({ actor: 'job', id, message: { type: 'job.delete', replyTo } }),
      (outcome) => {
        settled();
        if (!outcome.ok && outcome.problem.kind !== 'not-found') return;
        checker.promise((store) =>
          store.get('job', keys.job(id)) === undefined ? null : `job ${id} was deleted and still exists`,
        );
      },
    );
  }

  pauseOrResume(): void {
    const { random } = this.world;
    this.update(this.anyJob(), {
      action: random.chance(PAUSED_SHARE) ? 'pause' : 'resume',
      ...(random.chance(0.1) ? { priority: random.pick(PRIORITIES) } : {}),
      retry: random.chance(0.1) ? randomRetry(random) : {},
    });
  }

  changeSettings(): void {
    const { random } = this.world;
    this.update(this.anyJob(), {
      ...(random.chance(0.5) ? { priority: random.pick(PRIORITIES) } : {}),
      retry: randomRetry(random),
      ...(this.world.options.rules && { retryRules: rulesOfJob(this.submitted + this.jobs.length) }),
      ...(this.world.options.caps && { caps: changeOfCaps(this.capChanges++) }),
    });
  }

  move(): void {
    const { random } = this.world;
    const update: JobUpdate = {
      ...(random.chance(0.2) ? { priority: random.pick(PRIORITIES) } : {}),
      ...(random.chance(0.2) ? { action: random.pick(['pause', 'resume'] as const) } : {}),
      retry: {},
    };
    this.update(this.anyJob(), update, random.pick(this.queues));
  }

  retry(): void {
    const { random } = this.world;
    const job = this.anyJob();
    const target: RetryTarget = random.chance(0.5) ? 'job' : this.anyTask(job);
    const scope = random.pick(['tasks', 'tasks', 'later steps', 'restore'] as const);
    this.retryOf(job, scope === 'restore' ? 'job' : target, scope, random.chance(0.1));
  }

  /** Skips one task, a step, or all failed tasks. */
  skip(): void {
    const { random } = this.world;
    const job = this.anyJob();
    const task = this.anyTask(job);
    const { stepOrder } = task;
    const targets: readonly RetryTarget[] = [
      task,
      { selection: { stepOrder } },
      { selection: { isFailed: true } },
    ];
    const scope = random.pick(['later steps', 'later steps', 'tasks'] as const);
    this.retryOf(job, random.pick(targets), scope, random.chance(0.1), { by: 'simulation', reason: '' });
  }

  holdOrRelease(): void {
    const { random } = this.world;
    const job = this.anyJob();
    const { stepOrder } = this.anyTask(job);
    const isHold = random.chance(HELD_SHARE);
    const promise = this.promiser(job);
    this.askToHold(job.id, stepOrder, isHold, () => {
      promise((store) => {
        const isHeld = store.get('step', keys.step(job.id, stepOrder))?.hold !== undefined;
        return isHeld === isHold ? null : `step ${stepOrder} of ${job.id} is held: ${isHeld}, not ${isHold}`;
      });
    });
  }

  /** Releases all held steps, also those with an unanswered hold. */
  releaseAll(): void {
    if (!this.world.options.holds) return;
    const { service, farm } = this.world;
    for (const job of this.jobs) job.requests++;
    for (const { value: job } of service.store.scan('job'))
      if (job.farmId === farm)
        for (const { value: step } of service.store.scan('step', { prefix: keys.stepsOf(job.id) }))
          this.askToHold(job.id, step.order, false, () => undefined);
  }

  private askToHold(id: JobId, stepOrder: number, isHold: boolean, onDone: () => void): void {
    const hold = isHold ? { by: 'simulation', reason: '' } : null;
    ask<StepRecord>(
      this.world,
      (replyTo) => ({ actor: 'job', id, message: { type: 'step.hold', stepOrder, hold, replyTo } }),
      ({ ok }) => {
        if (ok) onDone();
      },
    );
  }

  /** Sets the start time of a job, or removes it. */
  startLater(): void {
    const { random, service } = this.world;
    const job = this.anyJob();
    const record = service.store.get('job', keys.job(job.id));
    if (record === undefined) return;
    const startAfter = random.chance(LATER_SHARE) ? record.updatedAt + random.between(1, LATER_MAX_MS) : null;
    this.update(job, { startAfter, retry: {} });
  }

  /** Removes all start times. */
  startAll(): void {
    if (!this.world.options.starts) return;
    const { store } = this.world.service;
    for (const job of this.jobs)
      if (store.get('job', keys.job(job.id))?.startAfter !== undefined)
        this.update(job, { startAfter: null, retry: {} });
  }

  /** Removes all caps. */
  removeCaps(): void {
    if (!this.world.options.caps) return;
    for (const job of this.jobs) this.update(job, { caps: NO_CAPS, retry: {} });
  }

  undoSkips(): void {
    const { random } = this.world;
    const job = this.anyJob();
    const target: RetryTarget = random.chance(0.5)
      ? { selection: { isSkipped: true } }
      : { selection: { stepOrder: this.anyTask(job).stepOrder, isSkipped: true } };
    this.retryOf(job, target, 'tasks', false);
  }

  private retryOf(
    job: OwnJob,
    target: RetryTarget,
    scope: RetryRequest['scope'],
    isDryRun: boolean,
    skip?: SkipNote,
  ): void {
    const { checker } = this.world;
    const { id } = job;
    job.requests++;
    const request: RetryRequest = {
      target,
      upstreams: this.upstreamsOf(id),
      scope,
      isDryRun,
      ...(skip !== undefined && { skip }),
    };
    const settled = checker.undoing(id);
    ask<RetryResult>(
      this.world,
      (replyTo) => ({ actor: 'job', id, message: { type: 'job.retry', request, replyTo } }),
      settled,
    );
  }

  /** Returns the upstream jobs of a job, as the REST API reads them. */
  private upstreamsOf(id: JobId): RetryRequest['upstreams'] {
    const { store } = this.world.service;
    const dependsOn = store.get('job', keys.job(id))?.dependsOn ?? [];
    return dependsOn.map((jobId) => ({
      jobId,
      status: store.get('job', keys.job(jobId))?.status ?? ('deleted' as const),
    }));
  }

  /** Resumes all paused jobs, also those with an unanswered submission. */
  resumeAll(): void {
    const { service, farm } = this.world;
    const paused = [...service.store.scan('job')].filter(
      ({ value }) => value.farmId === farm && value.status === 'paused',
    );
    for (const { value } of paused) {
      const { id } = value;
      const own = this.jobs.find((job) => job.id === id);
      const update: JobUpdate = { action: 'resume', retry: {} };
      if (own !== undefined) this.update(own, update);
      else
        ask<JobRecord>(
          this.world,
          (replyTo) => ({ actor: 'job', id, message: { type: 'job.update', update, queue: null, replyTo } }),
          () => undefined,
        );
    }
  }

  private update(job: OwnJob, update: JobUpdate, queueId: QueueId | null = null): void {
    const { farm } = this.world;
    const { id } = job;
    const promise = this.promiser(job);
    ask<JobRecord>(
      this.world,
      (replyTo) =>
        queueId === null
          ? { actor: 'job', id, message: { type: 'job.update', update, queue: null, replyTo } }
          : {
              actor: 'farm',
              id: farm,
              message: { type: 'job.requeue', jobId: id, queueId, update, replyTo },
            },
      (outcome) => {
        if (!outcome.ok) return;
        promise((store) => {
          const record = store.get('job', keys.job(id));
          return record === undefined ? `job ${id} is missing` : differenceOf(record, update, queueId);
        });
      },
    );
  }

  /** Counts a request. The result of its answer holds until the next request for the job. */
  private promiser(job: OwnJob): (promised: (store: StoreReader) => string | null) => void {
    const number = ++job.requests;
    return (promised) => {
      this.world.checker.promise((store) => {
        if (job.requests !== number) return null;
        const isGone = store.get('job', keys.job(job.id)) === undefined;
        return isGone && this.mayBeGone(job) ? null : promised(store);
      });
    };
  }

  private mayBeGone({ isDeletionPending }: OwnJob): boolean {
    return isDeletionPending || this.world.options.retentionMs > 0;
  }

  private anyJob(): OwnJob {
    return this.world.random.pick(this.jobs);
  }

  private anyTask(job: OwnJob): { readonly stepOrder: number; readonly index: number } {
    const { random } = this.world;
    const step = random.pick(job.plan.steps);
    return { stepOrder: step.order, index: random.between(0, step.taskCount - 1) };
  }
}

/** Returns the part of an answered update that is missing in the record, or null. */
function differenceOf(record: JobRecord, update: JobUpdate, queueId: QueueId | null): string | null {
  const { id, status, parkReason } = record;
  if (update.priority !== undefined && record.priority !== update.priority)
    return `job ${id} has the priority ${record.priority}, not ${update.priority}`;
  if (queueId !== null && record.queueId !== queueId)
    return `job ${id} is in the queue ${record.queueId}, not ${queueId}`;
  if (!isDeepStrictEqual({ ...record.retry, ...update.retry }, record.retry))
    return `job ${id} has the settings ${JSON.stringify(record.retry)}, not ${JSON.stringify(update.retry)}`;
  const { caps = {} } = update;
  if (caps.maxConcurrentTasks !== undefined && (record.maxConcurrentTasks ?? 0) !== caps.maxConcurrentTasks)
    return `job ${id} has the cap ${record.maxConcurrentTasks ?? 0}, not ${caps.maxConcurrentTasks}`;
  if (update.startAfter === null && record.startAfter !== undefined)
    return `job ${id} still has a start time`;
  const isActive = status === 'pending' || status === 'running' || status === 'blocked';
  if (update.action === 'pause' && isActive) return `job ${id} was paused and is ${status}`;
  if (update.action === 'resume' && status === 'paused' && parkReason === '')
    return `job ${id} was resumed and is paused`;
  return null;
}
