import { setTimeout as delay } from 'node:timers/promises';
import type { WorkFigures } from '../peer.ts';
import { WorkClock } from '../work-clock.ts';
import { loadPackage, runProgram, type Order } from './host.ts';
import { openPool, type Pool } from './postgres-client.ts';

interface WorkerSettings {
  readonly concurrentJobs: number;
  readonly maxPoolSize: number;
  readonly localQueue?: { readonly size: number };
  readonly completeJobBatchDelay?: number;
  readonly failJobBatchDelay?: number;
}

interface Utilities {
  migrate(): Promise<void>;
  addJobs(jobs: readonly { identifier: string; payload: object }[]): Promise<readonly object[]>;
}

/** The used part of graphile-worker 0.17. */
interface GraphileWorker {
  readonly Logger: new (factory: () => (level: string, message: string) => void) => object;
  makeWorkerUtils(options: { pgPool: Pool; logger: object }): Promise<Utilities>;
  run(options: {
    pgPool: Pool;
    logger: object;
    noHandleSignals: boolean;
    parsedCronItems: readonly object[];
    taskList: Readonly<Record<string, () => void>>;
    preset: { readonly worker: WorkerSettings };
  }): Promise<object>;
}

const TASK = 'noop';
const LOCAL_QUEUE = 500;
const LOOK_EVERY_MS = 5;

await runProgram((order) => (order.role === 'submit' ? submitter(order) : workers(order)));

async function submitter(order: Order): Promise<() => Promise<null>> {
  const graphile = load(order);
  const utilities = await graphile.makeWorkerUtils({
    pgPool: await openPool(order, 2),
    logger: logger(graphile),
  });
  await utilities.migrate();
  return async () => {
    await utilities.addJobs(
      Array.from({ length: order.tasks }, (_unused, index) => ({ identifier: TASK, payload: { index } })),
    );
    return null;
  };
}

async function workers(order: Order): Promise<() => Promise<WorkFigures>> {
  const graphile = load(order);
  const poolSize = Math.min(order.workers + 2, Number(order.details['poolSize']));
  const pool = await openPool(order, poolSize);
  const counting = await openPool(order, 1);
  const clock = new WorkClock(order.tasks, order.warmUp, () => performance.now());
  let allStarted: () => void = () => undefined;
  const started = new Promise<void>((resolve) => {
    allStarted = resolve;
  });
  const worker: WorkerSettings = {
    concurrentJobs: order.workers,
    maxPoolSize: poolSize,
    ...(order.variant === 'local-queue'
      ? { localQueue: { size: LOCAL_QUEUE }, completeJobBatchDelay: 0, failJobBatchDelay: 0 }
      : {}),
  };
  return async () => {
    for (let slot = 0; slot < order.workers; slot++) clock.free();
    await graphile.run({
      pgPool: pool,
      logger: logger(graphile),
      noHandleSignals: true,
      parsedCronItems: [],
      taskList: {
        [TASK]: () => {
          const count = clock.start();
          clock.free();
          if (count === order.tasks) allStarted();
        },
      },
      preset: { worker },
    });
    await started;
    // It writes ends without waiting for them: a job is done when its row is deleted.
    while ((await counting.query('select 1 from graphile_worker._private_jobs limit 1')).rows.length > 0)
      await delay(LOOK_EVERY_MS);
    clock.end(order.tasks);
    return clock.figures();
  };
}

function load({ packages }: Order): GraphileWorker {
  return loadPackage(packages, 'graphile-worker') as GraphileWorker;
}

/** Logs errors, but not each job. */
function logger({ Logger }: GraphileWorker): object {
  return new Logger(() => (level, message) => {
    if (level === 'error') console.error(message);
  });
}
