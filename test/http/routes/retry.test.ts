import { test } from 'tap';
import { replyTo } from '../../../actors/kernel/address.ts';
import { done, refused } from '../../../src/core/problems.ts';
import { openHouse } from '../kit/house.ts';
import { FRAMES, jobChanges, jobNumber, taskIdAt } from '../kit/records.ts';

const JOB = jobNumber(1);
const to = replyTo('front');

void test('jobs and tasks are tried again by the job', async (t) => {
  const { house, client } = await openHouse(t);
  house.write(
    ...jobChanges({}, [
      { name: 'render', untouched: 'canceled', taskCount: 3, space: FRAMES(3), touched: new Map() },
    ]),
  );
  const task = `/api/v1/tasks/${taskIdAt(0, 2)}/retry`;
  house.answer = () => done({ retried: 3, status: null });
  t.match(await client.send('POST', `/api/v1/jobs/${JOB}/retry`), {
    status: 200,
    body: { job_id: JOB, retried: 3 },
  });
  for (const status of ['ready', 'pending']) {
    house.answer = () => done({ retried: 1, status });
    t.match(await client.send('POST', task), { status: 202, body: { task_id: taskIdAt(0, 2), status } });
  }
  const asked = {
    actor: 'job',
    id: JOB,
    message: { type: 'job.retry', target: { stepOrder: 0, index: 2 }, replyTo: to },
  };
  t.strictSame(house.asked, [
    { actor: 'job', id: JOB, message: { type: 'job.retry', target: 'job', replyTo: to } },
    asked,
    asked,
  ]);
  house.answer = () => refused('conflict', 'the task is running, neither failed nor canceled');
  t.match(await client.send('POST', task), {
    status: 409,
    body: { detail: 'the task is running, neither failed nor canceled' },
  });
  t.equal((await client.send('POST', `/api/v1/jobs/${JOB}/retry`)).status, 409);
});

void test('what does not exist is not tried again', async (t) => {
  const { house, client } = await openHouse(t);
  t.equal((await client.send('POST', `/api/v1/jobs/${JOB}/retry`)).status, 404);
  t.equal((await client.send('POST', `/api/v1/tasks/${taskIdAt(0, 0)}/retry`)).status, 404);
  t.same(house.asked, []);
});
