import { test } from 'tap';
import { attemptIdOf } from '../../../src/core/ids.ts';
import { done } from '../../../src/core/problems.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { startApi } from '../kit/api-fixture.ts';
import {
  attemptRecord,
  FARM,
  farmRecord,
  FRAMES,
  jobChanges,
  jobNumber,
  QUEUE,
  queueRecord,
  taskIdAt,
  taskState,
  WORKER,
  workerRecord,
} from '../kit/records.ts';
import { startSignedIn } from '../kit/signed-in.ts';

void test('a queue keeps, sets and removes its preemption', async (t) => {
  const { api, client } = await startApi(t);
  api.write(put('farm', keys.farm(FARM), farmRecord()), put('queue', keys.queue(QUEUE), queueRecord()));
  api.answer = () => done(queueRecord({ preemptAfterSeconds: 300, preemptible: true, preemptionVersion: 2 }));
  const replace = async (some: object): Promise<object> => {
    const { body } = await client.json('PUT', `/api/v1/queues/${QUEUE}`, { name: 'day', ...some });
    t.match(body, { preempt_after_seconds: 300, preemptible: true, preemption_version: 2 });
    return (api.asked.at(-1) as { message: { input: object } }).message.input;
  };
  const kept = await replace({});
  t.notOk('preemptAfterSeconds' in kept || 'preemptible' in kept, 'absent keeps the stored values');
  t.match(await replace({ preempt_after_seconds: 60, preemptible: true }), {
    preemptAfterSeconds: 60,
    preemptible: true,
  });
  t.match(await replace({ preempt_after_seconds: null, preemptible: false }), {
    preemptAfterSeconds: null,
    preemptible: false,
  });
  for (const preempt_after_seconds of [0, 1.5, 31_536_001])
    t.match(await client.json('PUT', `/api/v1/queues/${QUEUE}`, { name: 'day', preempt_after_seconds }), {
      status: 400,
    });
  const plain = await client.get(`/api/v1/queues/${QUEUE}`);
  t.notMatch(JSON.stringify(plain.body), /preempt/);
});

void test('an attempt that was taken back names the job that waited to those who may see it', async (t) => {
  const { api, as } = await startSignedIn(t);
  const [mine, foreign] = [jobNumber(1), jobNumber(2)];
  const address = { jobId: mine, stepOrder: 0, index: 0 };
  const step = (touched: Parameters<typeof jobChanges>[1][number]['touched']) =>
    [{ name: 'render', untouched: 'ready', taskCount: 3, space: FRAMES(3), touched }] as const;
  const preemption = {
    jobId: foreign,
    stepOrder: 0,
    queueId: QUEUE,
    queue: 'urgent',
    waitedMs: 301_500,
    afterSeconds: 300,
    policyVersion: 7,
  };
  api.write(
    put('farm', keys.farm(FARM), farmRecord()),
    put('queue', keys.queue(QUEUE), queueRecord()),
    put('worker', keys.worker(WORKER), workerRecord()),
    ...jobChanges(
      { id: mine, owner: 'Alice' },
      step(new Map([[0, taskState({ status: 'ready', attemptNumber: 1 })]])),
    ),
    ...jobChanges({ id: foreign, owner: 'bob' }, step(new Map())),
    put(
      'attempt',
      keys.attempt(address, 1),
      attemptRecord({ id: attemptIdOf({ ...address, attemptNumber: 1 }), status: 'canceled', preemption }),
    ),
  );
  const path = `/api/v1/tasks/${taskIdAt(0, 0, mine)}/attempts`;
  const shown = {
    queue: 'urgent',
    queue_id: QUEUE,
    waited_seconds: 301,
    after_seconds: 300,
    policy_version: 7,
    sentence:
      'Taken back for queue urgent, of which a task had waited 5 min 2 s (it may take back tasks after 5 min, preemption setting 7): the task runs again from its beginning, without using up an attempt.',
  };
  t.match(await as('oscar').get(path), {
    body: { items: [{ status: 'canceled', preemption: { ...shown, job_id: foreign } }] },
  });
  const { body } = await as('alice').get(path);
  t.match(body, { items: [{ preemption: shown }] });
  t.notMatch(JSON.stringify(body), foreign, 'an owner does not see the jobs of others');
});
