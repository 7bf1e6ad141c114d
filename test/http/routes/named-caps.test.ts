import { test } from 'tap';
import { done } from '../../../src/core/problems.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { startApi } from '../kit/api-fixture.ts';
import { FARM, farmRecord, QUEUE, queueRecord } from '../kit/records.ts';

void test('farms and queues keep, set and remove caps of owners and projects', async (t) => {
  const { api, client } = await startApi(t);
  const caps = { ownerCaps: { '*': 50, ana: 20 }, projectCaps: { film: 0 } };
  api.write(
    put('farm', keys.farm(FARM), farmRecord(caps)),
    put('queue', keys.queue(QUEUE), queueRecord({ ownerCaps: { ana: 1 } })),
  );
  t.match((await client.get(`/api/v1/farms/${FARM}`)).body, {
    owner_caps: { '*': 50, ana: 20 },
    project_caps: { film: 0 },
  });
  const queue = (await client.get(`/api/v1/queues/${QUEUE}`)).body as object;
  t.match(queue, { owner_caps: { ana: 1 } });
  t.notOk('project_caps' in queue);
  const inputOf = async (path: string, some: object): Promise<object> => {
    api.answer = () => done(path.startsWith('farms') ? farmRecord() : queueRecord());
    const { status } = await client.json('PUT', `/api/v1/${path}`, { name: 'day', ...some });
    t.equal(status, 200);
    return (api.asked.at(-1) as { message: { input: object } }).message.input;
  };
  for (const path of [`farms/${FARM}`, `queues/${QUEUE}`]) {
    const kept = await inputOf(path, {});
    t.notOk('ownerCaps' in kept || 'projectCaps' in kept, 'absent keeps the stored values');
    t.match(await inputOf(path, { owner_caps: { ana: 3 }, project_caps: null }), {
      ownerCaps: { ana: 3 },
      projectCaps: {},
    });
    for (const owner_caps of [{ ana: -1 }, { ana: 1.5 }, { ['x'.repeat(256)]: 1 }, [1]])
      t.match(await client.json('PUT', `/api/v1/${path}`, { name: 'day', owner_caps }), { status: 400 });
  }
});
