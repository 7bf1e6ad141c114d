import { sortedBy } from '../views/page-view.ts';
import { bulk, BULK_ITEMS_MAX, itemCall } from './bulk.ts';
import type { Handler } from './operation.ts';
import { deleteWorker, disableWorker, enableWorker, filterWorkers, findWorker } from './workers.ts';

const HANDLERS = { disable: disableWorker, enable: enableWorker, delete: deleteWorker } as const;

export const bulkWorkers: Handler<'bulkWorkers'> = (call, ports) => {
  const { body } = call;
  return bulk(
    body,
    'workers',
    (filter) => {
      const wanted = sortedBy(filterWorkers(ports.store, filter), (worker) => worker.name, 'asc');
      return { ids: wanted.slice(0, BULK_ITEMS_MAX).map((worker) => worker.id), total: wanted.length };
    },
    async (id) => {
      const before = findWorker(ports.store, id)?.status;
      const reply = await HANDLERS[body.action]({ ...itemCall(call, id), body: undefined }, ports);
      const isEnabled = before !== 'disabled';
      const isUnchanged = body.action === 'delete' ? false : isEnabled === (body.action === 'enable');
      return { reply, isUnchanged };
    },
    ports,
  );
};
