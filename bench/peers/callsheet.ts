import { cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { call, makeFarm, startBenchService, submitNoop } from '../kit/service.ts';
import { startWorkerProcess, type WorkerProcess } from '../kit/worker-process.ts';
import type { Kind, Peer, RunningPeer, WorkFigures } from './peer.ts';
import { runWorkers } from './run-program.ts';
import { versionIn, type Installation } from './installation.ts';

const DURABILITY = 'commit flushed before the reply';
const LOOK_EVERY_MS = 10;

/** The real service with its nats-server, and a swarm of compact clients, a connection each, in a process of its own. */
export function callsheetSwarm(name: string, kind: Kind, cores: number, share: number): Peer {
  return {
    name,
    kind,
    durability: DURABILITY,
    latency: 'from sending the lease request to its reply with a task',
    settings: `service and nats-server as by default; a connection a worker, workers of ${cores} ${cores === 1 ? 'core' : 'cores'}, one-core tasks of one job`,
    share,
    versions,
    start: async (installation) => {
      const service = await startBenchService();
      const farm = await makeFarm(service.url);
      let jobId = '';
      return {
        submit: async (tasks) => {
          const startedAt = performance.now();
          jobId = (await submitNoop(service.url, farm, tasks)).id;
          return (performance.now() - startedAt) / 1000;
        },
        work: (workers, tasks) =>
          runWorkers('callsheet', {
            role: 'work',
            packages: installation.packages,
            port: service.busPort,
            workers,
            tasks,
            variant: '',
            details: { url: service.url, jobId, cores: String(cores) },
          }),
        stop: () => service.stop(),
      };
    },
  };
}

/** The real service, and real worker daemons that run `true` a task: a daemon a core of the machine, the slots divided among them. */
export const callsheetProcesses: Peer = {
  name: 'callsheet-processes',
  kind: 'processes',
  durability: DURABILITY,
  latency: 'not seen from outside',
  settings:
    '`callsheet worker`, a daemon a core of this machine, slots divided among them; `true` a task, process group and output captured',
  fewestWorkers: 16,
  mostWorkers: 256,
  share: 0.1,
  versions,
  start: startProcesses,
};

async function startProcesses(_installation: Installation, workers: number): Promise<RunningPeer> {
  const service = await startBenchService();
  const farm = await makeFarm(service.url);
  const daemons: WorkerProcess[] = [];
  const count = cpus().length;
  for (let index = 0; index < count; index++)
    daemons.push(
      await startWorkerProcess(
        service,
        `bench-${index}`,
        [`--worker-cpus=${Math.ceil(workers / count)}`],
        index + 1,
      ),
    );
  let job = { id: '', at: 0 };
  return {
    // The daemons wait for work: it begins with the submission.
    submit: async (tasks) => {
      const at = performance.now();
      const { id } = await submitNoop(service.url, farm, tasks);
      job = { id, at };
      return (performance.now() - at) / 1000;
    },
    work: async (_workers, tasks): Promise<WorkFigures> => {
      await untilSucceeded(service.url, job.id, tasks);
      return { seconds: (performance.now() - job.at) / 1000, leaseP50Ms: null, leaseP99Ms: null };
    },
    stop: async () => {
      await Promise.all(daemons.map((daemon) => daemon.stop()));
      await service.stop();
    },
  };
}

async function untilSucceeded(url: string, jobId: string, tasks: number): Promise<void> {
  for (;;) {
    const { task_counts: counts } = await call<{ task_counts: { succeeded: number } }>(
      `${url}/api/v1/jobs/${jobId}`,
    );
    if (counts.succeeded >= tasks) return;
    await delay(LOOK_EVERY_MS);
  }
}

async function versions(installation: Installation): Promise<Record<string, string>> {
  return {
    node: versionIn(process.version),
    'nats-server': installation.programVersion('nats-server'),
  };
}
