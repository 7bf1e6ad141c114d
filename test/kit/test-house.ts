import type { Test } from 'tap';
import { CATALOG_ID } from '../../actors/catalog/messages.ts';
import type { FarmInput, JobSubmission, QueueInput } from '../../actors/farm/messages.ts';
import type { JobState } from '../../actors/job/state.ts';
import { replyTo, type ReplyTo } from '../../actors/kernel/address.ts';
import type { Output } from '../../actors/kernel/closure.ts';
import { Kernel } from '../../actors/kernel/kernel.ts';
import type { LeaseState } from '../../actors/lease/state.ts';
import { serviceActors } from '../../actors/service-actors.ts';
import type { ServiceEnvelope } from '../../actors/service-messages.ts';
import {
  LEASE_HOLD_MS,
  STALE_ASSIGNED_MS,
  type ServiceSettings,
  type ServiceWorld,
} from '../../actors/service-world.ts';
import type { WorkerState } from '../../actors/worker/state.ts';
import { createMemoryStore, type MemoryStore } from '../../src/adapters/memory/memory-store.ts';
import {
  attemptIdOf,
  farmId,
  parseAttemptId,
  queueId,
  taskIdOf,
  workerId,
  type AttemptId,
  type FarmId,
  type JobId,
  type QueueId,
  type TaskAddress,
} from '../../src/core/ids.ts';
import type { AttemptRecord } from '../../src/core/records/attempt.ts';
import type { JobRecord } from '../../src/core/records/job.ts';
import { keys } from '../../src/core/records/tables.ts';
import { readTask, readTaskStatus, untouchedTask, type TaskState } from '../../src/core/records/task-page.ts';
import type { WorkerRecord } from '../../src/core/records/worker.ts';
import type { RegisterMessage, ReportedStatus } from '../../src/core/wire/bus-messages.ts';
import { ANY_QUEUE } from '../../src/core/wire/subjects.ts';
import { timestampOf } from '../../src/core/timestamp.ts';
import { problemsAtRest } from './house-sanity.ts';
import { answerWords, effectWords, type Answer } from './house-words.ts';
import { jobPlan, type PlannedStep } from './plans.ts';

const SETTINGS: ServiceSettings = {
  heartbeatTimeoutMs: 30_000,
  retry: { maxAttempts: 3, retryDelaySeconds: 10, failureLimit: 0 },
  leaseHoldMs: LEASE_HOLD_MS,
  staleAssignedMs: STALE_ASSIGNED_MS,
  ownsFarm: () => true,
};

const HEARTBEAT_MS = 10_000;

const FARM: FarmInput = { name: 'F', description: '', maxConcurrentTasks: 0, retry: {} };
const QUEUE: QueueInput = {
  name: 'Q',
  description: '',
  priority: 0,
  maxConcurrentTasks: 0,
  paused: false,
  retry: {},
};

/**
 * The whole service but for its doors: the real kernel with the real actors over a store in memory. Tests speak to it in
 * scenarios, in the names that they gave to things; time passes when they say so. Every message is encoded and decoded
 * on its way. There is a farm F with a queue Q from the start.
 */
export class TestHouse {
  readonly store: MemoryStore = createMemoryStore();
  readonly farm: FarmId;
  readonly queue: QueueId;
  now = Date.UTC(2026, 10, 20, 12);
  /** Workers whose heartbeats come while time passes. */
  readonly beating = new Set<string>();
  private readonly settings: ServiceSettings;
  private kernel: Kernel<ServiceWorld>;
  private monotonic = 0;
  private sequence = 1;
  private lastId = 0;
  /** Whether messages wait in the mailbox for now. */
  private isQuiet = false;
  private readonly names = new Map<string, string>();
  private readonly said: string[] = [];
  private readonly warnings: string[] = [];
  private readonly answers = new Map<string, Answer>();

  constructor(settings: Partial<ServiceSettings> = {}) {
    this.settings = { ...SETTINGS, ...settings };
    this.kernel = this.newKernel();
    this.farm = this.createFarm();
    this.queue = this.createQueue();
    this.heard();
  }

  // Farms and queues

  createFarm(some: Partial<FarmInput> = {}): FarmId {
    const id = farmId(this.newId());
    const input = { ...FARM, ...some };
    this.names.set(id, input.name);
    this.tell({
      actor: 'catalog',
      id: CATALOG_ID,
      message: { type: 'farm.create', farmId: id, input, replyTo: to(`create farm ${input.name}`) },
    });
    return id;
  }

  replaceFarm(some: Partial<FarmInput>, farm = this.farm): void {
    const input = { ...FARM, ...some };
    this.tell({
      actor: 'catalog',
      id: CATALOG_ID,
      message: { type: 'farm.replace', farmId: farm, input, replyTo: to('replace farm') },
    });
  }

  deleteFarm(farm = this.farm): void {
    this.tell({ actor: 'farm', id: farm, message: { type: 'farm.delete', replyTo: to('delete farm') } });
  }

  createQueue(some: Partial<QueueInput> = {}, farm = this.farm): QueueId {
    const input = { ...QUEUE, ...some };
    const client = `create queue ${input.name}`;
    this.answers.delete(client);
    this.tell({ actor: 'farm', id: farm, message: { type: 'queue.create', input, replyTo: to(client) } });
    const rows = [...this.store.scan('queue')].map((row) => row.value);
    const id =
      rows.find((queue) => queue.farmId === farm && queue.name === input.name)?.id ?? queueId('no queue');
    this.names.set(id, input.name);
    return id;
  }

  replaceQueue(some: Partial<QueueInput>, queue = this.queue): void {
    this.tell({
      actor: 'farm',
      id: this.farm,
      message: {
        type: 'queue.replace',
        queueId: queue,
        input: { ...QUEUE, ...some },
        replyTo: to('replace queue'),
      },
    });
  }

  deleteQueue(queue = this.queue): void {
    this.tell({
      actor: 'farm',
      id: this.farm,
      message: { type: 'queue.delete', queueId: queue, replyTo: to('delete queue') },
    });
  }

  // Jobs

  submit(
    name: string,
    steps: readonly PlannedStep[],
    some: Partial<Omit<JobSubmission, 'upstreams'>> & { readonly after?: readonly string[] } = {},
  ): void {
    const { after = [], ...rest } = some;
    const upstreams = after.map((upstream) => ({
      jobId: this.jobId(upstream),
      status: this.job(upstream).status,
    }));
    this.submitAfter(name, steps, upstreams, rest);
  }

  /** Submits a job with a look at its upstreams that may be old. */
  submitAfter(
    name: string,
    steps: readonly PlannedStep[],
    upstreams: JobSubmission['upstreams'],
    some: Partial<JobSubmission> = {},
  ): void {
    const submission: JobSubmission = {
      queueId: this.queue,
      plan: jobPlan(name, steps),
      description: '',
      extensions: [],
      templateText: 'specificationVersion: jobtemplate-2023-09',
      templateFormat: 'yaml',
      owner: 'ada',
      submitter: 'ada',
      project: '',
      priority: 50,
      retry: {},
      upstreams,
      ...some,
    };
    this.tell({
      actor: 'farm',
      id: this.farm,
      message: { type: 'job.submit', submission, replyTo: to(`submit ${name}`) },
    });
  }

  cancelJob(name: string): void {
    this.tell({
      actor: 'job',
      id: this.jobId(name),
      message: { type: 'job.cancel', replyTo: to(`cancel ${name}`) },
    });
  }

  cancelJobById(id: string): void {
    this.tell({ actor: 'job', id, message: { type: 'job.cancel', replyTo: to('cancel') } });
  }

  cancelTask(word: string): void {
    const { jobId, stepOrder, index } = this.address(word);
    this.tell({
      actor: 'job',
      id: jobId,
      message: { type: 'task.cancel', stepOrder, index, replyTo: to(`cancel ${word}`) },
    });
  }

  // Workers

  /** A worker's daemon starts, or says once more that it has. It has 4 cores unless said otherwise. */
  register(name: string, some: Partial<Omit<RegisterMessage, 'name'>> = {}): void {
    const registration: RegisterMessage = {
      v: 1,
      type: 'register',
      worker_id: this.idOf(name),
      incarnation: 'start-1',
      name,
      hostname: `host-${name}`,
      farm: this.farm,
      queues: [],
      cpu_count: 4,
      memory_mib: 8192,
      os: 'linux',
      arch: 'x86_64',
      software_version: '0.1.0',
      compute_location: '',
      tags: {},
      open_attempts: [],
      reply_to: '',
      ...some,
    };
    this.names.set(registration.worker_id, name);
    this.beating.add(name);
    const client = to(`register ${name}`);
    this.tell({
      actor: 'farm',
      id: this.farm,
      message: { type: 'worker.register', registration, replyTo: client },
    });
  }

  /** A heartbeat with what the worker has open: by default what it has reported running. */
  heartbeat(
    name: string,
    some: { readonly open?: readonly string[]; readonly incarnation?: string } = {},
  ): void {
    this.sendHeartbeat(name, some, `heartbeat ${name}`);
  }

  deregister(name: string, incarnation = this.worker(name).incarnation): void {
    const { id, farmId: farm } = this.worker(name);
    this.beating.delete(name);
    this.tell({
      actor: 'worker',
      id,
      message: {
        type: 'worker.deregister',
        departure: { v: 1, type: 'deregister', worker_id: id, farm_id: farm, incarnation, reply_to: '' },
        replyTo: to(`deregister ${name}`),
      },
    });
  }

  /** The worker asks for work. */
  lease(
    name: string,
    some: { readonly queue?: QueueId; readonly incarnation?: string; readonly client?: string } = {},
  ): void {
    const worker = this.store.get('worker', this.idOf(name));
    this.tell({
      actor: 'lease',
      id: this.farm,
      message: {
        type: 'lease.requested',
        workerId: worker?.id ?? workerId(this.idOf(name)),
        farmId: this.farm,
        incarnation: some.incarnation ?? worker?.incarnation ?? '',
        queue: some.queue ?? ANY_QUEUE,
        replyTo: to(some.client ?? `lease ${name}`),
      },
    });
  }

  /** A worker reports on `A/0/3`, its latest attempt, or on `A/0/3#2`. */
  report(
    word: string,
    status: ReportedStatus,
    some: { readonly exitCode?: number; readonly message?: string; readonly sessionId?: string } = {},
  ): void {
    const attemptId = this.attemptId(word);
    const address = this.address(word);
    this.tell({
      actor: 'job',
      id: address.jobId,
      message: {
        type: 'task.reported',
        attemptId,
        report: {
          v: 1,
          task_id: taskIdOf(address),
          attempt_id: attemptId,
          worker_id: workerId('w'),
          status,
          timestamp: timestampOf(this.now),
          session_id: some.sessionId ?? 'session-1',
          ...(some.exitCode === undefined ? {} : { exit_code: some.exitCode }),
          ...(some.message === undefined ? {} : { message: some.message }),
        },
      },
    });
  }

  // Time, and the service itself

  /** Time passes; workers that are beating send their heartbeats, timers fire when they are due. */
  advance(ms: number): void {
    const end = this.monotonic + ms;
    let nextBeat = this.monotonic + HEARTBEAT_MS;
    for (;;) {
      const due = Math.max(this.monotonic, Math.min(this.kernel.nextTimerAt() ?? Infinity, nextBeat));
      if (due > end) break;
      this.passTo(due);
      if (due >= nextBeat) {
        for (const name of this.beating) this.sendHeartbeat(name, {}, `beat ${name}`);
        nextBeat += HEARTBEAT_MS;
      }
      this.run();
    }
    this.passTo(end);
  }

  /** The process stands still: time passes, nothing is heard and no timer fires; then it notices. */
  stall(ms: number): void {
    this.passTo(this.monotonic + ms);
    this.kernel.resumeListening();
    this.run();
  }

  /** The service dies and starts again: what is not on disk is gone. */
  restart(downMs = 0): void {
    this.passTo(this.monotonic + downMs);
    this.restartAsleep();
    for (const { value: farm } of [...this.store.scan('farm')]) {
      this.post({ actor: 'farm', id: farm.id, message: { type: 'farm.wake' } });
    }
    this.run();
  }

  /** The same, with nobody to wake the farms. */
  restartAsleep(): void {
    this.store.crash();
    this.sequence = 1;
    this.kernel = this.newKernel();
  }

  /** What is said to the service meanwhile reaches it at the same moment: one commit window. */
  together(say: () => void): void {
    this.isQuiet = true;
    say();
    this.isQuiet = false;
    this.run();
  }

  /** What is said to the service meanwhile is worked and committed, and does not reach the disk. */
  withoutFlush(say: () => void): void {
    this.isQuiet = true;
    say();
    this.isQuiet = false;
    this.kernel.pump();
  }

  /** Puts a message in the mailbox and does nothing yet. */
  post(envelope: ServiceEnvelope): void {
    this.kernel.post(recoded(envelope));
  }

  /** Works until nothing waits and everything is on disk. */
  run(): void {
    for (let rounds = 0; rounds < 10_000; rounds++) {
      this.kernel.pump();
      this.store.flushAll();
      if (this.kernel.isIdle) return;
    }
    throw new Error('the service does not come to rest');
  }

  // What was said, and how things stand

  /** Everything that was said since this was last asked. */
  heard(): string[] {
    return this.said.splice(0);
  }

  /** Warnings and errors in the log since this was last asked. */
  warned(): string[] {
    return this.warnings.splice(0);
  }

  /** Asserts that exactly this was said since the last check, and that all is well at rest. */
  expect(t: Test, what: string, lines: readonly string[]): void {
    t.strictSame(this.heard(), lines, what);
    this.checkAtRest(t, what);
  }

  /** Asserts that all is well at rest, whatever was said. */
  checkAtRest(t: Test, what: string): void {
    const problems = problemsAtRest(this.store, {
      job: (id) => this.kernel.stateOf('job', id) as JobState | undefined,
      worker: (id) => this.kernel.stateOf('worker', id) as WorkerState | undefined,
      lease: (id) => this.kernel.stateOf('lease', id) as LeaseState | undefined,
    });
    t.strictSame(problems, [], `${what}: at rest`);
  }

  /** Whether an actor is in memory. */
  isResident(actor: 'farm' | 'lease' | 'job' | 'worker', id: string): boolean {
    return this.kernel.stateOf(actor, id) !== undefined;
  }

  /** The last answer that a client got. */
  answer(client: string): Answer | undefined {
    return this.answers.get(client);
  }

  job(name: string): JobRecord {
    for (const { value: job } of this.store.scan('job')) if (job.name === name) return job;
    throw new Error(`there is no job ${name}`);
  }

  worker(name: string): WorkerRecord {
    const worker = this.store.get('worker', this.idOf(name));
    if (worker === undefined) throw new Error(`there is no worker ${name}`);
    return worker;
  }

  bookedCores(name: string): number {
    const bookings = this.store.get('booking', keys.booking(this.worker(name).id))?.bookings ?? [];
    return bookings.reduce((sum, booking) => sum + booking.cores, 0);
  }

  task(word: string): TaskState {
    const address = this.address(word);
    const page = this.store.get('taskPage', keys.taskPageOf(address));
    const step = this.store.get('step', keys.step(address.jobId, address.stepOrder));
    if (step === undefined) throw new Error(`there is no task ${word}`);
    const own = page === undefined ? null : readTask(page, address.index);
    return own ?? untouchedTask(step.untouched.status, step.untouched.updatedAt);
  }

  /** The failure reason of a task; empty when it has none. */
  reason(word: string): string {
    const address = this.address(word);
    const own = this.store.get('taskText', keys.taskText(address))?.failureReason;
    const step = this.store.get('step', keys.step(address.jobId, address.stepOrder));
    return own ?? step?.untouched.failureReason ?? '';
  }

  attempts(word: string): AttemptRecord[] {
    return [...this.store.scan('attempt', { prefix: keys.attemptsOf(this.address(word)) })].map(
      (row) => row.value,
    );
  }

  attemptId(word: string): AttemptId {
    const number = word.split('#')[1];
    return attemptIdOf({
      ...this.address(word),
      attemptNumber: number === undefined ? this.task(word).attemptNumber : Number(number),
    });
  }

  /** `A/0/3` or `A/0/3#2`: task 3 of the first step of the job A. */
  address(word: string): TaskAddress {
    const [name = '', stepOrder = '', index = ''] = (word.split('#')[0] ?? '').split('/');
    return { jobId: this.jobId(name), stepOrder: Number(stepOrder), index: Number(index) };
  }

  jobId(name: string): JobId {
    return this.job(name).id;
  }

  private idOf(workerName: string): ReturnType<typeof workerId> {
    return workerId(`id-of-${workerName}`);
  }

  /** Whether the worker has said of the attempt that it runs. */
  private isRunning(attemptId: AttemptId): boolean {
    const attempt = parseAttemptId(attemptId);
    if (attempt === null) throw new Error(`${attemptId} is no attempt`);
    const page = this.store.get('taskPage', keys.taskPageOf(attempt));
    return page !== undefined && readTaskStatus(page, attempt.index) === 'running';
  }

  private sendHeartbeat(
    name: string,
    some: { readonly open?: readonly string[]; readonly incarnation?: string },
    client: string,
  ): void {
    const { id, farmId: farm, incarnation } = this.worker(name);
    const booked = this.store.get('booking', keys.booking(id))?.bookings ?? [];
    this.tell({
      actor: 'worker',
      id,
      message: {
        type: 'worker.heartbeat',
        heartbeat: {
          v: 1,
          type: 'heartbeat',
          worker_id: id,
          farm_id: farm,
          incarnation: some.incarnation ?? incarnation,
          open_attempts:
            some.open?.map((word) => this.attemptId(word)) ??
            booked.map((booking) => booking.attemptId).filter((attempt) => this.isRunning(attempt)),
          reply_to: '',
        },
        replyTo: to(client),
      },
    });
  }

  private tell(envelope: ServiceEnvelope): void {
    this.post(envelope);
    if (!this.isQuiet) this.run();
  }

  private passTo(monotonic: number): void {
    this.now += monotonic - this.monotonic;
    this.monotonic = monotonic;
  }

  private newId(): string {
    this.lastId++;
    return `01900000-0000-7000-8000-${this.lastId.toString(16).padStart(12, '0')}`;
  }

  private nameOf(id: string): string {
    return this.store.get('job', id)?.name ?? this.store.get('worker', id)?.name ?? this.names.get(id) ?? id;
  }

  private newKernel(): Kernel<ServiceWorld> {
    return new Kernel<ServiceWorld>(serviceActors(this.settings), {
      reader: this.store,
      wallClock: () => this.now,
      monotonicClock: () => this.monotonic,
      newId: () => this.newId(),
      commit: (changes, onDurable) => {
        this.store.commit(
          { version: 1, shard: 1, sequence: this.sequence++, changes: [...changes] },
          onDurable,
        );
      },
      release: (outputs) => {
        for (const output of outputs) this.hear(recoded(output));
      },
      log: (level, text) => {
        if (level === 'warn' || level === 'error') this.warnings.push(text);
      },
      wake: () => undefined,
      fatal: (error) => {
        throw error;
      },
    });
  }

  private hear(output: Output<ServiceWorld>): void {
    const nameOf = (id: string): string => this.nameOf(id);
    if (output.kind === 'effect') {
      if (output.effect.kind === 'forward') this.post(output.effect.envelope);
      const words = effectWords(output.effect, nameOf);
      if (words !== null) this.said.push(words);
      return;
    }
    const answer = output.answer as Answer;
    this.answers.set(output.to, answer);
    const words = answerWords(output.to, answer, nameOf);
    const isOrdinaryBeat = output.to.startsWith('beat ') && words.endsWith(': alive');
    if (!isOrdinaryBeat) this.said.push(words);
  }
}

const to = (client: string): ReplyTo => replyTo(client);

/** As it comes out at the other end of a wire. */
const recoded = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
