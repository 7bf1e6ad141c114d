import { taskIdOf } from '../../src/core/ids.ts';
import { taskWindow } from '../views/task-window.ts';
import { bulk, BULK_ITEMS_MAX, itemCall } from './bulk.ts';
import { openTasks } from './find-task.ts';
import { invalid, type Handler } from './operation.ts';
import { retryTask } from './retry.ts';
import { cancelTask } from './tasks.ts';

const FIRST_PAGE = { sort_by: 'created_at', sort_dir: 'asc', offset: 0, limit: BULK_ITEMS_MAX } as const;

export const bulkTasks: Handler<'bulkTasks'> = (call, ports) => {
  const { body } = call;
  if (body.with_dependents !== undefined && body.action !== 'retry')
    return invalid('/with_dependents', `is only for retry, not for ${body.action}`);
  return bulk(
    body,
    'tasks',
    ({ job_id: id, status }) => {
      const opened = openTasks(ports, id, call.principal.ownerScope);
      if (!opened.ok) return { kind: 'problem', problem: opened.problem };
      const list = opened.value;
      const query = { ...FIRST_PAGE, ...(status !== undefined && { status }) };
      const { places, total } = taskWindow(list.tasksOf, list.steps, query);
      const ids = places.map(({ step, index }) =>
        taskIdOf({ jobId: list.job.id, stepOrder: step.order, index }),
      );
      return { ids, total };
    },
    async (id) => {
      const item = { ...itemCall(call, id), body: undefined };
      const query = { with_dependents: body.with_dependents === true };
      const reply = await (body.action === 'retry'
        ? retryTask({ ...item, query }, ports)
        : cancelTask(item, ports));
      return { reply, isUnchanged: false };
    },
    ports,
  );
};
