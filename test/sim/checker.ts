import type { JobState } from '../../actors/job/state.ts';
import type { VirtualTime } from '../../actors/kernel/virtual-time.ts';
import type { ServiceSettings } from '../../actors/service-world.ts';
import type { WorkerState } from '../../actors/worker/state.ts';
import { parseAttemptId, taskIdOf, type FarmId, type TaskId } from '../../src/core/ids.ts';
import { isTerminalTask, type TerminalTaskStatus } from '../../src/core/lifecycle/task-transitions.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import type { AttemptRecord } from '../../src/core/records/attempt.ts';
import type { Change } from '../../src/core/records/change-set.ts';
import type { DomainEvent } from '../../src/core/wire/events.ts';
import { AFTER_EACH_STEP, AT_REST, IN_THE_END, taskAt, WHEN_FLUSHED, type Invariant } from './invariants.ts';
import type { RunningProcesses } from './running-processes.ts';
import type { ServiceModel, ServiceWatcher } from './service-model.ts';
import { ActorStates, type FarmView, type ServiceView } from './service-view.ts';
import { watchReport, watchTake } from './turn-rules.ts';
import { Violation } from './violation.ts';
import type { TurnObserver } from './watch-turns.ts';

/** Looking at all that is on disk is slow: done each so many times that everything is on disk. */
const FLUSHED_LOOK_EACH = 16;

/** Something that the service has said and must stand by: says what is wrong, or null. */
export type Promised = (store: StoreReader) => string | null;

/** Watches one service over all its lives, and throws a Violation as soon as an invariant does not hold. */
export class Checker implements ServiceWatcher {
  readonly farms: FarmId[] = [];
  /** Since when the service has been able to hear workers, in virtual time. */
  listeningSince = 0;
  /** Whether the clock of the service has never been set: holds are as long as they should be. */
  isClockSteady = true;
  /** When a task last ran to its end, in virtual time. */
  progressedAt = 0;
  private readonly service: ServiceModel;
  private readonly time: VirtualTime;
  private readonly processes: RunningProcesses;
  private readonly settings: Pick<ServiceSettings, 'heartbeatTimeoutMs' | 'retry'>;
  private states: ActorStates | null = null;
  private readonly touched = new Set<JobState>();
  private readonly attempts = new Map<TaskId, AttemptRecord[]>();
  /** Told to the world: lasts. */
  private readonly toldEnds = new Map<TaskId, TerminalTaskStatus>();
  /** In memory: lost in a crash, unless it was on disk. */
  private readonly seenEnds = new Map<TaskId, TerminalTaskStatus>();
  private readonly promises: Promised[] = [];
  private flushedLooks = 0;
  private inTurn: Violation | null = null;

  constructor(
    service: ServiceModel,
    time: VirtualTime,
    processes: RunningProcesses,
    settings: Pick<ServiceSettings, 'heartbeatTimeoutMs' | 'retry'>,
  ) {
    this.service = service;
    this.time = time;
    this.processes = processes;
    this.settings = settings;
  }

  /** What was answered to a client is in the store, now and after any crash. */
  promise(promised: Promised): void {
    this.promises.push(promised);
    this.keepsPromise(promised);
  }

  readonly observer: TurnObserver = (kind, state, message, context) => {
    if (kind === 'job') {
      const job = state as JobState;
      const farm = this.states?.farm(job.record.farmId);
      if (message.type === 'task.reported') {
        const after = watchReport(job, message, context.now, farm, this.settings.retry);
        return () => {
          this.touched.add(job);
          this.note(after());
        };
      }
      if (message.type !== 'tasks.take') return () => this.touched.add(job);
      const worker = this.states?.worker(message.workerId);
      const live = (): { farm: number; queue: number } => this.liveTasks(job);
      const after = watchTake(job, message, context.now, this.isClockSteady, { farm, worker, live });
      return () => {
        this.touched.add(job);
        this.note(after());
      };
    }
    if (kind !== 'worker' || message.type !== 'expiry.granted') return null;
    const worker = state as WorkerState;
    const before = worker.record.status;
    return () => {
      if (before !== 'online' || worker.record.status !== 'offline') return;
      const heardFor = this.time.now - this.listeningSince;
      if (heardFor >= this.settings.heartbeatTimeoutMs) return;
      const name = 'no worker is given up before it had a whole timeout to be heard';
      this.note(new Violation(name, `${worker.record.id} after ${heardFor} ms`));
    };
  };

  started(): void {
    const { host } = this.service;
    if (host === null) return;
    this.states = new ActorStates(host.kernel);
    this.listeningSince = this.time.now;
    this.touched.clear();
  }

  committing(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.op === 'put' && change.table === 'attempt') this.noteAttempt(change.value);
    }
  }

  event(event: DomainEvent): void {
    if (event.subject !== 'tasks') return;
    const { task_id: taskId, status } = event.payload;
    if (isTerminalTask(status)) this.toldEnds.set(taskId, status);
  }

  pumped(): void {
    const { host, store } = this.service;
    if (this.inTurn !== null) throw this.inTurn;
    if (host === null) return;
    const view = this.view();
    this.check(AFTER_EACH_STEP, view);
    for (const job of view.touchedJobs) this.noteEnds(job);
    this.touched.clear();
    const { kernel } = host;
    const nextTimer = kernel.nextTimerAt();
    if (kernel.queuedMessages > 0 || (nextTimer !== null && nextTimer <= this.time.now)) return;
    this.check(AT_REST, view);
    if (kernel.isIdle && store.waiting === 0 && ++this.flushedLooks % FLUSHED_LOOK_EACH === 0) {
      this.check(WHEN_FLUSHED, view);
    }
  }

  crashed(): void {
    this.states = null;
    this.touched.clear();
    this.seenEnds.clear();
    this.attempts.clear();
    for (const { value } of this.service.store.scan('attempt')) this.noteAttempt(value);
    for (const promised of this.promises) this.keepsPromise(promised);
  }

  /** What is wrong with the state in which everything should have come to rest, or null. */
  unfinished(): string | null {
    const view = this.view();
    if (this.service.host === null || view.farms.length < this.farms.length) return 'the service is not up';
    for (const { name, check } of IN_THE_END) {
      const wrong = check(view);
      if (wrong !== null) return `${name}: ${wrong}`;
    }
    return null;
  }

  /** The last look: at everything. */
  finish(): void {
    const view = this.view();
    this.check(AFTER_EACH_STEP, view);
    this.check(AT_REST, view);
    this.check(WHEN_FLUSHED, view);
    this.check(IN_THE_END, view);
    for (const promised of this.promises) this.keepsPromise(promised);
  }

  /** What a turn did wrong is thrown after it: the kernel takes what is thrown in a turn for a fault of the handler. */
  private note(violation: Violation | null): void {
    this.inTurn ??= violation;
  }

  private check(invariants: readonly Invariant[], view: ServiceView): void {
    for (const { name, check } of invariants) {
      const wrong = check(view);
      if (wrong !== null) throw new Violation(name, wrong);
    }
  }

  private keepsPromise(promised: Promised): void {
    const wrong = promised(this.service.store);
    if (wrong !== null) throw new Violation('what was answered is in the store', wrong);
  }

  private view(): ServiceView {
    const { states, service } = this;
    return {
      now: service.host?.now ?? 0,
      store: service.store,
      farms: this.farms.flatMap((id) => this.farmView(id)),
      isClockSteady: this.isClockSteady,
      touchedJobs: [...this.touched].filter((job) => !job.isDeleted),
      leaseOf: (farm) => states?.lease(farm),
      attemptsOf: (task) => this.attempts.get(task) ?? [],
      endOf: (task) => this.toldEnds.get(task) ?? this.seenEnds.get(task),
    };
  }

  private farmView(id: FarmId): FarmView[] {
    const farm = this.states?.farm(id);
    const lease = this.states?.lease(id);
    if (farm === undefined || lease === undefined) return [];
    const jobs = [...farm.activeJobs.keys()].map(
      (jobId) => this.states?.job(jobId) ?? missing(`job ${jobId}`),
    );
    const workers = [...farm.workers.keys()].map(
      (each) => this.states?.worker(each) ?? missing(`worker ${each}`),
    );
    return [{ farm, lease, jobs, workers }];
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

  private noteAttempt(attempt: AttemptRecord): void {
    const address = parseAttemptId(attempt.id);
    if (address === null) throw new Violation('attempts have ids', attempt.id);
    const taskId = taskIdOf(address);
    const known = this.attempts.get(taskId) ?? [];
    this.attempts.set(taskId, known);
    const before = known[attempt.attemptNumber - 1];
    if (before !== undefined && before.status !== 'running') {
      throw new Violation(
        'a closed attempt stays closed',
        `${attempt.id} was ${before.status}, is ${attempt.status}`,
      );
    }
    const isClosed = attempt.status !== 'running';
    if (isClosed !== (attempt.endedAt !== undefined) || (attempt.endedAt ?? Infinity) < attempt.startedAt) {
      throw new Violation('an attempt ends after it has started', JSON.stringify(attempt));
    }
    if (attempt.status === 'succeeded' || attempt.exitCode !== undefined) this.progressedAt = this.time.now;
    const exitCode = attempt.status === 'succeeded' ? 0 : attempt.exitCode;
    if (exitCode !== undefined && this.processes.exitCodeOf(attempt.id) !== exitCode) {
      throw new Violation(
        'an attempt is credited with what its process did',
        `${attempt.id} ${attempt.status}`,
      );
    }
    known[attempt.attemptNumber - 1] = attempt;
  }

  private noteEnds(job: JobState): void {
    for (const step of job.steps) {
      const { taskCounts, taskCount, order } = step.record;
      if (taskCounts.succeeded + taskCounts.failed + taskCounts.canceled === 0) continue;
      for (let index = 0; index < taskCount; index++) {
        const taskId = taskIdOf({ jobId: job.record.id, stepOrder: order, index });
        if (this.seenEnds.has(taskId)) continue;
        const { status } = taskAt(step, index);
        if (isTerminalTask(status)) this.seenEnds.set(taskId, status);
      }
    }
  }
}

function missing(what: string): never {
  throw new Violation('what is at work is in memory', what);
}
