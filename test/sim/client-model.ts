import { isDeepStrictEqual } from 'node:util';
import { CATALOG_ID } from '../../actors/catalog/messages.ts';
import type { FarmInput, JobSubmission, QueueInput } from '../../actors/farm/messages.ts';
import type { ReplyTo } from '../../actors/kernel/address.ts';
import type { VirtualTime } from '../../actors/kernel/virtual-time.ts';
import type { ServiceEnvelope } from '../../actors/service-messages.ts';
import type { FarmId, JobId, QueueId } from '../../src/core/ids.ts';
import type { JobPlan } from '../../src/core/openjd/plan.ts';
import type { Outcome } from '../../src/core/problems.ts';
import type { JobRecord } from '../../src/core/records/job.ts';
import type { QueueRecord } from '../../src/core/records/queue.ts';
import { keys } from '../../src/core/records/tables.ts';
import { pageOf, readTask } from '../../src/core/records/task-page.ts';
import type { Checker } from './checker.ts';
import { randomPlan, randomRetry } from './job-plans.ts';
import type { SimulationOptions } from './options.ts';
import type { Random } from './random.ts';
import type { ServiceModel } from './service-model.ts';

const TRY_AGAIN_MS = 2_000;

export interface ClientWorld {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly service: ServiceModel;
  readonly checker: Checker;
  readonly options: SimulationOptions;
}

/** All clients of one farm: they set it up, submit jobs, cancel, and change limits. */
export class ClientModel {
  private readonly farm: FarmId;
  private readonly world: ClientWorld;
  private readonly queues: QueueId[] = [];
  private readonly jobs: { readonly id: JobId; readonly plan: JobPlan }[] = [];
  /** Jobs whose deletion was asked for: they may be gone, and once it was answered they are. */
  private readonly doomed = new Set<JobId>();
  private submitted = 0;
  private settings = 0;

  constructor(farm: FarmId, world: ClientWorld) {
    this.farm = farm;
    this.world = world;
  }

  /** Creates the farm and its queues, trying again for as long as it takes. */
  setUp(onReady: () => void): void {
    this.insist(
      (replyTo) => ({
        actor: 'catalog',
        id: CATALOG_ID,
        message: { type: 'farm.create', farmId: this.farm, input: this.farmInput(), replyTo },
      }),
      () => {
        this.world.checker.farms.push(this.farm);
        this.world.checker.promise((store) =>
          store.get('farm', keys.farm(this.farm)) === undefined ? `farm ${this.farm}` : null,
        );
        this.createQueue(0, onReady);
      },
    );
  }

  /** One random action. */
  act(): void {
    const { random, options } = this.world;
    if (this.submitted < options.jobs && (this.jobs.length === 0 || random.chance(0.8))) this.submit();
    else if (options.cancels && random.chance(0.06)) this.cancelJob();
    else if (options.cancels && random.chance(0.06)) this.deleteJob();
    else if (options.cancels && random.chance(0.3)) this.cancelTask();
    else if (options.limits && random.chance(0.5)) this.replaceQueue();
    else if (options.limits && random.chance(0.4)) this.replaceFarm();
  }

  private createQueue(number: number, onReady: () => void): void {
    if (number >= this.world.options.queues) {
      onReady();
      return;
    }
    const input = this.queueInput(`queue${number}`, false);
    this.insist(
      (replyTo) => ({ actor: 'farm', id: this.farm, message: { type: 'queue.create', input, replyTo } }),
      (outcome: Outcome<QueueRecord>) => {
        // A queue whose creation was not answered is found by its name.
        const id = outcome.ok ? outcome.value.id : this.queueNamed(input.name);
        if (id === null)
          throw new Error(`the queue ${input.name} was refused, and there is none of that name`);
        this.queues.push(id);
        this.world.checker.promise((store) =>
          store.get('queue', keys.queue(id)) === undefined ? `queue ${id}` : null,
        );
        this.createQueue(number + 1, onReady);
      },
    );
  }

  private queueNamed(name: string): QueueId | null {
    for (const { value } of this.world.service.store.scan('queue')) {
      if (value.farmId === this.farm && value.name === name) return value.id;
    }
    return null;
  }

  private submit(): void {
    const { random, options, service, checker } = this.world;
    const plan = randomPlan(`job${this.submitted++}`, random, options);
    const upstreams =
      random.chance(0.3) && this.jobs.length > 0 ? [random.pick(this.jobs), random.pick(this.jobs)] : [];
    const submission: JobSubmission = {
      queueId: random.pick(this.queues),
      plan,
      description: '',
      extensions: [],
      templateText: 'name: simulated',
      templateFormat: 'yaml',
      owner: 'simulation',
      submitter: 'simulation',
      project: '',
      priority: random.pick([10, 50, 50, 50, 90]),
      retry: randomRetry(random),
      upstreams: upstreams.flatMap(({ id }) => {
        const status = service.store.get('job', keys.job(id))?.status;
        return status === undefined ? [] : [{ jobId: id, status }];
      }),
    };
    this.ask<JobRecord>(
      (replyTo) => ({ actor: 'farm', id: this.farm, message: { type: 'job.submit', submission, replyTo } }),
      (outcome) => {
        if (!outcome.ok) return;
        const { id } = outcome.value;
        this.jobs.push({ id, plan });
        let tasks = 0;
        for (const step of plan.steps) tasks += step.taskCount;
        checker.promise((store) => {
          const job = store.get('job', keys.job(id));
          if (job === undefined) return this.doomed.has(id) ? null : `job ${id} is not there`;
          if (job.taskCounts.total !== tasks)
            return `job ${id} has ${job.taskCounts.total} tasks, not ${tasks}`;
          return isDeepStrictEqual(store.get('plan', keys.plan(id)), plan)
            ? null
            : `the plan of job ${id} is another`;
        });
      },
    );
  }

  private cancelJob(): void {
    const { random, checker } = this.world;
    if (this.jobs.length === 0) return;
    const { id } = random.pick(this.jobs);
    this.ask<null>(
      (replyTo) => ({ actor: 'job', id, message: { type: 'job.cancel', replyTo } }),
      (outcome) => {
        if (!outcome.ok) return;
        checker.promise((store) => {
          const status = store.get('job', keys.job(id))?.status;
          if (status === undefined && this.doomed.has(id)) return null;
          return status === 'canceled' ? null : `job ${id} was canceled and is ${status ?? 'not there'}`;
        });
      },
    );
  }

  private deleteJob(): void {
    const { random, checker } = this.world;
    if (this.jobs.length === 0) return;
    const { id } = random.pick(this.jobs);
    this.doomed.add(id);
    this.ask<null>(
      (replyTo) => ({ actor: 'job', id, message: { type: 'job.delete', replyTo } }),
      (outcome) => {
        if (!outcome.ok && outcome.problem.kind !== 'not-found') return;
        checker.promise((store) =>
          store.get('job', keys.job(id)) === undefined ? null : `job ${id} was deleted and is there`,
        );
      },
    );
  }

  private cancelTask(): void {
    const { random, checker } = this.world;
    if (this.jobs.length === 0) return;
    const { id, plan } = random.pick(this.jobs);
    const step = random.pick(plan.steps);
    const index = random.between(0, step.taskCount - 1);
    this.ask<null>(
      (replyTo) => ({
        actor: 'job',
        id,
        message: { type: 'task.cancel', stepOrder: step.order, index, replyTo },
      }),
      (outcome) => {
        if (!outcome.ok) return;
        checker.promise((store) => {
          if (this.doomed.has(id)) return null;
          const page = store.get('taskPage', keys.taskPage(id, step.order, pageOf(index)));
          const status = page === undefined ? undefined : readTask(page, index)?.status;
          return status === 'canceled'
            ? null
            : `task ${index} of ${id} was canceled and is ${status ?? 'untouched'}`;
        });
      },
    );
  }

  private replaceQueue(): void {
    const { random, service, checker } = this.world;
    const queueId = random.pick(this.queues);
    const before = service.store.get('queue', keys.queue(queueId));
    if (before === undefined) return;
    const input = this.queueInput(before.name, random.chance(0.4));
    this.ask<QueueRecord>(
      (replyTo) => ({
        actor: 'farm',
        id: this.farm,
        message: { type: 'queue.replace', queueId, input, replyTo },
      }),
      (outcome) => {
        if (!outcome.ok) return;
        const answered = Number(outcome.value.description);
        checker.promise((store) => {
          const kept = Number(store.get('queue', keys.queue(queueId))?.description);
          return kept >= answered
            ? null
            : `queue ${queueId} has the settings ${kept}, not ${answered} or later`;
        });
      },
    );
  }

  private replaceFarm(): void {
    this.ask(
      (replyTo) => ({
        actor: 'catalog',
        id: CATALOG_ID,
        message: { type: 'farm.replace', farmId: this.farm, input: this.farmInput(), replyTo },
      }),
      () => undefined,
    );
  }

  private farmInput(): FarmInput {
    const { random, options } = this.world;
    return {
      name: `farm ${this.farm}`,
      description: '',
      maxConcurrentTasks: options.limits ? random.pick([0, 0, 1, 3, 10]) : 0,
      retry: randomRetry(random),
    };
  }

  private queueInput(name: string, paused: boolean): QueueInput {
    const { random, options } = this.world;
    return {
      name,
      // Settings are numbered, so that later ones are known from earlier ones.
      description: String(this.settings++),
      priority: 0,
      maxConcurrentTasks: options.limits ? random.pick([0, 0, 1, 2, 5]) : 0,
      paused,
      retry: randomRetry(random),
    };
  }

  private ask<T>(
    envelopeFor: (to: ReplyTo) => ServiceEnvelope,
    onOutcome: (outcome: Outcome<T>) => void,
  ): void {
    // Who asks knows what the answer is: actors/*/messages.ts says it of every message.
    this.world.service.request(envelopeFor, (answer) => {
      onOutcome(answer as Outcome<T>);
    });
  }

  private insist<T>(
    envelopeFor: (to: ReplyTo) => ServiceEnvelope,
    onOutcome: (outcome: Outcome<T>) => void,
  ): void {
    let isAnswered = false;
    const tryOnce = (): void => {
      if (isAnswered) return;
      this.ask<T>(envelopeFor, (outcome) => {
        if (isAnswered) return;
        isAnswered = true;
        onOutcome(outcome);
      });
      this.world.time.after(TRY_AGAIN_MS, tryOnce);
    };
    tryOnce();
  }
}
