import { CATALOG_ID, type FarmInput } from '../../actors/service/catalog/messages.ts';
import type { JobSubmission, QueueInput, WorkerIdentity } from '../../actors/service/farm/messages.ts';
import type {
  JobUpdate,
  RetryRequest,
  RetrySelection,
  RetryTarget,
} from '../../actors/service/job/messages.ts';
import { replyTo, type ReplyTo } from '../../actors/kernel/address.ts';
import type { ServiceEnvelope } from '../../actors/service/service-messages.ts';
import type { ServiceSettings } from '../../actors/service/service-system.ts';
import type { WorkerMessage } from '../../actors/service/worker/messages.ts';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import {
  farmId,
  parseAttemptId,
  queueId,
  workerId,
  type AttemptId,
  type FarmId,
  type JobId,
  type QueueId,
  type WorkerId,
} from '../../src/core/ids.ts';
import type {
  DemandExplanation,
  LeaseExplanation,
  PoolUse,
  StepExplanation,
  WaitingExplanation,
} from '../../src/core/lease/explanation.ts';
import type { OutagePlace } from '../../src/core/outages/outage.ts';
import { keys } from '../../src/core/records/tables.ts';
import { readTask, readTaskStatus } from '../../src/core/records/task-page.ts';
import type { WorkerDisabling, WorkerRecord } from '../../src/core/records/worker.ts';
import { timestampOf } from '../../src/core/timestamp.ts';
import type { StepRequirements } from '../../src/openjd/template/plan.ts';
import type {
  AttemptReport,
  HeartbeatMessage,
  RegisterMessage,
  ReportedStatus,
} from '../../src/core/wire/bus-messages.ts';
import { ANY_QUEUE } from '../../src/core/wire/subjects.ts';
import { TestFarmCatalog } from './farm-catalog.ts';
import { jobPlan, type PlannedStep } from './plans.ts';

const FARM: FarmInput = { name: 'F', description: '', maxConcurrentTasks: 0, retry: {} };
const QUEUE: QueueInput = {
  name: 'Q',
  description: '',
  priority: 0,
  maxConcurrentTasks: 0,
  paused: false,
  retry: {},
};

/** Optional fields of a report. */
interface OptionalReportFields {
  /** The worker that sends the report; the holder of the attempt unless given. */
  readonly from?: string;
  readonly exitCode?: number;
  readonly message?: string;
  readonly sessionId?: string;
  readonly progress?: number;
  readonly statusMessage?: string;
}

/** Terms that a worker reports in a heartbeat. */
type HeartbeatTerms = Pick<HeartbeatMessage, 'reclaim_after_ms' | 'service' | 'bus' | 'mark' | 'draining'>;

/**
 * The whole service without HTTP and bus: the real kernel and actors over an in-memory store. Tests send messages in
 * scenarios and refer to objects by name. The clock advances only when the test advances it. Every message is encoded
 * and decoded in transit. Initially there is a farm F with a queue Q.
 */
export class TestFarm extends TestFarmCatalog {
  readonly farm: FarmId;
  readonly queue: QueueId;

  constructor(settings: Partial<ServiceSettings> = {}, store = createMemoryStore()) {
    super(settings, store);
    this.farm = this.createFarm();
    this.queue = this.createQueue();
    this.takeOutputs();
  }

  // Farms and queues

  createFarm(some: Partial<FarmInput> = {}): FarmId {
    const id = farmId(this.newId());
    const input = { ...FARM, ...some };
    this.names.set(id, input.name);
    this.send({
      actor: 'catalog',
      id: CATALOG_ID,
      message: { type: 'farm.create', farmId: id, input, replyTo: to(`create farm ${input.name}`) },
    });
    return id;
  }

  replaceFarm(some: Partial<FarmInput>, farm = this.farm): void {
    const input = { ...FARM, ...some };
    this.send({
      actor: 'catalog',
      id: CATALOG_ID,
      message: { type: 'farm.replace', farmId: farm, input, replyTo: to('replace farm') },
    });
  }

  deleteFarm(farm = this.farm, force = true): void {
    this.send({
      actor: 'farm',
      id: farm,
      message: { type: 'farm.delete', force, replyTo: to('delete farm') },
    });
  }

  createQueue(some: Partial<QueueInput> = {}, farm = this.farm): QueueId {
    const input = { ...QUEUE, ...some };
    const client = `create queue ${input.name}`;
    this.answers.delete(client);
    this.send({ actor: 'farm', id: farm, message: { type: 'queue.create', input, replyTo: to(client) } });
    const rows = [...this.store.scan('queue')].map((row) => row.value);
    const id =
      rows.find((queue) => queue.farmId === farm && queue.name === input.name)?.id ?? queueId('no queue');
    this.names.set(id, input.name);
    return id;
  }

  replaceQueue(some: Partial<QueueInput>, queue = this.queue): void {
    this.send({
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
    this.send({
      actor: 'farm',
      id: this.farm,
      message: { type: 'queue.delete', queueId: queue, replyTo: to('delete queue') },
    });
  }

  // Jobs

  submit(
    name: string,
    steps: readonly PlannedStep[],
    some: Partial<Omit<JobSubmission, 'upstreams'>> & {
      readonly after?: readonly string[];
      readonly farm?: FarmId;
    } = {},
  ): void {
    const { after = [], farm, ...rest } = some;
    const upstreams = after.map((upstream) => ({
      jobId: this.jobId(upstream),
      status: this.job(upstream).status,
    }));
    this.submitAfter(name, steps, upstreams, rest, farm);
  }

  /** Submits a job with a snapshot of its upstream jobs, which may be outdated. */
  submitAfter(
    name: string,
    steps: readonly PlannedStep[],
    upstreams: JobSubmission['upstreams'],
    some: Partial<JobSubmission> = {},
    farm = this.farm,
  ): void {
    const submission: JobSubmission = {
      queueId: this.queue,
      plan: jobPlan(name, steps),
      description: '',
      extensions: [],
      template: { text: 'specificationVersion: jobtemplate-2023-09' },
      templateFormat: 'yaml',
      owner: 'ada',
      submitter: 'ada',
      project: '',
      priority: 50,
      retry: {},
      isPaused: false,
      product: null,
      upstreams,
      ...some,
    };
    this.send({
      actor: 'farm',
      id: farm,
      message: { type: 'job.submit', submission, replyTo: to(`submit ${name}`) },
    });
  }

  cancelJob(name: string): void {
    this.send({
      actor: 'job',
      id: this.jobId(name),
      message: { type: 'job.cancel', replyTo: to(`cancel ${name}`) },
    });
  }

  updateJob(name: string, some: Partial<JobUpdate> & { readonly queueId?: QueueId }): void {
    const { queueId: queue, ...rest } = some;
    const update: JobUpdate = { retry: {}, ...rest };
    const id = this.jobId(name);
    const client = to(`update ${name}`);
    if (queue === undefined) {
      this.send({ actor: 'job', id, message: { type: 'job.update', update, queue: null, replyTo: client } });
    } else {
      this.send({
        actor: 'farm',
        id: this.farm,
        message: { type: 'job.requeue', jobId: id, queueId: queue, update, replyTo: client },
      });
    }
  }

  private retryRequest(id: JobId, target: RetryTarget, scope: RetryRequest['scope'] = 'tasks'): RetryRequest {
    const dependsOn = this.store.get('job', id)?.dependsOn ?? [];
    const upstreams = dependsOn.map((jobId) => ({
      jobId,
      status: this.store.get('job', jobId)?.status ?? ('deleted' as const),
    }));
    return { target, upstreams, scope, isDryRun: false };
  }

  retryJob(name: string, scope: RetryRequest['scope'] = 'tasks'): void {
    const id = this.jobId(name);
    this.send({
      actor: 'job',
      id,
      message: {
        type: 'job.retry',
        request: this.retryRequest(id, 'job', scope),
        replyTo: to(`retry ${name}`),
      },
    });
  }

  retrySome(name: string, selection: RetrySelection, scope: RetryRequest['scope'] = 'tasks'): void {
    const id = this.jobId(name);
    this.send({
      actor: 'job',
      id,
      message: {
        type: 'job.retry',
        request: this.retryRequest(id, { selection }, scope),
        replyTo: to(`retry ${name}`),
      },
    });
  }

  /** Skips tasks of a job. */
  skip(name: string, selection: RetrySelection, isDryRun = false): void {
    const id = this.jobId(name);
    const request = this.retryRequest(id, { selection }, 'later steps');
    this.send({
      actor: 'job',
      id,
      message: {
        type: 'job.retry',
        request: { ...request, isDryRun, skip: { by: 'ann', reason: 'not needed' } },
        replyTo: to(`skip ${name}`),
      },
    });
  }

  /** Holds a step, or releases it. */
  hold(name: string, stepOrder: number, isHold = true): void {
    const hold = isHold ? { by: 'ann', reason: 'wait for plates' } : null;
    const replyTo = to(`hold ${name}/${stepOrder}`);
    this.send({
      actor: 'job',
      id: this.jobId(name),
      message: { type: 'step.hold', stepOrder, hold, replyTo },
    });
  }

  skipTask(word: string): void {
    const { jobId, stepOrder, index } = this.address(word);
    const request = this.retryRequest(jobId, { stepOrder, index }, 'later steps');
    this.send({
      actor: 'job',
      id: jobId,
      message: {
        type: 'job.retry',
        request: { ...request, skip: { by: 'ann', reason: 'not needed' } },
        replyTo: to(`skip ${word}`),
      },
    });
  }

  retryTask(word: string, scope: RetryRequest['scope'] = 'tasks'): void {
    const { jobId, stepOrder, index } = this.address(word);
    this.send({
      actor: 'job',
      id: jobId,
      message: {
        type: 'job.retry',
        request: this.retryRequest(jobId, { stepOrder, index }, scope),
        replyTo: to(`retry ${word}`),
      },
    });
  }

  deleteJob(name: string): void {
    const id = this.jobId(name);
    this.names.set(id, name);
    this.deleteJobById(id, `delete ${name}`);
  }

  deleteJobById(id: string, client = 'delete'): void {
    this.send({ actor: 'job', id, message: { type: 'job.delete', replyTo: to(client) } });
  }

  cancelJobById(id: string): void {
    this.send({ actor: 'job', id, message: { type: 'job.cancel', replyTo: to('cancel') } });
  }

  cancelTask(word: string): void {
    const { jobId, stepOrder, index } = this.address(word);
    this.send({
      actor: 'job',
      id: jobId,
      message: { type: 'task.cancel', stepOrder, index, replyTo: to(`cancel ${word}`) },
    });
  }

  // Workers

  /** Proof of the identity of workers on the bus. */
  identity: WorkerIdentity['kind'] = 'open';

  private identityOf({ worker_id: id }: RegisterMessage): WorkerIdentity {
    if (this.identity !== 'joined') return { kind: this.identity };
    const credential = this.store.get('workerCredential', keys.workerCredential(id)) ?? null;
    return { kind: 'joined', credential };
  }

  /** Registers a worker: its daemon starts, or repeats its registration. Default: 4 cores. */
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
    this.send({
      actor: 'farm',
      id: registration.farm,
      message: {
        type: 'worker.register',
        registration,
        identity: this.identityOf(registration),
        replyTo: client,
      },
    });
  }

  /** Sends a heartbeat with the open attempts of the worker; default: the attempts reported as running. */
  heartbeat(
    name: string,
    some: {
      readonly open?: readonly string[];
      readonly attempts?: readonly AttemptId[];
      readonly incarnation?: string;
      readonly terms?: HeartbeatTerms;
    } = {},
  ): void {
    this.sendHeartbeat(name, some, `heartbeat ${name}`);
  }

  deregister(name: string, incarnation = this.worker(name).incarnation): void {
    const { id, farmId: farm } = this.worker(name);
    this.beating.delete(name);
    this.send({
      actor: 'worker',
      id,
      message: {
        type: 'worker.deregister',
        departure: { v: 1, type: 'deregister', worker_id: id, farm_id: farm, incarnation, reply_to: '' },
        replyTo: to(`deregister ${name}`),
      },
    });
  }

  disableWorker(name: string, some: Partial<Omit<WorkerDisabling, 'at'>> = {}): void {
    const disabling = { by: 'ann', reason: '', stopsTasks: false, ...some };
    this.sendToWorker(name, { type: 'worker.disable', disabling, replyTo: to(`disable ${name}`) });
  }

  enableWorker(name: string): void {
    this.sendToWorker(name, { type: 'worker.enable', replyTo: to(`enable ${name}`) });
  }

  endOutage(place: OutagePlace): void {
    const message = { type: 'outage.end', place, by: 'ana', replyTo: to('end outage') } as const;
    this.send({ actor: 'lease', id: this.farm, message });
  }

  liftQuarantine(name: string): void {
    this.sendToWorker(name, { type: 'quarantine.lift', by: 'ann', replyTo: to(`lift ${name}`) });
  }

  deleteWorker(name: string): void {
    this.sendToWorker(name, { type: 'worker.delete', replyTo: to(`delete ${name}`) });
  }

  /** Sends a lease request of the worker. */
  lease(
    name: string,
    some: { readonly queue?: QueueId; readonly incarnation?: string; readonly client?: string } = {},
  ): void {
    const worker = this.store.get('worker', this.idOf(name));
    this.send({
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

  /** Explains for each set of requirements which workers could run tasks of the first queue with it. */
  explainDemands(...requirements: readonly StepRequirements[]): readonly DemandExplanation[] {
    this.send({
      actor: 'lease',
      id: this.farm,
      message: { type: 'demands.explain', queueId: this.queue, requirements, replyTo: to('demands') },
    });
    const answer = this.answer('demands');
    if (answer === undefined || !('ok' in answer) || !answer.ok) throw new Error('demands: no answer');
    // See the comment on the message type.
    return answer.value as readonly DemandExplanation[];
  }

  /** Returns the waiting tasks of the farm, or of some of its jobs, by reason. */
  explainFarm(jobIds: readonly JobId[] | null = null): WaitingExplanation {
    this.send({
      actor: 'lease',
      id: this.farm,
      message: { type: 'farm.explain', jobIds, replyTo: to('explain farm') },
    });
    const answer = this.answer('explain farm');
    if (answer === undefined || !('ok' in answer) || !answer.ok) throw new Error('explain farm: no answer');
    // See the comment on the message type.
    return answer.value as WaitingExplanation;
  }

  /** Returns what holds and what waits for slots of a usage pool. */
  poolUse(pool: string): PoolUse {
    const client = `use of ${pool}`;
    this.send({ actor: 'lease', id: this.farm, message: { type: 'pool.use', pool, replyTo: to(client) } });
    const answer = this.answer(client);
    if (answer === undefined || !('ok' in answer) || !answer.ok) throw new Error(`no answer for ${client}`);
    // See the comment on the message type.
    return answer.value as PoolUse;
  }

  /** Explains steps, such as `A/0`: the given tasks of each, or the first ready one. */
  explainSteps(steps: Readonly<Record<string, readonly number[] | null>>): readonly StepExplanation[] {
    this.send({
      actor: 'lease',
      id: this.farm,
      message: {
        type: 'steps.explain',
        steps: Object.entries(steps).map(([word, indices]) => {
          const { jobId, stepOrder } = this.address(`${word}/0`);
          const requirements = this.store.get('plan', keys.plan(jobId))?.steps[stepOrder]?.requirements;
          if (requirements === undefined) throw new Error(`there is no step ${word}`);
          return {
            jobId,
            stepOrder,
            indices,
            queueId: this.job(this.nameOf(jobId)).queueId,
            requirements,
          };
        }),
        replyTo: to('explain steps'),
      },
    });
    const answer = this.answer('explain steps');
    if (answer === undefined || !('ok' in answer) || !answer.ok) throw new Error('explain steps: no answer');
    // See the comment on the message type.
    return answer.value as readonly StepExplanation[];
  }

  /** Returns the lease actor's explanation of a waiting task. */
  explain(word: string): LeaseExplanation {
    const { jobId, stepOrder, index } = this.address(word);
    const requirements = this.store.get('plan', keys.plan(jobId))?.steps[stepOrder]?.requirements;
    if (requirements === undefined) throw new Error(`there is no step of ${word}`);
    const { queueId: queue } = this.job(this.nameOf(jobId));
    const client = `explain ${word}`;
    this.send({
      actor: 'lease',
      id: this.farm,
      message: {
        type: 'task.explain',
        jobId,
        stepOrder,
        index,
        queueId: queue,
        requirements,
        replyTo: to(client),
      },
    });
    const answer = this.answer(client);
    if (answer === undefined || !('ok' in answer) || !answer.ok) throw new Error(`no answer for ${client}`);
    // See the comment on the message type.
    return answer.value as LeaseExplanation;
  }

  /** Sends a worker's report on `A/0/3` (its latest attempt) or on `A/0/3#2`. */
  report(word: string, status: ReportedStatus, some: OptionalReportFields = {}): void {
    this.send(this.reportOf(word, status, some));
  }

  /** Sends one message with reports on several tasks of one job. */
  reportAll(reports: readonly (readonly [word: string, status: ReportedStatus])[]): void {
    const [first] = reports;
    if (first === undefined) throw new Error('no reports are given');
    this.send({
      actor: 'job',
      id: this.address(first[0]).jobId,
      message: {
        type: 'tasks.reported',
        workerId: this.workerOfAttempt(this.attemptId(first[0])),
        reports: reports.map(([word, status]) => this.attemptReport(word, status)),
      },
    });
  }

  /** Builds the message with a report, to be sent later with `deliver`. */
  reportOf(word: string, status: ReportedStatus, some: OptionalReportFields = {}): ServiceEnvelope {
    return {
      actor: 'job',
      id: this.address(word).jobId,
      message: {
        type: 'tasks.reported',
        workerId:
          some.from === undefined ? this.workerOfAttempt(this.attemptId(word)) : this.worker(some.from).id,
        reports: [this.attemptReport(word, status, some)],
      },
    };
  }

  /** Returns the worker of an attempt; an unknown one if there is no such attempt. */
  private workerOfAttempt(id: AttemptId): WorkerId {
    const attempt = parseAttemptId(id);
    if (attempt === null) return workerId('w');
    const row = this.store.get('attempt', keys.attempt(attempt, attempt.attemptNumber));
    if (row !== undefined) return row.workerId;
    const page = this.store.get('taskPage', keys.taskPageOf(attempt));
    const ordinal = page === undefined ? null : readTask(page, attempt.index)?.workerOrdinal;
    if (ordinal === null || ordinal === undefined) return workerId('w');
    return this.store.get('workerOrdinal', keys.workerOrdinal(this.farm, ordinal))?.workerId ?? workerId('w');
  }

  /** Builds a report on `A/0/3` (its latest attempt) or on `A/0/3#2`. */
  attemptReport(word: string, status: ReportedStatus, some: OptionalReportFields = {}): AttemptReport {
    return {
      attempt_id: this.attemptId(word),
      status,
      timestamp: timestampOf(this.now),
      session_id: some.sessionId ?? 'session-1',
      ...(some.exitCode === undefined ? {} : { exit_code: some.exitCode }),
      ...(some.message === undefined ? {} : { message: some.message }),
      ...(some.progress === undefined ? {} : { progress: some.progress }),
      ...(some.statusMessage === undefined ? {} : { status_message: some.statusMessage }),
    };
  }

  /** Delivers a message of `reportOf`. */
  deliver(envelope: ServiceEnvelope): void {
    this.send(envelope);
  }

  private sendToWorker(name: string, message: WorkerMessage): void {
    this.send({ actor: 'worker', id: this.idOf(name), message });
  }

  protected override beat(worker: string): void {
    this.sendHeartbeat(worker, {}, `beat ${worker}`);
  }

  /** Reports whether the worker has reported the attempt as running. */
  private isRunning(attemptId: AttemptId): boolean {
    const attempt = parseAttemptId(attemptId);
    if (attempt === null) throw new Error(`${attemptId} is not an attempt ID`);
    const page = this.store.get('taskPage', keys.taskPageOf(attempt));
    return page !== undefined && readTaskStatus(page, attempt.index) === 'running';
  }

  private sendHeartbeat(
    name: string,
    some: {
      readonly open?: readonly string[];
      readonly attempts?: readonly AttemptId[];
      readonly incarnation?: string;
      readonly terms?: HeartbeatTerms;
    },
    client: string,
  ): void {
    const worker = this.worker(name);
    const booked = this.store.get('booking', keys.booking(worker.id))?.bookings ?? [];
    const open =
      some.attempts ??
      some.open?.map((word) => this.attemptId(word)) ??
      booked.map((booking) => booking.attemptId).filter((attempt) => this.isRunning(attempt));
    this.heartbeatOf(
      { ...worker, incarnation: some.incarnation ?? worker.incarnation },
      open,
      client,
      some.terms,
    );
  }

  /** Sends a heartbeat of a worker that may be missing from the store. */
  heartbeatOf(
    { id, farmId: farm, incarnation }: Pick<WorkerRecord, 'id' | 'farmId' | 'incarnation'>,
    open: readonly AttemptId[],
    client = 'heartbeat',
    terms: HeartbeatTerms = {},
  ): void {
    this.send({
      actor: 'worker',
      id,
      message: {
        type: 'worker.heartbeat',
        heartbeat: {
          v: 1,
          type: 'heartbeat',
          worker_id: id,
          farm_id: farm,
          incarnation,
          open_attempts: open,
          ...terms,
          reply_to: '',
        },
        replyTo: to(client),
      },
    });
  }
}

const to = <Answer>(client: string): ReplyTo<Answer> => replyTo(client);
