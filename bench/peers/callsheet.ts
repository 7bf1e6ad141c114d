import { setTimeout as delay } from 'node:timers/promises';
import { call, makeFarm, startBenchService, submitNoop, type BenchService } from '../kit/service.ts';
import { startWorkerProcess, type WorkerProcess } from '../kit/worker-process.ts';
import type { Kind, Peer, RunningPeer, WorkFigures } from './peer.ts';
import { LONGEST_MS, runWorkers } from './run-program.ts';
import { versionIn, type Installation } from './installation.ts';

const DURABILITY = 'commit flushed before the reply';
const LOOK_EVERY_MS = 10;

/** How the ends of tasks are reported: with the worker's next lease request, or by the status stream with a running report before. */
type Reports = 'ride' | 'stream'; // wording-ok: value of --reports

/**
 * The real service with its nats-server, and a swarm of compact clients in a separate process, with a connection each.
 */
export function callsheetSwarm(
  name: string,
  kind: Kind,
  { cores, reports, share }: { readonly cores: number; readonly reports: Reports; readonly share: number },
): Peer {
  return {
    name,
    kind,
    durability: DURABILITY,
    latency: 'from sending the lease request to its reply with a task',
    settings: `service and nats-server as by default; a connection a worker, workers of ${cores} ${cores === 1 ? 'core' : 'cores'}, one-core tasks of one job; ${
      reports === 'ride' // wording-ok: value of --reports
        ? 'the end of a task is sent with the next lease request'
        : 'a task is reported by the status stream, as running and as ended'
    }`,
    share,
    onlyWhenNamed: reports === 'stream',
    versions,
    start: async (installation) => {
      const { service, farm } = await startFarm();
      let jobId = '';
      return {
        submit: async (tasks) => {
          const startedAt = performance.now();
          jobId = (await submitNoop(service.url, farm, tasks)).id;
          return (performance.now() - startedAt) / 1000;
        },
        work: (workers, work) =>
          runWorkers('callsheet', {
            role: 'work',
            packages: installation.packages,
            port: service.busPort,
            workers,
            ...work,
            variant: reports,
            details: { url: service.url, jobId, cores: String(cores) },
          }),
        stop: () => service.stop(),
      };
    },
  };
}

/** The real service, and one real worker that offers as many cores as there are slots and runs `true` per task. */
export const callsheetProcesses: Peer = {
  name: 'callsheet-processes',
  kind: 'processes',
  durability: DURABILITY,
  latency: 'not seen from outside',
  settings:
    'one `callsheet worker` with as many cores as workers; `true` a task, in a process group of its own, its output kept',
  fewestWorkers: 64,
  mostWorkers: 256,
  share: 0.1,
  versions,
  start: startProcesses,
};

async function startProcesses(_installation: Installation, workers: number): Promise<RunningPeer> {
  const { service, farm } = await startFarm();
  let daemon: WorkerProcess;
  try {
    daemon = await startWorkerProcess(service, 'bench', [`--worker-cpus=${workers}`]);
  } catch (error) {
    await service.stop();
    throw error;
  }
  let job = { id: '', at: 0 };
  return {
    // The worker waits for work: it starts with the submission.
    submit: async (tasks) => {
      const at = performance.now();
      const { id } = await submitNoop(service.url, farm, tasks);
      job = { id, at };
      return (performance.now() - at) / 1000;
    },
    work: async (_workers, { tasks, warmUp }): Promise<WorkFigures> => {
      const before = warmUp === 0 ? 0 : await untilSucceeded(service.url, job.id, warmUp);
      const startedAt = warmUp === 0 ? job.at : performance.now();
      await untilSucceeded(service.url, job.id, tasks);
      const seconds = (performance.now() - startedAt) / 1000;
      // Polled: some more tasks than the warm-up had ended when the time began.
      const share = (tasks - warmUp) / (tasks - before);
      return { seconds: seconds * share, leaseP50Ms: null, leaseP99Ms: null };
    },
    stop: async () => {
      await daemon.stop();
      await service.stop();
    },
  };
}

async function startFarm(): Promise<{ service: BenchService; farm: { farmId: string; queueId: string } }> {
  const service = await startBenchService();
  try {
    return { service, farm: await makeFarm(service.url) };
  } catch (error) {
    await service.stop();
    throw error;
  }
}

/** Resolves with the number of succeeded tasks once it reaches the given number. */
async function untilSucceeded(url: string, jobId: string, tasks: number): Promise<number> {
  const latest = performance.now() + LONGEST_MS;
  while (performance.now() < latest) {
    const { task_counts: counts } = await call<{ task_counts: { succeeded: number } }>(
      `${url}/api/v1/jobs/${jobId}`,
    );
    if (counts.succeeded >= tasks) return counts.succeeded;
    await delay(LOOK_EVERY_MS);
  }
  throw new Error(`the job was not done after ${LONGEST_MS / 1000} s`);
}

async function versions(installation: Installation): Promise<Record<string, string>> {
  return {
    node: versionIn(process.version),
    'nats-server': installation.programVersion('nats-server'),
  };
}
