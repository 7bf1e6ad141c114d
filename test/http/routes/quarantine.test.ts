import { test } from 'tap';
import { done, refused } from '../../../src/core/problems.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { StepEvidence, WorkerEvidenceRecord } from '../../../src/core/records/worker-evidence.ts';
import { startApi } from '../kit/api-fixture.ts';
import { FARM, farmRecord, FRAMES, jobChanges, jobNumber, T0, WORKER, workerRecord } from '../kit/records.ts';

const PATH = `/api/v1/workers/${WORKER}`;
const quarantine = { since: T0 + 1, reason: 'why', policyVersion: 2 };
const step = (some: Partial<StepEvidence> = {}): StepEvidence => ({
  jobId: jobNumber(1),
  stepOrder: 0,
  open: 0,
  elsewhere: 2,
  everywhere: 1,
  successes: 0,
  others: { failed: 1, succeeded: 99 },
  lastAt: T0,
  ...some,
});
const evidence = (some: Partial<WorkerEvidenceRecord>): WorkerEvidenceRecord => ({
  version: 1,
  steps: [],
  streak: [],
  quarantine: null,
  ...some,
});

void test('a worker shows why it is in quarantine, and the evidence by step', async (t) => {
  const { api, client } = await startApi(t);
  const steps = [step({ jobId: jobNumber(9) }), step({ quarantine })];
  api.write(
    put('farm', keys.farm(FARM), farmRecord()),
    put('worker', keys.worker(WORKER), workerRecord()),
    put('workerEvidence', keys.workerEvidence(WORKER), evidence({ steps, quarantine })),
    ...jobChanges({}, [
      { name: 'render', untouched: 'ready', taskCount: 3, space: FRAMES(3), touched: new Map() },
    ]),
  );
  const doubt = {
    kind: 'quarantined',
    since: '2026-11-20T10:00:00.001Z',
    reason: 'why',
    policy_version: 2,
  };
  const { body } = await client.get(PATH);
  const { quarantine: shown, evidence: byStep } = body as { quarantine: unknown; evidence: unknown };
  t.same(shown, doubt);
  t.same(byStep, [
    {
      job_id: jobNumber(1),
      job_name: 'fractal',
      step_id: `${jobNumber(1)}-0`,
      step_name: 'render',
      failed_open: 0,
      failed_only_here: 2,
      failed_everywhere: 1,
      succeeded: 0,
      others_failed: 1,
      others_succeeded: 99,
      odds: 9,
      last_at: '2026-11-20T10:00:00.000Z',
      quarantine: doubt,
    },
  ]);
  t.match((await client.get('/api/v1/workers')).body, { items: [{ quarantine: doubt }] });
});

void test('lifts the quarantine of a worker', async (t) => {
  const { api, client } = await startApi(t);
  api.write(put('worker', keys.worker(WORKER), workerRecord()));
  api.answer = () => done(null);
  t.match(await client.send('POST', `${PATH}/lift-quarantine`), { status: 200, body: { id: WORKER } });
  t.match(api.asked, [
    { actor: 'worker', id: WORKER, message: { type: 'quarantine.lift', by: 'anonymous' } },
  ]);
  api.answer = () => refused('conflict', 'nothing to lift');
  t.match(await client.send('POST', `${PATH}/lift-quarantine`), { status: 409 });
  t.match(await client.send('POST', '/api/v1/workers/none/lift-quarantine'), { status: 404 });
});

void test('a farm has the setting only once it was set', async (t) => {
  const { api, client } = await startApi(t);
  api.write(put('farm', keys.farm(FARM), farmRecord()));
  t.notOk('quarantine' in ((await client.get(`/api/v1/farms/${FARM}`)).body as object));
  api.write(put('farm', keys.farm(FARM), farmRecord({ quarantine: { isOn: true, version: 3 } })));
  t.match((await client.get(`/api/v1/farms/${FARM}`)).body, { quarantine: true, quarantine_version: 3 });
  const inputs: unknown[] = [];
  api.answer = ({ message }) => {
    if (message.type === 'farm.replace') inputs.push(message.input);
    return done(farmRecord());
  };
  await client.json('PUT', `/api/v1/farms/${FARM}`, { name: 'main', quarantine: false });
  await client.json('PUT', `/api/v1/farms/${FARM}`, { name: 'main' });
  t.match(inputs, [{ quarantine: false }, {}]);
  t.notOk('quarantine' in (inputs[1] as object), 'a client that does not know the field keeps it');
  t.match(await client.json('PUT', `/api/v1/farms/${FARM}`, { name: 'main', quarantine: 'on' }), {
    status: 400,
  });
});
