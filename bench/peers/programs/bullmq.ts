import type { WorkFigures } from '../peer.ts';
import { WorkClock } from '../work-clock.ts';
import { loadPackage, runProgram, type Order } from './host.ts';

interface Connection {
  readonly host: string;
  readonly port: number;
  /** BullMQ requires it: a blocking command must not time out. */
  readonly maxRetriesPerRequest: null;
}

interface Queue {
  waitUntilReady(): Promise<unknown>;
  addBulk(
    jobs: readonly { name: string; data: object; opts: { removeOnComplete: boolean } }[],
  ): Promise<readonly unknown[]>;
}

interface Worker {
  waitUntilReady(): Promise<unknown>;
  run(): Promise<void>;
  on(event: 'completed', listener: () => void): void;
  on(event: 'error' | 'failed', listener: (...values: unknown[]) => void): void;
}

/** The used part of bullmq 6. */
interface BullMq {
  readonly Queue: new (name: string, options: { connection: Connection }) => Queue;
  readonly Worker: new (
    name: string,
    processor: () => Promise<void>,
    options: { connection: Connection; concurrency: number; autorun: boolean },
  ) => Worker;
}

const QUEUE = 'bench';
const BULK = 1_000;

await runProgram((order) => (order.role === 'submit' ? submitter(order) : workers(order)));

async function submitter(order: Order): Promise<() => Promise<null>> {
  const { Queue } = loadPackage(order.packages, 'bullmq') as BullMq;
  const queue = new Queue(QUEUE, { connection: connectionOf(order) });
  await queue.waitUntilReady();
  return async () => {
    for (let at = 0; at < order.tasks; at += BULK)
      await queue.addBulk(
        Array.from({ length: Math.min(BULK, order.tasks - at) }, (_unused, index) => ({
          name: 'noop',
          data: { index: at + index },
          opts: { removeOnComplete: true },
        })),
      );
    return null;
  };
}

async function workers(order: Order): Promise<() => Promise<WorkFigures>> {
  const { Worker } = loadPackage(order.packages, 'bullmq') as BullMq;
  const clock = new WorkClock(order.tasks, order.warmUp, () => performance.now());
  const instances = order.variant === 'instances' ? order.workers : 1;
  const concurrency = order.workers / instances;
  const list = Array.from({ length: instances }, () => {
    const worker = new Worker(
      QUEUE,
      async () => {
        clock.start();
        clock.free();
      },
      { connection: connectionOf(order), concurrency, autorun: false },
    );
    worker.on('completed', () => clock.end());
    worker.on('error', fail);
    worker.on('failed', fail);
    return worker;
  });
  await Promise.all(list.map((worker) => worker.waitUntilReady()));
  return async () => {
    for (let slot = 0; slot < order.workers; slot++) clock.free();
    for (const worker of list) worker.run().catch(fail);
    await clock.finished;
    return clock.figures();
  };
}

function connectionOf({ port }: Order): Connection {
  return { host: '127.0.0.1', port, maxRetriesPerRequest: null };
}

function fail(...values: unknown[]): never {
  console.error(...values);
  process.exit(1);
}
