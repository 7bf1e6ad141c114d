import { sortedBy } from '../views/page-view.ts';
import { bulk, BULK_ITEMS_MAX, itemCall } from './bulk.ts';
import { invalid, type Handler } from './operation.ts';
import { deleteWorker, disableWorker, enableWorker, filterWorkers, findWorker } from './workers.ts';

const HANDLERS = { enable: enableWorker, delete: deleteWorker } as const;

export const bulkWorkers: Handler<'bulkWorkers'> = (call, ports) => {
  const { body } = call;
  if (body.action === 'delete' && body.versions !== undefined)
    return invalid('/versions', 'only with disable and enable');
  return bulk(
    body,
    'workers',
    (filter) => {
      const wanted = sortedBy(filterWorkers(ports.store, filter), (worker) => worker.name, 'asc');
      return { ids: wanted.slice(0, BULK_ITEMS_MAX).map((worker) => worker.id), total: wanted.length };
    },
    async (id) => {
      const before = findWorker(ports.store, id)?.status;
      const { action, mode = 'after-tasks', reason = '', until, versions = {} } = body;
      const version = versions[id];
      const headers = version === undefined ? {} : { 'If-Match': [`"${version}"`] };
      const item = { ...itemCall(call, id), headers };
      const reply = await (action === 'disable'
        ? disableWorker({ ...item, body: { mode, reason, ...(until !== undefined && { until }) } }, ports)
        : HANDLERS[action]({ ...item, body: undefined }, ports));
      const isEnabled = before !== 'disabled';
      const isReplaced = action === 'disable' && (mode === 'now' || reason !== '' || until !== undefined);
      const isUnchanged = action === 'delete' || isReplaced ? false : isEnabled === (action === 'enable');
      return { reply, isUnchanged };
    },
    ports,
  );
};
