import { farmId } from '../../src/core/ids.ts';
import { keys } from '../../src/core/records/tables.ts';
import { farmHistoryView, workerHistoryView } from '../views/history-view.ts';
import { notFound, type Handler } from './operation.ts';
import { findWorker } from './workers.ts';

export const getFarmHistory: Handler<'getFarmHistory'> = ({ query, principal }, { store, history }) => {
  const { farm_id: id, minutes, step_minutes: step } = query;
  if (store.get('farm', keys.farm(farmId(id))) === undefined) return notFound('farm', id);
  const { ownerScope } = principal;
  const columns = history.farm(id, minutes, step, ownerScope);
  const now = history.farmNow(id, ownerScope);
  const body = farmHistoryView({ id, stepMinutes: step, isOwn: ownerScope !== null }, columns, now);
  return { kind: 'json', status: 200, body };
};

export const getWorkerHistory: Handler<'getWorkerHistory'> = ({ path, query }, { store, history }) => {
  const worker = findWorker(store, path.id);
  if (worker === null) return notFound('worker', path.id);
  const points = history.worker(worker.id, query.minutes);
  return { kind: 'json', status: 200, body: workerHistoryView(worker, points) };
};
