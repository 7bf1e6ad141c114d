/**
 * Question: what does a cluster of three nodes cost, and how soon does another node take over? Three nodes and three
 * nats-servers run on this machine, so its cores and its disk do the work of three machines: read the ratios and the
 * processor time per lease. Yardstick, in the same run and in turns: a single node.
 *
 * npm run bench -- cluster [OPTION]...
 *   --workers 1,16,256,1000   --offered N   leases a second at which the latency and the lag are measured
 *   --seconds N  --repetitions N   --json
 */
import { parseArgs } from 'node:util';
import { BenchCluster } from './kit/cluster/bench-cluster.ts';
import { LeaseComparison, type Compared, type ComparedFigures } from './kit/cluster/compare-leases.ts';
import { childOf } from './kit/process-usage.ts';
import { saveResult } from './kit/results.ts';
import { makeFarm, startBenchService } from './kit/service.ts';

const { values } = parseArgs({
  options: {
    workers: { type: 'string', default: '1,16,256,1000' },
    offered: { type: 'string', default: '2000' },
    seconds: { type: 'string', default: '4' },
    repetitions: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
  },
});

const WARM_UP_MS = 1_000;
const times = {
  warmUpMs: WARM_UP_MS,
  measureMs: 1000 * Number(values.seconds),
  repetitions: Number(values.repetitions),
};

const figures = { leases: await compareLeases() };
saveResult('cluster', figures);
process.stdout.write(`${JSON.stringify(figures, null, 1)}\n`);

async function compareLeases(): Promise<readonly ComparedFigures[]> {
  const single = await startBenchService();
  const cluster = await BenchCluster.start();
  try {
    const sides = [await singleSide(single), await clusterSide(cluster)] as const;
    const found: ComparedFigures[] = [];
    for (const workers of values.workers.split(',').map(Number)) {
      const comparison = await LeaseComparison.start(...sides, workers);
      process.stderr.write(`${workers} workers ...\n`);
      found.push(await comparison.measure(null, times));
      await comparison.stop();
    }
    return found;
  } finally {
    await cluster.stop();
    await single.stop();
  }
}

async function singleSide(service: Awaited<ReturnType<typeof startBenchService>>): Promise<Compared> {
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
