import { setImmediate } from 'node:timers/promises';
import { farmId } from '../../src/core/ids.ts';
import { keys } from '../../src/core/records/tables.ts';
import type { WorkerRecord } from '../../src/core/records/worker.ts';
import { sortedBy } from '../views/page-view.ts';
import type { Schemas } from '../views/schemas.ts';
import { VisibleJobs } from '../views/visible-jobs.ts';
import { WorkerAttempts, type AttemptRange } from '../views/worker-attempts.ts';
import { notFound, type Handler } from './operation.ts';
import { filterWorkers, findWorker } from './workers.ts';

/** docs/rest.md#attempts-by-worker */

const rangeOf = (query: { readonly since?: string; readonly until?: string }): AttemptRange => ({
  since: query.since === undefined ? -Infinity : Date.parse(query.since),
  until: query.until === undefined ? Infinity : Date.parse(query.until),
});

export const listWorkerAttempts: Handler<'listWorkerAttempts'> = ({ path, query, principal }, { store }) => {
  const worker = findWorker(store, path.id);
  if (worker === null) return notFound('worker', path.id);
  const range = rangeOf(query);
  const { before = null, limit } = query;
  const attempts = new WorkerAttempts(store, new VisibleJobs(store, principal.ownerScope));
  const page = attempts.closed(worker, range, before, limit);
  const open = before === null ? attempts.open(worker, range) : [];
  return { kind: 'json', status: 200, body: { ...page, items: [...open, ...page.items] } };
};

export const listFarmAttempts: Handler<'listFarmAttempts'> = async (
  { path, query, principal },
  { store },
) => {
  if (store.get('farm', keys.farm(farmId(path.id))) === undefined) return notFound('farm', path.id);
  const all = sortedBy(filterWorkers(store, { farm_id: path.id }), nameOf, 'asc');
  const range = rangeOf(query);
  const items: Schemas['WorkerWithAttempts'][] = [];
  for (const worker of all.slice(query.offset, query.offset + query.limit)) {
    // Reading one worker can take several milliseconds of the main thread, so other requests get a turn in between.
    if (items.length > 0) await setImmediate();
    const attempts = new WorkerAttempts(store, new VisibleJobs(store, principal.ownerScope));
    const closed = attempts.closed(worker, range, null, query.per_worker);
    items.push({
      worker_id: worker.id,
      worker_name: worker.name,
      status: worker.status,
      attempts: [...attempts.open(worker, range), ...closed.items],
      has_more: closed.next !== undefined,
    });
  }
  return { kind: 'json', status: 200, body: { items, total: all.length } };
};

const nameOf = ({ name }: WorkerRecord): string => name;
