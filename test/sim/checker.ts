import type { FarmState } from '../../actors/service/farm/state.ts';
import type { JobMessage } from '../../actors/service/job/messages.ts';
import type { JobState } from '../../actors/service/job/state.ts';
import type { LeaseState } from '../../actors/service/lease/state.ts';
import type { VirtualTime } from '../../actors/kernel/virtual-time.ts';
import type { WorkerMessage } from '../../actors/service/worker/messages.ts';
import type { WorkerState } from '../../actors/service/worker/state.ts';
import {
  parseAttemptId,
  jobId,
  parseTaskId,
  taskIdOf,
  type AttemptId,
  type FarmId,
  type JobId,
  type TaskId,
} from '../../src/core/ids.ts';
import { isTerminalTask, type TerminalTaskStatus } from '../../src/core/lifecycle/task-transitions.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import type { AttemptRecord } from '../../src/core/records/attempt.ts';
import { keys } from '../../src/core/records/tables.ts';
import { readTask } from '../../src/core/records/task-page.ts';
import type { DomainEvent } from '../../src/core/wire/events.ts';
import type { Settings } from './build.ts';
import {
  AFTER_EACH_STEP,
  AT_REST,
  FINAL_INVARIANTS,
  FINAL_SLOW_INVARIANTS,
  WHEN_FLUSHED,
} from './invariants.ts';
import type { Invariant } from './invariant-frame.ts';
import { slotsHeld } from './pool-and-worker-invariants.ts';
import { isSame, readySinceOf, snapshotOf, type JobSnapshot } from './job-snapshot.ts';
import { stepsFailingEverywhere } from './guard-rules.ts';
import { judgeDeletion } from './deletion-rules.ts';
import { judgeDue, judgePreemptions, TakenBack } from './preemption-oracle.ts';
import { judgeHolds, watchShortage } from './pool-hold-oracle.ts';
import { expectedOf, judgeTurn, settingsOf } from './job-rules.ts';
import { judgeReasons, surroundingsOf } from './unschedulable-rules.ts';
import { judgeReservations } from './reservation-rules.ts';
import { judgeLeases } from './lease-oracle.ts';
import type { RunningProcesses } from './running-processes.ts';
import type { ServiceModel, ServiceWatcher } from './service-model.ts';
import { ActorStates, type FarmView, type ServiceView } from './service-view.ts';
import { assignedAttempts, equalsAssignment, storedAttempt, storedAttempts } from './stored-attempts.ts';
import { watchTake } from './take-rules.ts';
import { sharesBefore } from './share-levels.ts';
import { Violation } from './violation.ts';
import { judgeWorkerTurn } from './worker-rules.ts';
import type { TurnOutputs, Turn, TurnObserver } from './watch-turns.ts';

/** Number of complete flushes per check of all durable rows, which is slow. */
const FLUSHES_PER_CHECK = 64;

/** A statement that the service has confirmed and must keep. Returns a violation, or null. */
export type Obligation = (store: StoreReader) => string | null;

/** A job after its last turn. */
interface LastSeen {
  readonly state: JobState;
  readonly snapshot: JobSnapshot;
  /** Start of the current period with ready tasks, by step. */
  readonly readySince: readonly number[];
  /** The unit of work in which it last changed, except by a lease. */
  readonly changedIn: number;
}

/** Messages after which other workers than before may take tasks. */
const CHANGES_OF_WORKERS: ReadonlySet<string> = new Set([
  'worker.offered',
  'worker.removed',
  'worker.doubted',
]);

type AfterTurn = (said: TurnOutputs) => void;

/** Observes one service over all its restarts, and throws a Violation as soon as an invariant does not hold. */
export class Checker implements ServiceWatcher {
  readonly farms: FarmId[] = [];
  /** Virtual time since when the service has been able to receive worker messages. */
  receivingSince = 0;
  /** The clock of the service was never set, so holds have their full length. */
  isClockSteady = true;
  /** Virtual end time of the last stall of the service. */
  stalledUntil = 0;
  /** Clients have lifted all holds. */
  isLifted = false;
  /** Virtual time of the last task process that ran to its end. */
  progressedAt = 0;
  private readonly service: ServiceModel;
  private readonly time: VirtualTime;
  private readonly processes: RunningProcesses;
  private readonly settings: Settings;
  private states: ActorStates | null = null;
  private readonly touched = new Set<JobState>();
  private readonly touchedFarms = new Set<FarmId>();
  private readonly attempts = new Map<TaskId, AttemptRecord[]>();
  /** Published ends of tasks. They are final, except for a retry. */
  private readonly publishedEnds = new Map<TaskId, TerminalTaskStatus>();
  /** Number of unanswered client requests that may undo a published end, by job. */
  private readonly unsettled = new Map<JobId, number>();
  private readonly seen = new Map<JobId, LastSeen>();
  private readonly takenBack = new TakenBack();
  private unitsOfWork = 0;
  private startedAt = 0;
  /** Virtual time of the last worker change, by farm. */
  private readonly changedAt = new Map<FarmId, number>();
  private readonly promises: Obligation[] = [];
  private flushedLooks = 0;
  private inTurn: Violation | null = null;

  constructor(service: ServiceModel, time: VirtualTime, processes: RunningProcesses, settings: Settings) {
    this.service = service;
    this.time = time;
    this.processes = processes;
    this.settings = settings;
    processes.isClosed = (attemptId, taskId) => {
      const attempt = this.attempts.get(taskId)?.find(({ id }) => id === attemptId);
      return attempt !== undefined && attempt.status !== 'running';
    };
  }

  /** Called when a worker deletes the end of an attempt: the service must keep it across any crash. */
  endConfirmed(attemptId: AttemptId): void {
    const address = parseAttemptId(attemptId);
    if (address === null) throw new Error(`a worker has reported on ${attemptId}`);
    if (storedAttempt(this.service.store.durable, address)?.status !== 'running') return;
    throw new Violation('a confirmed end is on the disk of the service', attemptId);
  }

  /** Records a reply to a client: its change must be in the store now and after any crash. */
  promise(promised: Obligation): void {
    this.promises.push(promised);
    this.checkObligation(promised);
  }

  /** Records a client request that may undo a published end of the job. Call the returned function with the reply. */
  undoing(job: JobId): () => void {
    this.unsettled.set(job, (this.unsettled.get(job) ?? 0) + 1);
    return () => {
      const left = (this.unsettled.get(job) ?? 1) - 1;
      if (left === 0) this.unsettled.delete(job);
      else this.unsettled.set(job, left);
    };
  }

  readonly observer: TurnObserver = (turn) => {
    if (turn.startsUnitOfWork) this.unitsOfWork++;
    const farm = farmOf(turn);
    const after = this.watch(turn);
    return (said) => {
      // A heartbeat without news changes nothing outside the worker.
      if (farm !== null && (turn.kind !== 'worker' || said.sent.length > 0)) this.touchedFarms.add(farm);
      after?.(said);
    };
  };

  private watch(turn: Turn): AfterTurn | null {
    switch (turn.kind) {
      case 'job':
        return this.watchJob(turn);
      case 'lease':
        return this.watchLease(turn);
      case 'worker':
        return this.watchWorker(turn);
      case 'catalog':
        return watchShortage(turn, (violation) => {
          this.note(violation);
        });
      case 'farm':
      case 'accounts':
      case 'audit':
      case 'webhooks':
      case 'retention':
      case 'sweep':
      case 'purge':
      case 'idempotency':
        return null;
    }
  }

  private watchJob(turn: Turn): AfterTurn {
    const job = turn.state as JobState;
    const message = turn.message as JobMessage;
    const { record } = job;
    const { id, farmId } = record;
    const last = this.seen.get(id);
    const before = last?.state === job ? last.snapshot : snapshotOf(job);
    if (last !== undefined && last.state !== job && !isSame(before, last.snapshot))
      this.note(new Violation('a job that is loaded again is unchanged', id));
    const setting = settingsOf(job, this.states?.farm(farmId), this.settings.retry);
    const expected = expectedOf(job, before, message, turn.now, setting, this.states?.farm(farmId));
    const isWaitedFor = message.type === 'job.expire' && this.isWaitedFor(id, farmId);
    const afterTake = message.type === 'tasks.take' ? this.watchTake(job, message, turn.now) : null;
    return (said) => {
      this.touched.add(job);
      for (const attempt of assignedAttempts(said, turn.now)) this.note(this.noteAttempt(attempt));
      for (const change of said.changes) {
        if (change.op === 'put' && change.table === 'attempt') this.note(this.noteAttempt(change.value));
      }
      if (job.isDeleted) {
        this.seen.delete(id);
        this.note(
          judgeDeletion(
            before,
            record,
            message,
            turn.now,
            this.settings.retention,
            this.isClockSteady,
            isWaitedFor,
          ),
        );
        return;
      }
      const after = snapshotOf(job);
      const hasChanged = message.type !== 'tasks.take' && (last === undefined || !isSame(before, after));
      const changedIn = hasChanged ? this.unitsOfWork : (last?.changedIn ?? 0);
      const readySince = readySinceOf(after);
      this.seen.set(id, { state: job, snapshot: after, readySince, changedIn });
      const { isClockSteady } = this;
      const graceMs = this.settings.unschedulableGraceMs;
      const failingEverywhere = stepsFailingEverywhere(job);
      const seen = {
        message,
        before,
        after,
        now: turn.now,
        said,
        expected,
        graceMs,
        isClockSteady,
        failingEverywhere,
      };
      this.note(judgeTurn(seen, id));
      this.forgetTakenBack(id, before, after);
      if (afterTake !== null) this.note(afterTake());
    };
  }

  /** The bounds of preemption count from the last end of a task. */
  private forgetTakenBack(id: JobId, before: JobSnapshot, after: JobSnapshot): void {
    for (const [stepOrder, tasks] of after.steps.entries()) {
      for (const [index, { status }] of tasks.entries()) {
        if (isTerminalTask(status) && before.steps[stepOrder]?.[index]?.status !== status)
          this.takenBack.forget(taskIdOf({ jobId: id, stepOrder, index }));
      }
    }
  }

  /** Reports whether a blocked job of the farm depends on the job. */
  private isWaitedFor(id: JobId, farmId: FarmId): boolean {
    return [...(this.states?.farm(farmId)?.activeJobs.keys() ?? [])].some((each) => {
      const record = this.states?.job(each)?.record;
      return record?.status === 'blocked' && record.dependsOn.includes(id);
    });
  }

  private watchTake(
    job: JobState,
    message: Extract<JobMessage, { type: 'tasks.take' }>,
    now: number,
  ): () => Violation | null {
    const farm = this.states?.farm(job.record.farmId);
    const worker = this.states?.worker(message.workerId);
    const live = (): { farm: number; queue: number } => this.liveTasks(job);
    const jobs = (): readonly JobState[] => this.jobsOfFarm(job);
    const poolOf = (name: string): { max: number; holders: number } => {
      const { maxConcurrent, counts } = this.states?.lease(job.record.farmId)?.pools.stateOf(name) ?? {};
      const views = this.farmViews();
      const pool = { name, ...(counts !== undefined && { counts }) };
      // Farms learn one after the other what a pool counts.
      const areAgreed = views.every(({ lease }) => lease.pools.stateOf(name).counts === counts);
      const holders = views.reduce((sum, view) => sum + slotsHeld(view.jobs, view.workers, pool), 0);
      return { max: maxConcurrent ?? 0, holders: areAgreed ? holders : 0 };
    };
    return watchTake(job, message, now, this.isClockSteady, { farm, worker, live, poolOf, jobs });
  }

  private watchLease(turn: Turn): AfterTurn {
    const lease = turn.state as LeaseState;
    const reserved = new Map(lease.reservations.list());
    const shares = sharesBefore(lease);
    const pools =
      turn.message.type === 'pools.changed' && lease.recovery === 'ready' ? turn.message.pools : [];
    return ({ sent }) => {
      this.note(judgeHolds(lease, pools, turn.now));
      const takes = sent.flatMap(({ message }) => (message.type === 'tasks.take' ? [message] : []));
      const reasons = sent.flatMap(({ id, message }) =>
        message.type === 'step.unschedulable' ? [{ jobId: id, message }] : [],
      );
      const isSweep = turn.message.type === 'sweep.due';
      const mayReserve = isSweep && lease.reservations.size > 0;
      const isSurvey = turn.message.type === 'bookings.surveyed' || turn.message.type === 'attempts.surveyed';
      const mayPreempt = (isSweep || isSurvey) && lease.preemption.queues.size > 0;
      if (takes.length + reasons.length === 0 && !mayReserve && !mayPreempt) return;
      const farm = this.states?.farm(lease.farmId);
      if (farm === undefined) return;
      if (takes.length + reasons.length > 0 && lease.pendingJobs.length > 0) {
        const detail = `${lease.pendingJobs.length} jobs of ${lease.farmId} were not queried yet`;
        this.note(new Violation('nothing is leased or published before all jobs are known', detail));
      }
      const view = this.farmView(farm, lease);
      if (mayReserve) {
        const { reservationAfterMs } = this.settings;
        const readySince = (job: JobId, stepOrder: number): number =>
          this.seen.get(job)?.readySince[stepOrder] ?? 0;
        this.note(
          judgeReservations(view, reserved, turn.now, reservationAfterMs, this.isClockSteady, readySince),
        );
      }
      const { isClockSteady, takenBack } = this;
      const attemptsOf = (task: TaskId): readonly AttemptRecord[] => this.attempts.get(task) ?? [];
      if (mayPreempt) {
        const waits = { view, now: turn.now, isClockSteady, attemptsOf, takenBack };
        if (isSweep) this.note(judgeDue(waits));
        const preempts = sent.flatMap(({ message }) =>
          message.type === 'attempts.preempt' ? [message] : [],
        );
        const since = (job: string, stepOrder: number): number =>
          this.seen.get(jobId(job))?.readySince[stepOrder] ?? 0;
        if (isSurvey) this.note(judgePreemptions(preempts, reserved, waits, since));
        for (const each of preempts) takenBack.note(each, turn.now);
      }
      this.note(judgeReasons(reasons, surroundingsOf(view, this.farmViews())));
      const around = {
        view,
        now: turn.now,
        isClockSteady,
        attemptsOf,
        reserved,
        shares,
        jobOf: (job: JobId) => this.states?.job(job)?.record ?? this.service.store.get('job', keys.job(job)),
        isFresh: (job: JobId) => this.seen.get(job)?.changedIn === this.unitsOfWork,
      };
      this.note(judgeLeases(lease, takes, around));
    };
  }

  private watchWorker(turn: Turn): AfterTurn {
    const worker = turn.state as WorkerState;
    const message = turn.message as WorkerMessage;
    const { record } = worker;
    const before = record.status;
    return ({ sent }) => {
      // After a clock step, the duration of the worker's silence is unknown.
      const silentMs = this.isClockSteady ? turn.now - record.lastHeartbeatAt : Infinity;
      this.note(
        judgeWorkerTurn(record, worker, message, turn.now, silentMs, this.settings.heartbeatTimeoutMs),
      );
      if (sent.some(({ message }) => CHANGES_OF_WORKERS.has(message.type)))
        this.changedAt.set(worker.record.farmId, this.time.now);
      if (turn.message.type !== 'expiry.granted') return;
      if (before !== 'online' || worker.record.status !== 'offline') return;
      const heardFor = this.time.now - this.receivingSince;
      if (heardFor >= this.settings.heartbeatTimeoutMs) return;
      const name = 'no worker expires before it had a full timeout to make contact';
      this.note(new Violation(name, `${worker.record.id} after ${heardFor} ms`));
    };
  }

  started(): void {
    const { host } = this.service;
    if (host === null) return;
    this.states = new ActorStates(host.kernel);
    this.receivingSince = this.time.now;
    this.startedAt = this.time.now;
    this.touched.clear();
  }

  event(event: DomainEvent): void {
    if (event.subject === 'jobs' && event.payload.status === 'removed') {
      const { job_id: id } = event.payload;
      if (this.service.store.get('job', keys.job(id)) !== undefined)
        throw new Violation('a job with a published deletion is deleted', id);
    }
    if (event.subject !== 'tasks') return;
    const { task_id: taskId, status } = event.payload;
    if (isTerminalTask(status)) this.publishedEnds.set(taskId, status);
    else this.publishedEnds.delete(taskId);
  }

  pumped(): void {
    const { host, store } = this.service;
    if (this.inTurn !== null) throw this.inTurn;
    if (host === null) return;
    const view = this.view();
    this.check(AFTER_EACH_STEP, view);
    this.touched.clear();
    const { kernel } = host;
    const nextTimer = kernel.nextTimerAt();
    if (kernel.queuedMessages > 0 || (nextTimer !== null && nextTimer <= this.time.now)) return;
    this.check(AT_REST, view);
    this.touchedFarms.clear();
    if (
      kernel.isIdle &&
      store.waiting + store.unread === 0 &&
      ++this.flushedLooks % FLUSHES_PER_CHECK === 0
    ) {
      this.check(WHEN_FLUSHED, view);
    }
  }

  crashed(): void {
    this.states = null;
    this.touched.clear();
    this.seen.clear();
    const before = new Map(this.attempts);
    this.attempts.clear();
    for (const attempt of storedAttempts(this.service.store)) {
      const wrong = this.noteAttempt(attempt) ?? equalsAssignment(attempt, before);
      if (wrong !== null) throw wrong;
    }
    this.takenBack.reload(this.service.store);
    this.checkPublishedEnds();
    this.unsettled.clear();
    for (const promised of this.promises) this.checkObligation(promised);
  }

  /** Reports whether jobs of any farm were not queried yet for their offers. */
  get isRecovering(): boolean {
    return this.farms.some((id) => !this.areJobsQueried(id));
  }

  /** Returns the fault of the final state, or null. */
  unfinished(): string | null {
    if (this.isRecovering) return 'a farm is being recovered';
    const view = this.view(true);
    if (this.service.host === null || view.farms.length < this.farms.length) return 'the service is down';
    for (const { name, check } of FINAL_INVARIANTS) {
      const wrong = check(view);
      if (wrong !== null) return `${name}: ${wrong}`;
    }
    return null;
  }

  /** Checks everything one last time. */
  finish(): void {
    const view = this.view(true);
    this.check(AFTER_EACH_STEP, view);
    this.check(AT_REST, view);
    this.check(WHEN_FLUSHED, view);
    this.check(FINAL_INVARIANTS, view);
    this.check(FINAL_SLOW_INVARIANTS, view);
    for (const promised of this.promises) this.checkObligation(promised);
  }

  /** Violations are thrown after the turn, because the kernel treats an error inside a turn as a handler error. */
  private note(violation: Violation | null): void {
    this.inTurn ??= violation;
  }

  private check(invariants: readonly Invariant[], view: ServiceView): void {
    for (const { name, check } of invariants) {
      const wrong = check(view);
      if (wrong !== null) throw new Violation(name, wrong);
    }
  }

  private checkObligation(promised: Obligation): void {
    const wrong = promised(this.service.store);
    if (wrong !== null) throw new Violation('every answered change is in the store', wrong);
  }

  private view(isLast = false): ServiceView {
    const { states, service } = this;
    // Computed on demand: most checks need one farm or none.
    let farms: readonly FarmView[] | null = null;
    const all = (): readonly FarmView[] => (farms ??= this.farmViews(this.farms, missing));
    // Jobs are not in memory yet: a farm is checked after its recovery.
    const asked = [...this.touchedFarms].filter((id) => this.areJobsQueried(id));
    const touched = isLast ? all() : this.farmViews(asked, missing);
    return {
      tallies: service.tallies,
      retention: this.settings.retention,
      unschedulableGraceMs: this.settings.unschedulableGraceMs,
      quietSince: (farm) => this.quietSince(farm),
      now: service.host?.now ?? 0,
      store: service.store,
      get farms() {
        return all();
      },
      touchedFarms: touched,
      isClockSteady: this.isClockSteady,
      isLifted: this.isLifted,
      serverRetry: this.settings.retry,
      touchedJobs: [...this.touched].filter((job) => !job.isDeleted),
      leaseOf: (farm) => states?.lease(farm),
      attemptsOf: (task) => this.attempts.get(task) ?? [],
    };
  }

  /** Reports whether all jobs of the farm were queried for their offers; true if its lease actor is not in memory. */
  private areJobsQueried(farm: FarmId): boolean {
    return (this.states?.lease(farm)?.pendingJobs.length ?? 0) === 0;
  }

  private farmViews(
    ids: readonly FarmId[] = this.farms,
    missing: ((what: string) => never) | null = null,
  ): FarmView[] {
    return ids.flatMap((id) => {
      const farm = this.states?.farm(id);
      const lease = this.states?.lease(id);
      return farm === undefined || lease === undefined ? [] : [this.farmView(farm, lease, missing)];
    });
  }

  /** Milliseconds since the epoch: the latest of the service start, its last stall and the last worker change. */
  private quietSince(farm: FarmId): number | null {
    const { host } = this.service;
    if (host === null || !this.isClockSteady) return null;
    const last = Math.max(
      this.receivingSince,
      this.stalledUntil,
      this.startedAt,
      this.changedAt.get(farm) ?? 0,
    );
    return host.now - (this.time.now - last);
  }

  /** Leaves out actors that are not in memory, unless `missing` is set. */
  private farmView(
    farm: FarmState,
    lease: LeaseState,
    missing: ((what: string) => never) | null = null,
  ): FarmView {
    const { states } = this;
    const jobs = [...farm.activeJobs.keys()].flatMap((id) => {
      const job = states?.job(id);
      if (job === undefined) return missing?.(`job ${id}`) ?? [];
      return job.isDeleted ? [] : [job];
    });
    const workers = [...farm.workers.all()].flatMap(
      ({ id }) => states?.worker(id) ?? missing?.(`worker ${id}`) ?? [],
    );
    return { farm, lease, jobs, workers };
  }

  private liveTasks(job: JobState): { farm: number; queue: number } {
    let ofFarm = 0;
    let ofQueue = 0;
    for (const id of this.states?.farm(job.record.farmId)?.activeJobs.keys() ?? []) {
      const other = this.states?.job(id);
      if (other === undefined) continue;
      ofFarm += other.openAttempts.size;
      if (other.record.queueId === job.record.queueId) ofQueue += other.openAttempts.size;
    }
    return { farm: ofFarm, queue: ofQueue };
  }

  private jobsOfFarm(job: JobState): readonly JobState[] {
    const ids = this.states?.farm(job.record.farmId)?.activeJobs.keys() ?? [];
    return [...ids].flatMap((id) => this.states?.job(id) ?? []);
  }

  private noteAttempt(attempt: AttemptRecord): Violation | null {
    const address = parseAttemptId(attempt.id);
    if (address === null) return new Violation('attempts have IDs', attempt.id);
    const taskId = taskIdOf(address);
    const known = this.attempts.get(taskId) ?? [];
    this.attempts.set(taskId, known);
    const before = known[attempt.attemptNumber - 1];
    if (before !== undefined && before.status !== 'running') {
      const detail = `${attempt.id} was ${before.status}, is ${attempt.status}`;
      return new Violation('a closed attempt stays closed', detail);
    }
    const isClosed = attempt.status !== 'running';
    if (isClosed !== (attempt.endedAt !== undefined) || (attempt.endedAt ?? Infinity) < attempt.startedAt)
      return new Violation('an attempt ends after it started', JSON.stringify(attempt));
    if (attempt.status === 'succeeded' || attempt.exitCode !== undefined) this.progressedAt = this.time.now;
    const exitCode = attempt.status === 'succeeded' ? 0 : attempt.exitCode;
    if (exitCode !== undefined && this.processes.exitCodeOf(attempt.id) !== exitCode) {
      const detail = `${attempt.id} ${attempt.status}`;
      return new Violation('an attempt is credited with the result of its process', detail);
    }
    known[attempt.attemptNumber - 1] = attempt;
    return null;
  }

  /** I5: a task with a published end has ended, unless an unanswered client request retries it. */
  private checkPublishedEnds(): void {
    const { store } = this.service;
    for (const [taskId, end] of this.publishedEnds) {
      const task = parseTaskId(taskId);
      // Other rules check that only permitted jobs are deleted.
      const isGone = task === null || store.get('job', keys.job(task.jobId)) === undefined;
      if (isGone || this.unsettled.has(task.jobId)) {
        this.publishedEnds.delete(taskId);
        continue;
      }
      const page = store.get('taskPage', keys.taskPageOf(task));
      const own = page === undefined ? null : readTask(page, task.index);
      const status =
        own?.status ?? store.get('step', keys.step(task.jobId, task.stepOrder))?.untouched.status;
      if (status === end) continue;
      throw new Violation(
        'a published end of a task lasts',
        `${taskId} was ${end} and is ${status ?? 'missing'}`,
      );
    }
  }
}

/** The farm of the actor; null for actors without a farm. */
function farmOf({ kind, state }: Turn): FarmId | null {
  switch (kind) {
    case 'job':
      return (state as JobState).record.farmId;
    case 'worker':
      return (state as WorkerState).record.farmId;
    case 'farm':
      return (state as FarmState).record.id;
    case 'lease':
      return (state as LeaseState).farmId;
    case 'catalog':
    case 'accounts':
    case 'audit':
    case 'webhooks':
    case 'retention':
    case 'sweep':
    case 'purge':
    case 'idempotency':
      return null;
  }
}

function missing(what: string): never {
  throw new Violation('actors with work are in memory', what);
}
