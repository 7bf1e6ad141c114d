import { test } from 'tap';
import { done, refused } from '../../../src/core/problems.ts';
import { attemptIdOf } from '../../../src/core/ids.ts';
import type { Outage } from '../../../src/core/outages/outage.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { startApi } from '../kit/api-fixture.ts';
import { FARM, farmRecord, jobNumber, T0 } from '../kit/records.ts';

/** A request with a JSON body. */
const json = (body: object) => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

const PATH = `/api/v1/farms/${FARM}`;

const outage = (some: Partial<Outage> = {}): Outage => ({
  kind: 'usage pool',
  name: 'houdini',
  firstAt: T0 - 1000,
  since: T0,
  until: T0 + 1e12,
  times: 2,
  keys: ['no license #'],
  message: 'no license 7',
  failures: 9,
  jobs: 2,
  workers: 3,
  longestMs: 500,
  probe: null,
  probed: [],
  policyVersion: 4,
  ...some,
});

void test('lists the outages of a farm that last', async (t) => {
  const { api, client } = await startApi(t);
  t.match(await client.get(`${PATH}/outages`), { status: 404 });
  api.write(put('farm', keys.farm(FARM), farmRecord()));
  t.match(await client.get(`${PATH}/outages`), { status: 200, body: [] });
  const probe = {
    attemptId: attemptIdOf({ jobId: jobNumber(1), stepOrder: 0, index: 2, attemptNumber: 3 }),
    jobId: jobNumber(1),
    passesAt: T0,
  };
  const outages = [
    outage(),
    outage({ name: 'nuke', endedAt: T0 + 1 }),
    outage({ kind: 'compute location', name: '', until: T0, probe }),
    outage({ name: 'maya', until: T0 }),
  ];
  api.write(put('farmOutages', keys.farmOutages(FARM), { version: 1, recent: [], outages }));
  const { body } = await client.get(`${PATH}/outages`);
  t.match(body, [
    {
      kind: 'usage pool',
      name: 'houdini',
      place: 'usage pool houdini',
      status: 'held',
      message: 'no license 7',
      since: '2026-11-20T09:59:59.000Z',
      times: 2,
      failures: 9,
      jobs: 2,
      workers: 3,
      policy_version: 4,
    },
    {
      place: 'workers without a compute location',
      status: 'probing',
      probe: { attempt_id: probe.attemptId, job_id: jobNumber(1) },
    },
    { name: 'maya', status: 'waiting for a probe' },
  ]);
});

void test('ends an outage', async (t) => {
  const { api, client } = await startApi(t);
  const place = { kind: 'usage pool', name: 'Houdini' };
  t.match(await client.send('POST', `${PATH}/end-outage`, json(place)), { status: 404 });
  api.write(put('farm', keys.farm(FARM), farmRecord()));
  api.answer = () => done(null);
  t.match(await client.send('POST', `${PATH}/end-outage`, json(place)), {
    status: 200,
    body: [],
  });
  t.match(api.asked, [
    {
      actor: 'lease',
      id: FARM,
      message: { type: 'outage.end', place: { kind: 'usage pool', name: 'houdini' }, by: 'anonymous' },
    },
  ]);
  api.answer = () => refused('conflict', 'there is no outage');
  t.match(await client.send('POST', `${PATH}/end-outage`, json(place)), { status: 409 });
  t.match(await client.send('POST', `${PATH}/end-outage`, json({ kind: 'planet', name: 'x' })), {
    status: 400,
  });
});

void test('a farm has the setting only once it was set, and keeps what a request leaves out', async (t) => {
  const { api, client } = await startApi(t);
  api.write(put('farm', keys.farm(FARM), farmRecord()));
  t.notMatch((await client.get(PATH)).body, { outage_holds: Boolean });
  const setting = { isOn: true, jobs: 2, workers: 3, windowSeconds: 120, holdSeconds: 60, version: 4 };
  api.write(put('farm', keys.farm(FARM), farmRecord({ outages: setting })));
  t.match((await client.get(PATH)).body, {
    outage_holds: true,
    outage_jobs: 2,
    outage_workers: 3,
    outage_window_seconds: 120,
    outage_hold_seconds: 60,
    outage_version: 4,
  });
  api.answer = () => done(farmRecord({ outages: setting }));
  await client.send('PUT', PATH, json({ name: 'north', outage_jobs: 5 }));
  t.match(api.asked.at(-1), { message: { input: { outages: { jobs: 5 } } } });
});
