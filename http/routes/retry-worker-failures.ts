import type { JobId } from '../../src/core/ids.ts';
import { problemBody } from '../problems.ts';
import type { Schemas } from '../views/schemas.ts';
import { mapBounded } from './bounded.ts';
import { findJob } from './find-task.ts';
import { notFound, type Handler } from './operation.ts';
import { askToRetry } from './retry.ts';
import { failuresOf, findWorker } from './workers.ts';

const JOBS_AT_ONCE = 8;

/** The jobs are those of the failures that are kept of the worker (docs/decisions/additive-routes.md). */
export const retryWorkerFailures: Handler<'retryWorkerFailures'> = async ({ path }, ports) => {
  const { store } = ports;
  const worker = findWorker(store, path.id);
  if (worker === null) return notFound('worker', path.id);
  const failed = new Set((failuresOf(store, worker)?.steps ?? []).map(({ jobId }) => jobId));
  const target = { selection: { workerOrdinal: worker.ordinal } };
  const retry = async (id: JobId): Promise<Schemas['WorkerRetry']['jobs'][number]> => {
    const outcome = await askToRetry(id, target, ports);
    return outcome.ok
      ? { job_id: id, retried: outcome.value.retried }
      : { job_id: id, retried: 0, problem: problemBody(outcome.problem) };
  };
  const there = [...failed].filter((id) => findJob(store, id) !== null);
  const results = await mapBounded(there, JOBS_AT_ONCE, retry);
  const jobs = results.filter(({ retried, problem }) => retried > 0 || problem !== undefined);
  const retried = jobs.reduce((sum, job) => sum + job.retried, 0);
  return { kind: 'json', status: 200, body: { worker_id: worker.id, retried, jobs } };
};
