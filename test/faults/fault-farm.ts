import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { AttemptView } from '../kit/api-client.ts';
import { Daemon, freePort, joinFlags, startService, type RunningService } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';
import { evidenceTemplate, readProcesses, type TaskProcess } from './evidence.ts';
import { Freezer } from './freezer.ts';
import type { Line, Network } from './lines.ts';
import { NamespaceNetwork, namespacesWork } from './namespace-network.ts';
import { startedBy } from './process-list.ts';
import { ProxyNetwork } from './proxy-network.ts';

/** Cores of each worker, which is the number of its concurrent tasks. */
const CORES = 2;
const WAIT_MS = 240_000;
const POOL = 'seat';
const EVIDENCE = 'evidence.txt';

export interface FaultFarmOptions {
  readonly workers: number;
  /** Workers that one fault affects at the same time. */
  readonly victims: number;
  readonly heartbeatTimeoutSeconds: number;
  readonly shortMs: number;
  readonly longMs: number;
  readonly tasks: number;
}

/** One worker of a farm with faults. */
export interface FaultWorker {
  readonly name: string;
  readonly directory: string;
  readonly line: Line;
  readonly freezer: Freezer | null;
  daemon: Daemon;
}

/** An attempt as returned by the service, with its task. */
export interface SeenAttempt extends AttemptView {
  readonly task: string;
}

interface WorkerView {
  readonly id: string;
  readonly name: string;
  readonly status: string;
}

/** A real service, a real nats-server and real workers, each with its own connection to the bus, running one job. */
export class FaultFarm {
  readonly options: FaultFarmOptions;
  readonly network: Network;
  readonly service: RunningService;
  private readonly folder: string;
  private readonly members: FaultWorker[] = [];
  private jobId = '';

  private constructor(options: FaultFarmOptions, folder: string, network: Network, service: RunningService) {
    this.options = options;
    this.folder = folder;
    this.network = network;
    this.service = service;
  }

  /** Resolves when every core is in use. */
  static async start(options: FaultFarmOptions): Promise<FaultFarm> {
    const folder = await mkdtemp(join(tmpdir(), 'callsheet-faults-'));
    const busPort = await freePort();
    const network = namespacesWork() ? new NamespaceNetwork(busPort) : new ProxyNetwork(busPort);
    const service = await startService({
      folder,
      httpPort: await freePort(),
      busPort,
      flags: [
        `--bus-addr=${network.busAddress}`,
        `--scheduler-heartbeat-timeout=${options.heartbeatTimeoutSeconds}s`,
      ],
    });
    const farm = new FaultFarm(options, folder, network, service);
    try {
      await farm.begin(options);
      return farm;
    } catch (error) {
      await farm.stop();
      throw error;
    }
  }

  get workers(): readonly FaultWorker[] {
    return this.members;
  }

  private async begin({ workers, victims, tasks, shortMs, longMs }: FaultFarmOptions): Promise<void> {
    const show = await this.service.api.makeFarm('show');
    const file = join(this.folder, EVIDENCE);
    // Free cores allow a reassigned task to start again immediately, so only the order of events keeps it from running
    // twice.
    const slots = (workers - victims) * CORES;
    await this.service.api.must('POST', '/api/v1/usage-pools', { name: POOL, max_concurrent: slots });
    const { status, body } = await show.submit(
      evidenceTemplate({ file, tasks, shortMs, longMs, pool: POOL }),
    );
    if (status !== 201) throw new Error(`the job was rejected: ${JSON.stringify(body)}`);
    this.jobId = body.id;
    for (let index = 0; index < workers; index++) {
      const name = `w${index}`;
      const line = await this.network.line();
      const freezer = Freezer.make(`callsheet-faults-${this.service.busPort}-${index}`);
      const directory = join(this.folder, name);
      const daemon = startDaemon(this.folder, name, directory, line, freezer);
      this.members.push({ name, directory, line, freezer, daemon });
    }
    await this.areOnline(this.workers);
    await until('every slot is taken', () => this.workers.flatMap(tasksOf).length >= slots, WAIT_MS);
  }

  /** Starts the daemon of a worker again, in the same directory. */
  restart(worker: FaultWorker): void {
    worker.daemon = startDaemon(this.folder, worker.name, worker.directory, worker.line, worker.freezer);
  }

  processes(): TaskProcess[] {
    return readProcesses(join(this.folder, EVIDENCE));
  }

  /** Resolves when these workers are online. */
  async areOnline(workers: readonly FaultWorker[]): Promise<void> {
    const names = new Set(workers.map(({ name }) => name));
    await until(
      `${[...names].join(', ')} are online`,
      async () => {
        const online = (await this.workerViews()).filter(({ status }) => status === 'online');
        return online.filter(({ name }) => names.has(name)).length === names.size;
      },
      WAIT_MS,
    );
  }

  async workerViews(): Promise<readonly WorkerView[]> {
    const { items } = await this.service.api.must<{ items: WorkerView[] }>(
      'GET',
      '/api/v1/workers?limit=1000',
    );
    return items;
  }

  /** Returns the open attempts of these workers according to the service. */
  async openAttempts(workers: readonly FaultWorker[]): Promise<SeenAttempt[]> {
    const names = new Set(workers.map(({ name }) => name));
    const ids = new Set((await this.workerViews()).flatMap(({ id, name }) => (names.has(name) ? [id] : [])));
    const tasks = await this.tasks('running');
    const seen = await Promise.all(tasks.map((task) => this.attemptsOf(task)));
    return seen
      .flat()
      .filter(({ worker_id: id, ended_at: endedAt }) => endedAt === undefined && ids.has(id ?? ''));
  }

  /** Returns the current state of an attempt. */
  async attemptNow({ task, attempt_number: number }: SeenAttempt): Promise<SeenAttempt> {
    const found = (await this.attemptsOf(task)).find((attempt) => attempt.attempt_number === number);
    if (found === undefined) throw new Error(`the attempt ${number} of ${task} is missing`);
    return found;
  }

  /** Resolves when the service has closed all of these attempts, with their current states. */
  async closed(attempts: readonly SeenAttempt[]): Promise<SeenAttempt[]> {
    return until(
      'the attempts are closed',
      async () => {
        const now = await Promise.all(attempts.map((attempt) => this.attemptNow(attempt)));
        return now.every(({ ended_at: endedAt }) => endedAt !== undefined) ? now : null;
      },
      WAIT_MS,
    );
  }

  /** Cancels the job, waits until nothing runs, and returns the results of all started tasks. */
  async finish(): Promise<JobEvidence> {
    await this.service.api.must('POST', `/api/v1/jobs/${this.jobId}/cancel`);
    const { failed_attempts: consumed } = await until('the job is canceled', async () => {
      const job = await this.service.api.job(this.jobId);
      return job.status === 'canceled' ? job : null;
    });
    await until(
      'the canceled processes have exited',
      () => this.workers.flatMap(tasksOf).length === 0,
      WAIT_MS,
    );
    const processes = this.processes();
    const names = new Map((await this.workerViews()).map(({ id, name }) => [id, name]));
    const wrong: string[] = [];
    for (const task of new Set(processes.map((process) => process.task))) {
      const attempts = await until(`the attempts of task ${task} are closed`, async () => {
        const all = await this.attemptsOf(`${this.jobId}-0-${Number(task) - 1}`);
        return all.every(({ ended_at: endedAt }) => endedAt !== undefined) ? all : null;
      });
      const complaint = findFault(
        attempts,
        processes.filter((process) => process.task === task),
        names,
      );
      if (complaint !== null) wrong.push(`task ${task}: ${complaint}: ${JSON.stringify(attempts)}`);
    }
    return { processes, consumed, wrong };
  }

  /** Ends all remaining processes and removes the files. */
  async stop(): Promise<void> {
    for (const { line, freezer, daemon } of this.workers) {
      line.heal();
      freezer?.thaw();
      if (daemon.isRunning) daemon.child.kill('SIGCONT');
    }
    await Promise.all(this.workers.map(({ daemon }) => daemon.kill('SIGTERM')));
    await this.service.daemon.kill('SIGTERM');
    for (const { freezer } of this.workers) await freezer?.remove();
    await this.network.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  private async tasks(status: string): Promise<readonly string[]> {
    const page = await this.service.api.must<{ items: { id: string }[] }>(
      'GET',
      `/api/v1/jobs/${this.jobId}/tasks?limit=1000&status=${status}`,
    );
    return page.items.map(({ id }) => id);
  }

  private async attemptsOf(task: string): Promise<SeenAttempt[]> {
    return (await this.service.api.attempts(task)).map((attempt) => ({ ...attempt, task }));
  }
}

/** Both records of a finished job: that of the processes and that of the service. */
export interface JobEvidence {
  readonly processes: readonly TaskProcess[];
  /** Attempts that count against the job's limits. */
  readonly consumed: number;
  /** Tasks whose attempts contradict the recorded processes. */
  readonly wrong: readonly string[];
}

/** I4 and I5 of docs/faults.md#invariants: returns the fault in the attempts of a task, or null. */
function findFault(
  attempts: readonly SeenAttempt[],
  processes: readonly TaskProcess[],
  workerNames: ReadonlyMap<string, string>,
): string | null {
  if (!attempts.every((attempt, index) => attempt.attempt_number === index + 1))
    return 'the numbers have gaps';
  const succeeded = attempts.filter(({ status }) => status === 'succeeded');
  if (succeeded.length > 1) return 'it succeeded more than once';
  const [success] = succeeded;
  const creditedTo = workerNames.get(success?.worker_id ?? '');
  if (
    success !== undefined &&
    !processes.some(({ worker, isFinished }) => isFinished && worker === creditedTo)
  )
    return 'no process of the credited worker finished';
  if (success === undefined && attempts.at(-1)?.status !== 'canceled')
    return 'it neither succeeded nor was canceled';
  return null;
}

function startDaemon(
  folder: string,
  name: string,
  directory: string,
  line: Line,
  freezer: Freezer | null,
): Daemon {
  return new Daemon(
    [
      'worker',
      `--bus-url=${line.busUrl}`,
      ...joinFlags(folder),
      `--worker-name=${name}`,
      `--worker-dir=${directory}`,
      `--worker-cpus=${CORES}`,
      '--worker-allow-root=true',
      '--log-format=text',
    ],
    join(folder, `${name}.log`),
    {},
    [...(freezer?.launcher ?? []), ...line.launcher],
  );
}

/** Returns the processes of tasks on a worker. */
export const tasksOf = ({ directory }: FaultWorker): number[] => startedBy(directory);

/** Waits for a time that is part of a fault. */
export const waitSeconds = (seconds: number): Promise<void> => delay(seconds * 1000);
