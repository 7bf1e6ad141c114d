import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { WIRE_LIMITS } from '../../../src/core/wire/limits.ts';
import { call } from '../../kit/service.ts';
import { anonymousIdentity } from '../../kit/swarm/identity.ts';
import { reportTail } from '../../kit/swarm/lease-request-frame.ts';
import { LoadWorker, type Swarm } from '../../kit/swarm/load-worker.ts';
import { ScannedReply } from '../../kit/swarm/scan-lease-reply.ts';
import { Tally } from '../../kit/swarm/tally.ts';
import type { WorkFigures } from '../peer.ts';
import { runProgram, type Order } from './host.ts';

/** The only place that uses the swarm of bench/kit. */

/** Maximum number of connections and registrations in progress. */
const AT_ONCE = 100;
const HEARTBEAT_MS = 5_000;
/** At each tick, this share of the workers sends a heartbeat, and the time in reports is updated. */
const BEATS = 50;
const LOOK_EVERY_MS = 5;

await runProgram(connect);

async function connect(order: Order): Promise<() => Promise<WorkFigures>> {
  const { url = '', jobId = '', cores = '1' } = order.details;
  const sessionId = randomUUID();
  const swarm: Swarm = {
    busPorts: [order.port],
    namePrefix: 'swarm',
    echoSeed: null,
    cores: Number(cores),
    tally: new Tally(),
    sessionId,
    scanned: new ScannedReply(WIRE_LIMITS.reportsPerRequest),
    tail: reportTail(sessionId),
    reports: order.variant === 'stream' ? 'stream' : 'ride', // wording-ok: value of --reports
    free: () => undefined,
    echoed: () => undefined,
    failed: (error) => {
      console.error(error);
      process.exit(1);
    },
    lost: null,
  };
  const workers = Array.from(
    { length: order.workers },
    (_unused, index) => new LoadWorker(index, swarm, anonymousIdentity()),
  );
  for (let first = 0; first < workers.length; first += AT_ONCE) {
    const some = workers.slice(first, first + AT_ONCE);
    await Promise.all(some.map((worker) => worker.connect()));
    await Promise.all(some.map((worker) => worker.register()));
  }
  let turn = 0;
  setInterval(() => {
    swarm.tail = reportTail(sessionId);
    for (let index = turn; index < workers.length; index += BEATS) workers[index]?.beat();
    turn = (turn + 1) % BEATS;
  }, HEARTBEAT_MS / BEATS);
  return async () => {
    const firstAt = await leaseAll(swarm, workers, order);
    // The last ends are on requests that wait for work. The service reports when all of them are committed.
    while ((await succeeded(url, jobId)) < order.tasks) await delay(LOOK_EVERY_MS);
    const seconds = (performance.now() - firstAt) / 1000;
    const { p50, p99 } = swarm.tally.latencies.latencies();
    return { seconds, leaseP50Ms: p50, leaseP99Ms: p99 };
  };
}

/** Lets the workers lease until they have had all tasks. Returns when the first timed one was leased. */
function leaseAll(swarm: Swarm, workers: readonly LoadWorker[], { tasks, warmUp }: Order): Promise<number> {
  const { tally } = swarm;
  tally.begin();
  let firstAt = 0;
  let untimed = 0;
  return new Promise((resolve) => {
    swarm.free = (worker) => {
      if (firstAt === 0 && tally.leases > warmUp) {
        firstAt = performance.now();
        untimed = tally.leases;
        tally.begin();
      }
      worker.ask(performance.now());
      if (untimed + tally.leases === tasks) resolve(firstAt);
    };
    for (const worker of workers) worker.ask(performance.now());
  });
}

async function succeeded(url: string, jobId: string): Promise<number> {
  const { task_counts: counts } = await call<{ task_counts: { succeeded: number } }>(
    `${url}/api/v1/jobs/${jobId}`,
  );
  return counts.succeeded;
}
