import { test } from 'tap';
import { done, refused } from '../../../src/core/problems.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { startApi } from '../kit/api-fixture.ts';
import { FRAMES, jobChanges, jobNumber, T0 } from '../kit/records.ts';

const JOB = jobNumber(1);
const STEPS = [
  { name: 'render', untouched: 'ready', taskCount: 3, space: FRAMES(3), touched: new Map() },
  { name: 'comp', untouched: 'pending', taskCount: 3, space: FRAMES(3), touched: new Map() },
] as const;
const HOLD = { by: 'anonymous', reason: 'wait for plates' };

void test('holds and releases a step by name or id, with the user and the reason', async (t) => {
  const { api, client } = await startApi(t);
  api.write(...jobChanges({}, STEPS));
  const record = api.store.get('step', keys.step(JOB, 1));
  if (record === undefined) throw new Error('the job has two steps');
  api.answer = () => done({ ...record, hold: { ...HOLD, at: T0 } });
  const path = `/api/v1/jobs/${JOB}/steps`;
  t.match(await client.json('POST', `${path}/comp/hold`, { reason: 'wait for plates' }), {
    status: 200,
    body: { name: 'comp', hold: { ...HOLD, at: /^2/ } },
  });
  api.answer = () => done(record);
  t.notMatch((await client.send('POST', `${path}/${JOB}-1/release`)).body, { hold: {} });
  await client.send('POST', `${path}/render/hold`);
  t.match(
    api.asked.map(({ message }) => message),
    [
      { type: 'step.hold', stepOrder: 1, hold: HOLD },
      { type: 'step.hold', stepOrder: 1, hold: null },
      { type: 'step.hold', stepOrder: 0, hold: { ...HOLD, reason: '' } },
    ],
  );
  api.write(put('step', keys.step(JOB, 1), { ...record, hold: { ...HOLD, at: T0 } }));
  t.match((await client.get(`${path}`)).body, { items: [{ name: 'render' }, { hold: HOLD }] });
});

void test('refuses steps and jobs that do not exist, long reasons and conflicts', async (t) => {
  const { api, client } = await startApi(t);
  api.write(...jobChanges({}, STEPS));
  const path = `/api/v1/jobs/${JOB}/steps`;
  t.equal((await client.send('POST', `${path}/none/hold`)).status, 404);
  t.equal((await client.send('POST', `${path}/none/release`)).status, 404);
  t.equal((await client.send('POST', `/api/v1/jobs/${jobNumber(7)}/steps/comp/hold`)).status, 404);
  t.equal((await client.json('POST', `${path}/comp/hold`, { reason: 'x'.repeat(1001) })).status, 400);
  t.same(api.asked, []);
  api.answer = () => refused('conflict', 'the step is completed already');
  t.equal((await client.send('POST', `${path}/comp/hold`)).status, 409);
});
