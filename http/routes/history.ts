import type { OwnerScope } from '../../src/core/access/owner-scope.ts';
import { farmId, type FarmId } from '../../src/core/ids.ts';
import { keys } from '../../src/core/records/tables.ts';
import type { Ports } from '../ports.ts';
import { farmHistoryView, workerHistoryView } from '../views/history-view.ts';
import type { Schemas } from '../views/schemas.ts';
import { notFound, type Handler } from './operation.ts';
import { findWorker } from './workers.ts';

export const getFarmHistory: Handler<'getFarmHistory'> = ({ query, principal }, { store, history }) => {
  const { farm_id: id, minutes, step_minutes: step } = query;
  if (store.get('farm', keys.farm(farmId(id))) === undefined) return notFound('farm', id);
  const body = farmHistoryOf({ history }, farmId(id), { minutes, step }, principal.ownerScope);
  return { kind: 'json', status: 200, body };
};

/** Returns the history of a farm that exists. */
export function farmHistoryOf(
  { history }: Pick<Ports, 'history'>,
  id: FarmId,
  { minutes, step }: { readonly minutes: number; readonly step: number },
  scope: OwnerScope,
): Schemas['FarmHistory'] {
  const columns = history.farm(id, minutes, step, scope);
  const now = history.farmNow(id, scope);
  return farmHistoryView({ id, stepMinutes: step, isOwn: scope !== null }, columns, now);
}

export const getWorkerHistory: Handler<'getWorkerHistory'> = ({ path, query }, { store, history }) => {
  const worker = findWorker(store, path.id);
  if (worker === null) return notFound('worker', path.id);
  const points = history.worker(worker.id, query.minutes);
  return { kind: 'json', status: 200, body: workerHistoryView(worker, points) };
};
