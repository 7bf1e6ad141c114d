import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FarmClient, JobView } from '../../kit/api-client.ts';
import { freePort, startService, startWorker, type Daemon, type RunningService } from '../../kit/daemons.ts';
import { WebSocketClient } from '../../kit/web-socket.ts';
import { CASES, type PresetCase } from './case-file.ts';

const ENDS: readonly unknown[] = ['completed', 'failed', 'canceled'];
const LIMIT_MS = 900_000;

/** How a job ended, and the messages of its failed attempts. */
export interface EndedJob {
  readonly status: string;
  readonly tasks: number;
  readonly seconds: number;
  readonly messages: readonly string[];
  /** Paths that its tasks have named as outputs. */
  readonly outputs: readonly string[];
}

/** A service with one worker, which runs presets as products. */
export class PresetFarm {
  readonly #service: RunningService;
  readonly #worker: Daemon;
  readonly #farm: FarmClient;
  readonly #events: WebSocketClient;
  readonly #installed = new Set<string>();

  private constructor(service: RunningService, worker: Daemon, farm: FarmClient, events: WebSocketClient) {
    this.#service = service;
    this.#worker = worker;
    this.#farm = farm;
    this.#events = events;
  }

  /** Starts the daemons with their data in `folder`. Programs of the cases that have stand-ins come last on the PATH. */
  static async start(folder: string, cases: readonly PresetCase[]): Promise<PresetFarm> {
    const service = await startService({ folder, httpPort: await freePort(), busPort: await freePort() });
    const farm = await service.api.makeFarm('presets');
    const events = await WebSocketClient.open(service.httpPort);
    for (const subject of ['jobs', 'workers']) events.subscribe(subject);
    await events.nextWhere(({ type, subject }) => type === 'ack' && subject === 'workers');
    const path = `${process.env['PATH'] ?? ''}:/usr/sbin:${standInsFolder(folder, cases)}`;
    const worker = startWorker(service, 'one', [`--worker-farm=${farm.farmId}`], { PATH: path });
    await events.nextWhere(({ type, subject }) => type === 'push' && subject === 'workers');
    return new PresetFarm(service, worker, farm, events);
  }

  /** Installs the preset of a case unless it is, submits it as a product, and waits for the events of the job's end. */
  async run({ preset, parameters }: PresetCase): Promise<EndedJob> {
    const { api } = this.#service;
    if (!this.#installed.has(preset)) await api.must('POST', `/api/v1/presets/${preset}/install`);
    this.#installed.add(preset);
    const startedAt = performance.now();
    const { id } = await api.must<JobView>('POST', `/api/v1/products/${preset}/jobs`, {
      farm_id: this.#farm.farmId,
      queue_id: this.#farm.queueId,
      parameters,
      max_attempts: 1,
    });
    const status = await Promise.race([this.#endOf(id), this.#lost(id)]);
    const seconds = (performance.now() - startedAt) / 1000;
    const tasks = await api.tasks(id);
    const attempts = await Promise.all(
      tasks.filter((task) => task.status === 'failed').map((task) => api.attempts(task.id)),
    );
    const messages = attempts.flat().map(({ message }) => message ?? 'failed without a message');
    const { items } = await api.must<{ items: { path: string; source: string }[] }>(
      'GET',
      `/api/v1/jobs/${id}/outputs?limit=1000`,
    );
    const outputs = items.filter(({ source }) => source === 'task').map(({ path }) => path);
    return { status, tasks: tasks.length, seconds, messages, outputs };
  }

  /** Stops the daemons. */
  async stop(): Promise<void> {
    this.#events.destroy();
    await this.#worker.kill('SIGTERM');
    await this.#service.daemon.kill('SIGTERM');
  }

  async #endOf(id: string): Promise<string> {
    const { payload } = await this.#events.nextWhere(
      (event) =>
        event.type === 'push' &&
        event.subject === 'jobs' &&
        event.payload['job_id'] === id &&
        ENDS.includes(event.payload['status']),
    );
    return String(payload['status']);
  }

  /** Rejects if the worker ends or the job takes too long, for example because no worker has the program. */
  #lost(id: string): Promise<never> {
    return new Promise((_, reject) => {
      setTimeout(() => reject(new Error(`job ${id} has not ended in ${LIMIT_MS} ms`)), LIMIT_MS).unref();
      void this.#worker.ended.then(() => reject(new Error(`the worker ended:\n${this.#worker.log()}`)));
    });
  }
}

/** Makes a folder with a program for each stand-in of the cases, and returns it. */
function standInsFolder(folder: string, cases: readonly PresetCase[]): string {
  const bin = join(folder, 'stand-ins');
  mkdirSync(bin);
  for (const { standIns = {} } of cases) {
    for (const [name, file] of Object.entries(standIns)) {
      const text = `#!/bin/sh\nexec python3 '${join(CASES, 'stand-ins', file)}' "$@"\n`;
      writeFileSync(join(bin, name), text, { mode: 0o755 });
    }
  }
  return bin;
}
