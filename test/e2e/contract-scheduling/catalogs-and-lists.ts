import { runCallsheet } from '../../cli/run-callsheet.ts';
import type { Page } from '../../kit/api-client.ts';
import type { Case } from '../../kit/cases.ts';
import { jobOf, type TaskDoc } from '../../kit/contract-bench.ts';
import { type FlowContext, OK } from './kit.ts';

/** Deletion of queues and farms, lists of jobs and tasks, and the command line. */
export const catalogAndListCases: readonly Case<FlowContext>[] = [
  [
    'DELETE of a queue or farm with unfinished jobs returns 409',
    async (t, { createFarm }) => {
      const place = await createFarm('place');
      const queue = await place.queue('doomed');
      const id = await place.submit(jobOf('held', { line: OK }), {}, queue);
      const drop = async (path: string) => (await place.api.call('DELETE', `/api/v1/${path}`)).status;
      t.equal(await drop(`queues/${queue}`), 409);
      t.equal(await drop(`farms/${place.id}`), 409);
      await place.cancel(id);
      t.equal(await drop(`queues/${queue}`), 204);
      t.equal((await place.post(`jobs/${id}/retry`)).status, 409, 'its queue was deleted');
      t.match(await place.patch(id, { queue_id: place.queueId }), { status: 200 });
      t.match(await place.post(`jobs/${id}/retry`), { body: { retried: 1 } });
      await place.cancel(id);
      t.equal((await place.trySubmit(jobOf('late', { line: OK }), {}, queue)).status, 400);
    },
  ],
  [
    'lists: jobs by status and queue, tasks by status',
    async (t, { createFarm }) => {
      const place = await createFarm('lists');
      const one = await place.submit(jobOf('one', { line: OK, tasks: 3 }), { priority: 1 });
      const two = await place.submit(jobOf('two', { line: OK }), { priority: 2 });
      await place.patch(one, { action: 'pause' });
      await place.post(`tasks/${(await place.task(one, 1)).id}/cancel`);
      const ids = async (query: string): Promise<readonly string[]> =>
        (
          await place.api.must<Page<{ id: string }>>('GET', `/api/v1/jobs?farm_id=${place.id}&${query}`)
        ).items.map(({ id }) => id);
      t.same(await ids('status=paused'), [one]);
      t.same(await ids('status=pending'), [two]);
      t.same(await ids(`queue_id=${place.queueId}&sort_by=priority&sort_dir=desc`), [two, one]);
      t.same(await ids('search=TWO'), [two]);
      const tasks = (status: string) =>
        place.api.must<Page<TaskDoc>>('GET', `/api/v1/jobs/${one}/tasks?status=${status}`);
      t.match(await tasks('canceled'), { total: 1, items: [{ failure_reason: 'canceled by user' }] });
      t.match(await tasks('ready'), { total: 2 });
      t.equal((await place.api.call('GET', '/api/v1/jobs?status=removed')).status, 400);
    },
  ],
  [
    'the command line runs the same actions',
    async (t, { quiet }) => {
      const id = await quiet.submit(jobOf('by hand', { line: OK }));
      const run = async (...args: readonly string[]) => {
        const { code, out, err } = await runCallsheet([...args, `--url=${quiet.api.url}`]);
        t.equal(code, 0, err);
        return out;
      };
      for (const [action, status] of [
        ['pause', 'paused'],
        ['resume', 'pending'],
        ['cancel', 'canceled'],
        ['retry', 'pending'],
      ] as const) {
        t.match(await run('job', id, action), status);
      }
      t.match(await run('explain', (await quiet.task(id)).id), /Step1/);
      t.match(await run('job', id, 'delete'), 'removed');
      t.equal((await quiet.api.call('GET', `/api/v1/jobs/${id}`)).status, 404);
    },
  ],
];
