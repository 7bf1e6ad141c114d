import {
  parseAttemptId,
  stepIdOf,
  taskIdOf,
  type AttemptAddress,
  type FarmId,
  type WorkerId,
} from '../../src/core/ids.ts';
import { stepKey, type StepKey } from '../../src/core/lease/candidate-order.ts';
import type { PoolWaiter } from '../../src/core/lease/explanation.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import { keys } from '../../src/core/records/tables.ts';
import { poolKey } from '../../src/core/records/usage-pool.ts';
import { timestampOf } from '../../src/core/timestamp.ts';
import type { Schemas } from '../views/schemas.ts';
import { TaskViewer } from '../views/task-viewer.ts';
import { VisibleJobs } from '../views/visible-jobs.ts';
import { readTaskAt } from './find-task.ts';
import { notFound, type Handler } from './operation.ts';
import { askPoolUse } from './query-schedulers.ts';
import { poolViewOf, storedPool } from './usage-pools.ts';

const HOLDERS_MAX = 200;
const HISTORY_MINUTES = 60;

/** Reads the bookings of all workers, and only the tasks that are listed. */
export const getUsagePoolUse: Handler<'getUsagePoolUse'> = async ({ path, principal }, ports) => {
  const pool = storedPool(ports, path.id);
  if (pool === undefined) return notFound('usage pool', path.id);
  const farms = await askPoolUse(ports, poolKey(pool.name));
  const { store } = ports;
  const visible = new VisibleJobs(store, principal.ownerScope);
  const steps = new Set(
    farms
      .flatMap(({ use }) => use?.holders ?? [])
      .filter(({ jobId }) => visible.has(jobId))
      .map(stepKey),
  );
  const holding = attemptsOf(store, steps);
  const listed = holding.slice(0, HOLDERS_MAX).flatMap((held) => holderView(store, held) ?? []);
  const waiting = farms.flatMap(({ farmId, use }) =>
    (use?.waiters ?? []).filter(({ jobId }) => visible.has(jobId)).map((waiter) => ({ farmId, waiter })),
  );
  const points = ports.history.pool(pool.id, HISTORY_MINUTES);
  return {
    kind: 'json',
    status: 200,
    body: {
      pool: poolViewOf(ports)(pool),
      holders: listed.sort((a, b) => (a.since < b.since ? -1 : a.since > b.since ? 1 : 0)),
      waiting_tasks: visible.isEveryone
        ? farms.reduce((sum, { use }) => sum + (use?.waitingTasks ?? 0), 0)
        : waiting.reduce((sum, { waiter }) => sum + waiter.tasks, 0),
      waiting: waiting.flatMap(({ farmId, waiter }) => waiterView(store, farmId, waiter) ?? []),
      is_partial: holding.length > HOLDERS_MAX || farms.some(({ use }) => use === null || use.isPartial),
      history: {
        times: points.map(({ at }) => timestampOf(at)),
        in_use: points.map(({ load }) => load),
      },
    },
  };
};

/** An open attempt and its worker. */
interface HeldAttempt {
  readonly address: AttemptAddress;
  readonly workerId: WorkerId;
}

/** Returns the open attempts of some steps, oldest job first. */
function attemptsOf(store: StoreReader, steps: ReadonlySet<StepKey>): readonly HeldAttempt[] {
  if (steps.size === 0) return [];
  const found: HeldAttempt[] = [];
  for (const { value: worker } of store.scan('worker')) {
    for (const { attemptId } of store.get('booking', keys.booking(worker.id))?.bookings ?? []) {
      const address = parseAttemptId(attemptId);
      if (address !== null && steps.has(stepKey(address))) found.push({ address, workerId: worker.id });
    }
  }
  return found.sort((a, b) =>
    a.address.jobId === b.address.jobId
      ? a.address.stepOrder - b.address.stepOrder || a.address.index - b.address.index
      : a.address.jobId < b.address.jobId
        ? -1
        : 1,
  );
}

/** Returns null for a task that ended meanwhile. */
function holderView(store: StoreReader, { address, workerId }: HeldAttempt): Schemas['PoolHolder'] | null {
  const found = readTaskAt(store, address);
  if (found === null) return null;
  const task = new TaskViewer(store, found.job).view(found.step, address.index);
  if (task.assigned_at === undefined) return null;
  return {
    task_id: taskIdOf(address),
    task_name: task.name,
    job_id: address.jobId,
    job_name: found.job.name,
    status: task.status,
    worker_id: workerId,
    worker_name: store.get('worker', keys.worker(workerId))?.name ?? workerId,
    since: task.assigned_at,
  };
}

/** Returns null for a step of a job that was deleted meanwhile. */
function waiterView(
  store: StoreReader,
  farmId: FarmId,
  { jobId, stepOrder, tasks }: PoolWaiter,
): Schemas['PoolWaiter'] | null {
  const job = store.get('job', keys.job(jobId));
  const step = store.get('step', keys.step(jobId, stepOrder));
  if (job === undefined || step === undefined) return null;
  return {
    farm_id: farmId,
    job_id: jobId,
    job_name: job.name,
    step_id: stepIdOf(jobId, stepOrder),
    step_name: step.name,
    tasks,
  };
}
