import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ApiClient, type ApiAnswer, type AttemptView, type Page } from './api-client.ts';
import { startWorker, type Daemon, type RunningService } from './daemons.ts';
import { until } from './until.ts';

/** A job, a task and a worker as JSON of the REST API, for tests that use only the contract. */
export interface JobDoc {
  readonly id: string;
  readonly status: string;
  readonly priority: number;
  readonly queue_id: string;
  readonly failed_attempts: number;
  readonly park_reason?: string;
  readonly effective_retry: {
    readonly max_attempts: number;
    readonly retry_delay_seconds: number;
    readonly failure_limit: number;
  };
  readonly task_counts: Readonly<Record<string, number>>;
  readonly steps: readonly { readonly id: string; readonly name: string; readonly status: string }[];
  readonly failure_summary: object;
  readonly depends_on?: readonly string[];
}

export interface TaskDoc {
  readonly id: string;
  readonly job_id: string;
  readonly step_id: string;
  readonly name: string;
  readonly status: string;
  readonly assigned_worker_id?: string;
  readonly assigned_at?: string;
  readonly unschedulable_reason?: string;
  readonly failure_reason?: string;
  readonly retry_after?: string;
  readonly failed_attempts: number;
}

export interface WorkerDoc {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly committed_cores: number;
  readonly current_tasks: readonly TaskDoc[];
}

export interface ExplainDoc {
  readonly status: string;
  readonly summary: string;
  readonly gates: readonly { readonly gate: string; readonly reason: string; readonly sentence: string }[];
}

export interface StepSpec {
  readonly name?: string;
  /** Shell command of the step's tasks. */
  readonly line: string;
  readonly tasks?: number;
  /** CPU count that the step requires. Null: no requirement, so a task takes a whole machine. */
  readonly cores?: number | null;
  readonly pools?: readonly string[];
  readonly attributes?: readonly object[];
  readonly after?: readonly string[];
  readonly timeout?: number;
}

/** Returns an OpenJD template with these steps. */
export function jobOf(name: string, ...steps: readonly StepSpec[]): object {
  return {
    specificationVersion: 'jobtemplate-2023-09',
    name,
    steps: steps.map((step, at) => {
      const amounts = [
        ...(step.cores === null ? [] : [{ name: 'amount.worker.vcpu', min: step.cores ?? 1 }]),
        ...(step.pools ?? []).map((pool) => ({ name: `amount.worker.usagepool.${pool}`, min: 1 })),
      ];
      const attributes = step.attributes ?? [];
      const hasRequirements = amounts.length + attributes.length > 0;
      return {
        name: step.name ?? `Step${at + 1}`,
        ...(step.tasks !== undefined && {
          parameterSpace: {
            taskParameterDefinitions: [{ name: 'N', type: 'INT', range: `1-${step.tasks}` }],
          },
        }),
        ...(hasRequirements && {
          hostRequirements: {
            ...(amounts.length > 0 && { amounts }),
            ...(attributes.length > 0 && { attributes }),
          },
        }),
        ...(step.after && { dependencies: step.after.map((dependsOn) => ({ dependsOn })) }),
        script: {
          actions: {
            onRun: {
              command: 'bash',
              args: ['-c', step.line],
              ...(step.timeout !== undefined && { timeout: step.timeout }),
            },
          },
        },
      };
    }),
  };
}

export const attribute = (name: string, kind: 'anyOf' | 'allOf', ...values: readonly string[]): object => ({
  name: `attr.worker.${name}`,
  [kind]: values,
});

const WAIT_MS = 40_000;

/** A farm of a running service, with the worker daemons that serve it. */
export class ContractFarm {
  readonly api: ApiClient;
  readonly id: string;
  readonly queueId: string;
  readonly workers = new Map<string, Daemon>();
  private readonly service: RunningService;
  private readonly label: string;

  private constructor(service: RunningService, label: string, id: string, queueId: string) {
    this.service = service;
    this.api = service.api;
    this.label = label;
    this.id = id;
    this.queueId = queueId;
  }

  static async make(service: RunningService, label: string, fields: object = {}): Promise<ContractFarm> {
    const farm = await service.api.must<{ id: string }>('POST', '/api/v1/farms', { name: label, ...fields });
    const queue = await service.api.must<{ id: string }>('POST', '/api/v1/queues', {
      farm_id: farm.id,
      name: 'main',
    });
    return new ContractFarm(service, label, farm.id, queue.id);
  }

  async queue(name: string, fields: object = {}): Promise<string> {
    const body = { farm_id: this.id, name, ...fields };
    return (await this.api.must<{ id: string }>('POST', '/api/v1/queues', body)).id;
  }

  setQueue(id: string, name: string, fields: object): Promise<unknown> {
    return this.api.must('PUT', `/api/v1/queues/${id}`, { farm_id: this.id, name, ...fields });
  }

  /** Starts a worker of this farm and waits until it is online. */
  async worker(name: string, ...flags: readonly string[]): Promise<WorkerDoc> {
    const daemon = startWorker(this.service, `${this.label}-${name}`, [`--worker-farm=${this.id}`, ...flags]);
    this.workers.set(name, daemon);
    return this.waitForWorkerStatus(name, 'online');
  }

  async waitForWorkerStatus(name: string, status: string): Promise<WorkerDoc> {
    return until(
      `worker ${name} is ${status}`,
      async () => {
        const { items } = await this.api.must<Page<WorkerDoc>>('GET', `/api/v1/workers?farm_id=${this.id}`);
        return (
          items.find((worker) => worker.name === `${this.label}-${name}` && worker.status === status) ?? null
        );
      },
      WAIT_MS,
    );
  }

  async stop(): Promise<void> {
    for (const daemon of this.workers.values()) if (daemon.isRunning) daemon.child.kill('SIGCONT');
    await Promise.all([...this.workers.values()].map((daemon) => daemon.kill('SIGTERM')));
  }

  trySubmit(
    template: object | string,
    query: Readonly<Record<string, string | number>> = {},
    queueId = this.queueId,
  ): Promise<ApiAnswer<JobDoc>> {
    const parameters = new URLSearchParams({ farm_id: this.id, queue_id: queueId });
    for (const [name, value] of Object.entries(query)) {
      for (const each of String(value).split(' ')) parameters.append(name, each);
    }
    const type = typeof template === 'string' ? 'application/x-yaml' : 'application/json';
    return this.api.call<JobDoc>('POST', `/api/v1/jobs?${parameters.toString()}`, template, type);
  }

  /**
   * Submits a job and returns its ID; throws if it is rejected. Separate several values of a query parameter with
   * spaces.
   */
  async submit(
    template: object,
    query: Readonly<Record<string, string | number>> = {},
    queueId = this.queueId,
  ): Promise<string> {
    const { status, body } = await this.trySubmit(template, query, queueId);
    if (status !== 201) throw new Error(`the job was rejected: ${status} ${JSON.stringify(body)}`);
    return body.id;
  }

  job(id: string): Promise<JobDoc> {
    return this.api.must<JobDoc>('GET', `/api/v1/jobs/${id}`);
  }

  async tasks(id: string): Promise<readonly TaskDoc[]> {
    return (await this.api.must<Page<TaskDoc>>('GET', `/api/v1/jobs/${id}/tasks?limit=1000`)).items;
  }

  async task(jobId: string, index = 0): Promise<TaskDoc> {
    const task = (await this.tasks(jobId))[index];
    if (task === undefined) throw new Error(`job ${jobId} has no task ${index}`);
    return task;
  }

  async statuses(id: string): Promise<readonly string[]> {
    return (await this.tasks(id)).map((task) => task.status);
  }

  attempts(taskId: string): Promise<readonly AttemptView[]> {
    return this.api.attempts(taskId);
  }

  /** Polls a job until `condition` holds. */
  async waitForJob(id: string, what: string, fits: (job: JobDoc) => boolean): Promise<JobDoc> {
    return until(
      what,
      async () => {
        const job = await this.job(id);
        return fits(job) ? job : null;
      },
      WAIT_MS,
    ).catch(async (error: unknown) => {
      throw new Error(`${String(error)}: ${JSON.stringify(await this.job(id))}`);
    });
  }

  /** Waits until the job has this status. */
  waitForJobStatus(id: string, status = 'completed'): Promise<JobDoc> {
    return this.waitForJob(id, `job is ${status}`, (job) => job.status === status);
  }

  /** Waits until `count` tasks of the job have the status. */
  waitForTaskCount(id: string, status: string, howMany: number): Promise<JobDoc> {
    return this.waitForJob(
      id,
      `${howMany} tasks are ${status}`,
      (job) => job.task_counts[status] === howMany,
    );
  }

  /** Polls a task until `condition` holds. */
  async waitForTask(
    jobId: string,
    index: number,
    what: string,
    fits: (task: TaskDoc) => boolean,
  ): Promise<TaskDoc> {
    return until(
      what,
      async () => {
        const task = await this.task(jobId, index);
        return fits(task) ? task : null;
      },
      WAIT_MS,
    ).catch(async (error: unknown) => {
      throw new Error(`${String(error)}: ${JSON.stringify(await this.task(jobId, index))}`);
    });
  }

  post(path: string, body?: object): Promise<ApiAnswer> {
    return this.api.call('POST', `/api/v1/${path}`, body);
  }

  patch(id: string, body: object): Promise<ApiAnswer<JobDoc>> {
    return this.api.call<JobDoc>('PATCH', `/api/v1/jobs/${id}`, body);
  }

  async cancel(...ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.api.must('POST', `/api/v1/jobs/${id}/cancel`);
  }

  /** Polls the explanation until its summary matches: changes reach the scheduler with a short delay. */
  async waitForExplanation(taskId: string, summary: RegExp): Promise<ExplainDoc> {
    const ask = (): Promise<ExplainDoc> =>
      this.api.must<ExplainDoc>('GET', `/api/v1/tasks/${taskId}/explain`);
    return until(
      `the explanation matches ${summary.source}`,
      async () => {
        const explanation = await ask();
        return summary.test(explanation.summary) ? explanation : null;
      },
      WAIT_MS,
    ).catch(async (error: unknown) => {
      throw new Error(`${String(error)}: ${JSON.stringify(await ask())}`);
    });
  }

  /** Returns a counter of /metrics for a queue of this farm. */
  async counter(name: string, queueId = this.queueId): Promise<number> {
    const { text } = await this.api.must<{ text: string }>('GET', '/metrics');
    const line = text.split('\n').find((each) => each.startsWith(`${name}{queue="${queueId}"}`));
    return line === undefined ? 0 : Number(line.split(' ').at(-1));
  }

  /** Waits until a counter reaches this value: counters lag behind the readable state by some milliseconds. */
  async waitForCounter(name: string, wanted: number, queueId = this.queueId): Promise<void> {
    await until(`${name} is ${wanted}`, async () => (await this.counter(name, queueId)) >= wanted, WAIT_MS);
    const counted = await this.counter(name, queueId);
    if (counted !== wanted) throw new Error(`${name} is ${counted}, not ${wanted}`);
  }
}

/** A file that tasks wait for or write to. */
export class Gate {
  readonly path: string;

  constructor(folder: string, name: string) {
    this.path = join(folder, name);
  }

  /** Returns a shell command that waits until the gate is open. */
  get wait(): string {
    return `until [ -e ${this.path} ]; do sleep 0.05; done`;
  }

  open(): void {
    writeFileSync(this.path, '');
  }

  read(): string {
    return existsSync(this.path) ? readFileSync(this.path, 'utf8') : '';
  }
}
