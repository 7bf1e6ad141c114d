import { farmId } from '../../src/core/ids.ts';
import { keys } from '../../src/core/records/tables.ts';
import { farmHistoryView, workerHistoryView } from '../views/history-view.ts';
import { notFound, type Handler } from './operation.ts';
import { findWorker } from './workers.ts';

export const getFarmHistory: Handler<'getFarmHistory'> = ({ query }, { store, history }) => {
  const { farm_id: id, minutes, step_minutes: step } = query;
  if (store.get('farm', keys.farm(farmId(id))) === undefined) return notFound('farm', id);
  const body = farmHistoryView(id, step, history.farm(id, minutes, step), history.farmNow(id));
  return { kind: 'json', status: 200, body };
};

export const getWorkerHistory: Handler<'getWorkerHistory'> = ({ path, query }, { store, history }) => {
  const worker = findWorker(store, path.id);
  if (worker === null) return notFound('worker', path.id);
  const points = history.worker(worker.id, query.minutes);
  return { kind: 'json', status: 200, body: workerHistoryView(worker, points) };
};
