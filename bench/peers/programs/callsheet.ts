import { setTimeout as delay } from 'node:timers/promises';
import { call } from '../../kit/service.ts';
import { SwarmWorker } from '../../kit/swarm-worker.ts';
import type { WorkFigures } from '../peer.ts';
import { WorkClock } from '../work-clock.ts';
import { runProgram, type Order } from './host.ts';

const LOOK_EVERY_MS = 5;

await runProgram(workers);

/** The one place that knows the swarm of bench/kit. */
async function workers(order: Order): Promise<() => Promise<WorkFigures>> {
  const { url = '', jobId = '', cores = '1' } = order.details;
  const clock = new WorkClock(order.tasks, () => performance.now());
  let allLeased: () => void = () => undefined;
  const leased = new Promise<void>((resolve) => {
    allLeased = resolve;
  });
  const events = {
    leased: (latencyMs: number, assignments: readonly unknown[]) => {
      if (assignments.length === 0) return;
      if (clock.startAfter(latencyMs, assignments.length) === order.tasks) allLeased();
    },
    failed: (error: Error) => {
      throw error;
    },
  };
  const swarm = await Promise.all(
    Array.from({ length: order.workers }, (_unused, index) =>
      SwarmWorker.start(order.port, index, Number(cores), events),
    ),
  );
  return async () => {
    for (const worker of swarm) worker.lease();
    await leased;
    while ((await succeeded(url, jobId)) < order.tasks) await delay(LOOK_EVERY_MS);
    clock.end(order.tasks);
    return clock.figures();
  };
}

async function succeeded(url: string, jobId: string): Promise<number> {
  const { task_counts: counts } = await call<{ task_counts: { succeeded: number } }>(
    `${url}/api/v1/jobs/${jobId}`,
  );
  return counts.succeeded;
}
