import type { WorkFigures } from '../peer.ts';
import { WorkClock } from '../work-clock.ts';
import { loadPackage, runProgram, type Order } from './host.ts';
import { connectionString } from './postgres-client.ts';

/** The used part of pg-boss 10. */
interface Boss {
  start(): Promise<unknown>;
  on(event: 'error', listener: (error: Error) => void): void;
  createQueue(name: string): Promise<void>;
  insert(jobs: readonly { name: string; data: object }[]): Promise<unknown>;
  fetch(name: string): Promise<readonly { readonly id: string }[]>;
  complete(name: string, id: string): Promise<unknown>;
  getQueueSize(name: string): Promise<number>;
}

type PgBoss = new (options: {
  connectionString: string;
  max: number;
  supervise: boolean;
  schedule: boolean;
}) => Boss;

const QUEUE = 'bench';

await runProgram((order) => (order.role === 'submit' ? submitter(order) : workers(order)));

async function submitter(order: Order): Promise<() => Promise<null>> {
  const boss = await open(order, 2);
  await boss.createQueue(QUEUE);
  return async () => {
    await boss.insert(
      Array.from({ length: order.tasks }, (_unused, index) => ({ name: QUEUE, data: { index } })),
    );
    return null;
  };
}

async function workers(order: Order): Promise<() => Promise<WorkFigures>> {
  const poolSize = Math.min(order.workers, Number(order.details['poolSize']));
  const boss = await open(order, poolSize);
  // Opens the connections of the pool, so that this is not timed.
  await Promise.all(Array.from({ length: poolSize }, () => boss.getQueueSize(QUEUE)));
  const clock = new WorkClock(order.tasks, order.warmUp, () => performance.now());
  let left = order.tasks;
  const work = async (): Promise<void> => {
    clock.free();
    while (left > 0) {
      left--;
      const [job] = await boss.fetch(QUEUE);
      if (job === undefined) throw new Error('pg-boss gave no job although some are left');
      clock.start();
      clock.free();
      await boss.complete(QUEUE, job.id);
      clock.end();
    }
  };
  return async () => {
    await Promise.all(Array.from({ length: order.workers }, work));
    await clock.finished;
    return clock.figures();
  };
}

async function open(order: Order, max: number): Promise<Boss> {
  const PgBoss = loadPackage(order.packages, 'pg-boss') as PgBoss;
  const boss = new PgBoss({
    connectionString: connectionString(order),
    max,
    supervise: false,
    schedule: false,
  });
  boss.on('error', (error) => {
    console.error(error);
    process.exit(1);
  });
  await boss.start();
  return boss;
}
