/**
 * Question: what does a cluster of three nodes cost, and how soon does another node take over? Three nodes and three
 * nats-servers run on this machine, so its cores and its disk do the work of three machines: read the ratios and the
 * processor time per lease. Yardstick, in the same run and in turns: a single node.
 *
 * npm run bench -- cluster [OPTION]...
 *   --workers 1,16,256,1000   --offered N   leases a second at which the latency and the lag are measured
 *   --kills N   --large-kills N   kills of the owner, with a few tasks and with many jobs
 *   --hand-overs N   planned hand-overs, with a few tasks
 *   --jobs N   --tasks N   jobs and tasks in all, for the takeover with many jobs
 *   --seconds N   --repetitions N   --only leases,lag,failover,hand-over,takeover   --json
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { BenchCluster } from './kit/cluster/bench-cluster.ts';
import { clusterTables, type ClusterFigures } from './kit/cluster/cluster-tables.ts';
import { LeaseComparison, type Compared, type ComparedFigures } from './kit/cluster/compare-leases.ts';
import {
  failoverFigures,
  handOverFigures,
  measureFailovers,
  measureHandOvers,
  type FailoverFigures,
} from './kit/cluster/failovers.ts';
import { layOutCluster } from './kit/cluster/large-cluster.ts';
import { AcceptedRecords, probeEnvironment, type LagFigures } from './kit/cluster/log-lag.ts';
import { ProbeWorkers } from './kit/cluster/probe-workers.ts';
import { childOf } from './kit/process-usage.ts';
import { saveResult } from './kit/results.ts';
import { makeFarm, startBenchService, submitNoop, type BenchService } from './kit/service.ts';

const { values } = parseArgs({
  options: {
    workers: { type: 'string', default: '1,16,256,1000' },
    offered: { type: 'string', default: '2000' },
    kills: { type: 'string', default: '10' },
    'hand-overs': { type: 'string', default: '10' },
    'large-kills': { type: 'string', default: '3' },
    jobs: { type: 'string', default: '10000' },
    tasks: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '4' },
    repetitions: { type: 'string', default: '3' },
    only: { type: 'string', default: 'leases,lag,failover,hand-over,takeover' },
    json: { type: 'boolean', default: false },
  },
});

const WARM_UP_MS = 1_000;
const OFFERED_WORKERS = 1_000;
const SIGNATURES = 200;
const FAILOVER_TASKS = 100_000;
/** The followers write what they have applied at intervals. */
const PROBE_WRITE_MS = 1_000;

const offered = Number(values.offered);
const jobs = Number(values.jobs);
const tasksEach = Math.max(1, Math.floor(Number(values.tasks) / jobs));
const parts = new Set(values.only.split(','));
const times = {
  warmUpMs: WARM_UP_MS,
  measureMs: 1000 * Number(values.seconds),
  repetitions: Number(values.repetitions),
};

const measured = parts.has('leases') ? await compareLeases() : { leases: [], offered: null };
const figures: ClusterFigures = {
  ...measured,
  lag: parts.has('lag') ? await measureLag() : null,
  failover: parts.has('failover')
    ? await withFewTasks(`${values.kills} kills of the owner`, (cluster, probes) =>
        killOwners(cluster, probes, Number(values.kills)),
      )
    : null,
  hand_over: parts.has('hand-over')
    ? await withFewTasks(`${values['hand-overs']} hand-overs`, async (cluster, probes) =>
        handOverFigures(await measureHandOvers(cluster, probes, Number(values['hand-overs']))),
      )
    : null,
  takeover: parts.has('takeover') ? await measureManyJobs() : null,
  jobs,
  tasks: jobs * tasksEach,
};
saveResult('cluster', figures);
process.stdout.write(values.json ? `${JSON.stringify(figures)}\n` : clusterTables(figures));

function note(text: string): void {
  process.stderr.write(`${text} ...\n`);
}

/** The closed loop for each number of workers, then the offered load. */
async function compareLeases(): Promise<Pick<ClusterFigures, 'leases' | 'offered'>> {
  const single = await startBenchService();
  const cluster = await BenchCluster.start();
  try {
    const sides = [await singleSide(single), await clusterSide(cluster)] as const;
    const found: ComparedFigures[] = [];
    const compare = async (workers: number, perSecond: number | null): Promise<ComparedFigures> => {
      note(`${workers} workers${perSecond === null ? '' : `, ${perSecond} leases per second offered`}`);
      const comparison = await LeaseComparison.start(...sides, workers);
      const result = await comparison.measure(perSecond, times);
      await comparison.stop();
      return result;
    };
    for (const workers of values.workers.split(',').map(Number)) found.push(await compare(workers, null));
    return { leases: found, offered: await compare(OFFERED_WORKERS, offered) };
  } finally {
    await cluster.stop();
    await single.stop();
  }
}

/** How far the followers are behind under the offered load. */
async function measureLag(): Promise<LagFigures> {
  note('lag of the followers');
  const directory = await mkdtemp(join(tmpdir(), 'callsheet-standing-'));
  const file = join(directory, 'applied');
  const single = await startBenchService();
  const cluster = await BenchCluster.start(undefined, probeEnvironment(file));
  try {
    const owner = await cluster.owner();
    const comparison = await LeaseComparison.start(
      await singleSide(single),
      await clusterSide(cluster),
      OFFERED_WORKERS,
    );
    await comparison.loadCluster(offered, times);
    const accepted = await AcceptedRecords.start(cluster.busPorts[0] ?? 0);
    await comparison.loadCluster(offered, times);
    await delay(PROBE_WRITE_MS);
    const followers = cluster.nodes.filter((node) => node !== owner).map(({ pid }) => pid);
    const lag = accepted.lag(file, followers);
    await comparison.stop();
    return lag;
  } finally {
    await cluster.stop();
    await single.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Measures a cluster whose farm has one job. */
async function withFewTasks<Figures>(
  what: string,
  measure: (cluster: BenchCluster, probes: ProbeWorkers) => Promise<Figures>,
): Promise<Figures> {
  note(what);
  const cluster = await BenchCluster.start();
  try {
    const owner = await cluster.owner();
    await submitNoop(owner.url, await makeFarm(owner.url), FAILOVER_TASKS);
    return await withProbes(cluster, measure);
  } finally {
    await cluster.stop();
  }
}

/** Kills of the owner of a farm with many jobs. */
async function measureManyJobs(): Promise<FailoverFigures> {
  note(`${values['large-kills']} kills of the owner with ${jobs} jobs`);
  const size = { jobs, tasksEach, signatures: SIGNATURES, doneEach: 0 };
  const cluster = await BenchCluster.start((directories, bus) => layOutCluster(size, directories, bus));
  try {
    return await withProbes(cluster, (_, probes) =>
      killOwners(cluster, probes, Number(values['large-kills'])),
    );
  } finally {
    await cluster.stop();
  }
}

async function withProbes<Figures>(
  cluster: BenchCluster,
  measure: (cluster: BenchCluster, probes: ProbeWorkers) => Promise<Figures>,
): Promise<Figures> {
  const probes = await ProbeWorkers.start(cluster.busPorts);
  try {
    return await measure(cluster, probes);
  } finally {
    probes.stop();
  }
}

async function killOwners(
  cluster: BenchCluster,
  probes: ProbeWorkers,
  kills: number,
): Promise<FailoverFigures> {
  return failoverFigures(await measureFailovers(cluster, probes, kills));
}

async function singleSide(service: BenchService): Promise<Compared> {
  return {
    service,
    farm: await makeFarm(service.url),
    busPorts: [service.busPort],
    busPids: [childOf(service.pid, 'nats-server')],
    followers: {},
  };
}

async function clusterSide(cluster: BenchCluster): Promise<Compared> {
  const owner = await cluster.owner();
  const followers = cluster.nodes.filter((node) => node !== owner);
  return {
    service: owner,
    farm: await makeFarm(owner.url),
    busPorts: cluster.busPorts,
    busPids: cluster.servers.map(({ pid }) => pid),
    followers: Object.fromEntries(followers.map(({ pid }, at) => [`follower ${at + 1}`, pid])),
  };
}
