import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startService, startWorker, type Daemon, type RunningService } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';
import { evidenceTemplate, readProcesses, uptimeNow } from './evidence.ts';
import { residentMib } from './process-list.ts';
import { round2, valueAtQuantile, type RowResult } from './row.ts';

export interface FloodPlan {
  /** Number of concurrent writing tasks on one worker. */
  readonly writers: number;
  /** Output of each task. */
  readonly mib: number;
  /** `logs.max_bytes_per_task`. */
  readonly capMib: number;
}

const MIB = 2 ** 20;
const WAIT_MS = 3_600_000;
/** Tasks of the other worker, one after another. */
const SMALL_TASKS = 5_000;
const SMALL_TASK_MS = 100;
/** Limit of the fault matrix for the delay until the service has the end of another worker's task. */
const STATUS_SECONDS_MAX = 2;
/** Maximum resident memory of the service and of a worker during the flood: far below the output size. */
const RESIDENT_MIB_MAX = 768;

const DROPPED = /\[callsheet\] \d+ lines \((\d+) bytes\) of output were dropped here/g;
/** Tasks may end in another order than they start, so this many entries of the list are read again. */
const UNORDERED_MAX = 50;
/** Space for the line that reports the truncation of a log. */
const CUT_LINE_BYTES = 256;
const CUT = /\[callsheet\] the log of this task is cut here[^\n]*\n$/;

/** F16: tasks write as fast as they can, while tasks of another worker start and end. */
export async function logFlood(plan: FloodPlan): Promise<RowResult> {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-flood-'));
  const options = { folder, httpPort: await freePort(), busPort: await freePort() };
  const service = await startService({
    ...options,
    flags: [`--logs-max-bytes-per-task=${plan.capMib * MIB}`],
  });
  const workers: Daemon[] = [];
  try {
    const show = await service.api.makeFarm('show');
    const flood = await show.submit(floodTemplate(plan, join(folder, 'go')));
    if (flood.status !== 201) throw new Error(`the flood job was rejected: ${JSON.stringify(flood.body)}`);
    const writer = startWorker(service, 'writer', [`--worker-cpus=${plan.writers}`]);
    workers.push(writer);
    await until(
      'the flood is ready',
      async () => (await service.api.job(flood.body.id)).task_counts.running === plan.writers,
    );

    const file = join(folder, 'evidence.txt');
    const small = await show.submit(
      evidenceTemplate({
        file,
        tasks: SMALL_TASKS,
        shortMs: SMALL_TASK_MS,
        longMs: SMALL_TASK_MS,
        pool: null,
      }),
    );
    if (small.status !== 201)
      throw new Error(`the job with small tasks was rejected: ${JSON.stringify(small.body)}`);
    workers.push(startWorker(service, 'neighbour', ['--worker-cpus=2']));
    await until(
      'the other worker runs tasks',
      async () => (await service.api.job(small.body.id)).task_counts.succeeded > 0,
    );

    const watch = new Watch(service, writer);
    const startedAt = uptimeNow();
    await writeFile(join(folder, 'go'), '');
    const seen = new Map<string, number>();
    await until(
      'the flood has ended',
      async () => {
        watch.sample();
        await noteSucceeded(service, small.body.id, seen);
        const { status } = await service.api.job(flood.body.id);
        return status !== 'running';
      },
      WAIT_MS,
    );
    const seconds = uptimeNow() - startedAt;
    await service.api.must('POST', `/api/v1/jobs/${small.body.id}/cancel`);

    const finished = readProcesses(file).filter(
      ({ isFinished, lastSignAt }) => isFinished && lastSignAt > startedAt,
    );
    const latencies = finished.flatMap(({ task, lastSignAt }) => {
      const at = seen.get(task);
      return at === undefined ? [] : [Math.max(0, at - lastSignAt)];
    });
    const violations: string[] = [];
    const { status } = await service.api.job(flood.body.id);
    if (status !== 'completed') violations.push(`the flood job is ${status}`);
    const kept = await Promise.all(
      (await service.api.tasks(flood.body.id)).map(async ({ id }) => {
        const { body } = await service.api.call<{ text: string }>('GET', `/api/v1/tasks/${id}/log`);
        return logFacts(body.text);
      }),
    );
    for (const { bytes, isCut } of kept) {
      if (bytes > plan.capMib * MIB + CUT_LINE_BYTES) violations.push(`a log of ${bytes} bytes was stored`);
      if (plan.mib > plan.capMib && !isCut) violations.push('a truncated log does not report it');
    }
    const statusP99 = valueAtQuantile(latencies, 0.99);
    if (statusP99 > STATUS_SECONDS_MAX)
      violations.push(`the end of other tasks is known after ${statusP99} s`);
    for (const [name, mib] of [
      ['service', watch.serviceMib],
      ['worker', watch.workerMib],
    ] as const) {
      if (mib > RESIDENT_MIB_MAX) violations.push(`the ${name} used ${mib} MiB`);
    }
    return {
      row: 'F16',
      title: 'tasks that flood their logs',
      means: `${plan.writers} tasks write ${plan.mib} MiB each at full speed`,
      lines: [
        {
          seconds: round2(seconds),
          'GB a minute taken': round2((plan.writers * plan.mib * MIB * 60) / 1e9 / seconds),
          'dropped with a mark bytes': kept.reduce((sum, { dropped }) => sum + dropped, 0),
          'kept of each task MiB': round2(Math.max(...kept.map(({ bytes }) => bytes)) / MIB),
          'service MiB max': Math.round(watch.serviceMib),
          'worker MiB max': Math.round(watch.workerMib),
          'other tasks ended': latencies.length,
          'their status p50 s': round2(valueAtQuantile(latencies, 0.5)),
          'their status p99 s': round2(statusP99),
        },
      ],
      violations,
    };
  } finally {
    await Promise.all(workers.map((worker) => worker.kill('SIGTERM')));
    await service.daemon.kill('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  }
}

/** Waits for the file, then writes lines as fast as they are read. */
const floodTemplate = ({ writers, mib }: FloodPlan, go: string): object => ({
  specificationVersion: 'jobtemplate-2023-09',
  name: 'flood',
  steps: [
    {
      name: 'Write',
      parameterSpace: { taskParameterDefinitions: [{ name: 'N', type: 'INT', range: `1-${writers}` }] },
      hostRequirements: { amounts: [{ name: 'amount.worker.vcpu', min: 1 }] },
      script: {
        actions: {
          onRun: {
            command: 'bash',
            args: [
              '-c',
              `until [ -e "$0" ]; do sleep 0.05; done; yes "${'0123456789'.repeat(12)}" | head -c ${mib * MIB}`,
              go,
            ],
          },
        },
      },
    },
  ],
});

/** Peak memory of both processes. */
class Watch {
  serviceMib = 0;
  workerMib = 0;
  private readonly service: RunningService;
  private readonly worker: Daemon;

  constructor(service: RunningService, worker: Daemon) {
    this.service = service;
    this.worker = worker;
  }

  sample(): void {
    this.serviceMib = Math.max(this.serviceMib, residentMib(this.service.daemon.pid));
    this.workerMib = Math.max(this.workerMib, residentMib(this.worker.pid));
  }
}

/** Time at which the service first reported the end of each task, by task parameter. */
async function noteSucceeded(
  service: RunningService,
  jobId: string,
  seen: Map<string, number>,
): Promise<void> {
  const offset = Math.max(0, seen.size - UNORDERED_MAX);
  const { items } = await service.api.must<{ items: { parameters?: Record<string, string> }[] }>(
    'GET',
    `/api/v1/jobs/${jobId}/tasks?status=succeeded&limit=1000&offset=${offset}`,
  );
  const now = uptimeNow();
  for (const { parameters } of items) {
    const task = parameters?.['N'];
    if (task !== undefined && !seen.has(task)) seen.set(task, now);
  }
}

interface LogFacts {
  readonly bytes: number;
  /** Bytes of output that the worker dropped according to the log. */
  readonly dropped: number;
  readonly isCut: boolean;
}

function logFacts(text: string): LogFacts {
  let dropped = 0;
  for (const match of text.matchAll(DROPPED)) dropped += Number(match[1]);
  return { bytes: Buffer.byteLength(text), dropped, isCut: CUT.test(text) };
}
