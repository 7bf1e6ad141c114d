import type { FarmId, JobId } from '../../src/core/ids.ts';
import { problemBody } from '../problems.ts';
import type { Schemas } from '../views/schemas.ts';
import { askToRetry } from './ask-to-retry.ts';
import { mapConcurrently } from './map-concurrently.ts';
import { findJob } from './find-task.ts';
import { notFound, type Handler } from './operation.ts';
import { ordinalOf } from './retry-target.ts';
import { failuresOf, findWorker } from './workers.ts';

const JOBS_AT_ONCE = 8;

/** A job with failures of the worker, and the worker's ordinal in the job's farm. */
interface Failed {
  readonly id: JobId;
  readonly workerOrdinal: number;
}

/** Retries the jobs in the scope of the failures that are kept of the worker (docs/decisions/additive-routes.md). */
export const retryWorkerFailures: Handler<'retryWorkerFailures'> = async ({ path, principal }, ports) => {
  const { store } = ports;
  const worker = findWorker(store, path.id);
  if (worker === null) return notFound('worker', path.id);
  const failed = new Set((failuresOf(store, worker)?.steps ?? []).map(({ jobId }) => jobId));
  const ordinals = new Map<FarmId, number | null>();
  const ordinalIn = (farm: FarmId): number | null => {
    const known = ordinals.get(farm);
    const ordinal = known === undefined ? ordinalOf(store, farm, worker.id) : known;
    ordinals.set(farm, ordinal);
    return ordinal;
  };
  const retry = async ({ id, workerOrdinal }: Failed): Promise<Schemas['WorkerRetry']['jobs'][number]> => {
    const outcome = await askToRetry(
      id,
      { target: { selection: { workerOrdinal } }, scope: 'tasks', isDryRun: false },
      ports,
    );
    return outcome.ok
      ? { job_id: id, retried: outcome.value.retried }
      : { job_id: id, retried: 0, problem: problemBody(outcome.problem) };
  };
  const there = [...failed].flatMap((id): readonly Failed[] => {
    const job = findJob(store, id, principal.ownerScope);
    const workerOrdinal = job.ok ? ordinalIn(job.value.farmId) : null;
    return workerOrdinal === null ? [] : [{ id, workerOrdinal }];
  });
  const results = await mapConcurrently(there, JOBS_AT_ONCE, retry);
  const jobs = results.filter(({ retried, problem }) => retried > 0 || problem !== undefined);
  const retried = jobs.reduce((sum, job) => sum + job.retried, 0);
  return { kind: 'json', status: 200, body: { worker_id: worker.id, retried, jobs } };
};
