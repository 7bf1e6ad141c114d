import tap, { test, type Test } from 'tap';
import { done, refused } from '../../../../src/core/problems.ts';
import { put } from '../../../../src/core/records/change-set.ts';
import { keys } from '../../../../src/core/records/tables.ts';
import { follow, own, startFronts, type FrontOfNode } from '../../../kit/cluster-fronts.ts';
import { until } from '../../../kit/until.ts';
import {
  FRAMES,
  farmRecord,
  FARM,
  jobChanges,
  jobNumber,
  jobRecord,
  QUEUE,
  queueRecord,
} from '../../../http/kit/records.ts';

tap.setTimeout(120_000);

const JOB = jobNumber(1);
const STEP = {
  name: 'render',
  untouched: 'ready',
  taskCount: 3,
  space: FRAMES(3),
  touched: new Map(),
} as const;
const JSON_TYPE = { 'content-type': 'application/json' };

/** Node `a` owns epoch 1 at position 10; node `b` follows. Both have the job. */
async function ownerAndFollower(t: Test): Promise<readonly [FrontOfNode, FrontOfNode]> {
  const { fronts } = await startFronts(t);
  const [a, b] = fronts;
  if (a === undefined || b === undefined) throw new Error('two nodes were started');
  for (const { api } of fronts) {
    api.write(...jobChanges({}, [STEP]));
    api.write(put('farm', keys.farm(FARM), farmRecord()), put('queue', keys.queue(QUEUE), queueRecord()));
  }
  follow(b, 1, 10);
  own(a, 1, 10);
  await until('the owner listens', async () => (await a.client.get('/readyz')).status === 200);
  return [a, b];
}

await test('a write on a follower is carried out by the owner, like a direct one', async (t) => {
  const [a, b] = await ownerAndFollower(t);
  a.api.answer = () => done(jobRecord({ priority: 3 }));
  const sent = { headers: { ...JSON_TYPE, 'x-request-id': 'mine' }, body: '{"priority":3}' };
  const answer = await b.client.send('PATCH', `/api/v1/jobs/${JOB}`, sent);
  t.equal(answer.status, 200, answer.text);
  t.equal(answer.headers['x-request-id'], 'mine');
  t.equal(a.api.asked.length, 1);
  t.equal(b.api.asked.length, 0, 'the actors of a follower get nothing');
  a.api.answer = () => refused('conflict', 'as the owner says');
  const refusal = await b.client.send('POST', `/api/v1/jobs/${JOB}/cancel`);
  t.equal(refusal.status, 409);
  t.match(refusal.text, 'as the owner says');
  t.equal(b.node.figures.forwarded, 2);
});

await test('a refusal of a follower needs no owner', async (t) => {
  const [a, b] = await ownerAndFollower(t);
  t.equal((await b.client.send('POST', '/api/v1/nothing')).status, 404);
  t.equal((await b.client.send('PUT', `/api/v1/jobs/${JOB}`)).status, 405);
  const foreign = { origin: 'https://elsewhere.example', host: 'elsewhere.example' };
  t.equal((await b.client.send('DELETE', `/api/v1/jobs/${JOB}`, { headers: foreign })).status, 421);
  t.equal(a.api.asked.length, 0);
  t.equal(b.node.figures.forwarded, 0);
});

await test('a body that is larger than a message of the bus arrives whole', async (t) => {
  const [a, b] = await ownerAndFollower(t);
  a.api.answer = () => done(jobRecord());
  const template = `specificationVersion: jobtemplate-2023-09\nname: big # ${'x'.repeat(3_000_000)}\n`;
  const path = `/api/v1/jobs?farm_id=${FARM}&queue_id=${QUEUE}`;
  const answer = await b.client.send('POST', path, {
    headers: { 'content-type': 'application/x-yaml' },
    body: template,
  });
  t.equal(answer.status, 201, answer.text.slice(0, 300));
  t.equal(a.api.prepared[0]?.text.length, template.length);
});

await test('a read that needs what only the owner knows is passed on', async (t) => {
  const [a, b] = await ownerAndFollower(t);
  a.api.activity = { ...a.api.activity, parkedRequests: 7 };
  const stats = await b.client.get('/api/v1/stats');
  t.equal(stats.status, 200, stats.text);
  t.match(stats.text, '7');
  t.equal(b.node.figures.forwarded, 1);
  t.equal((await b.client.get(`/api/v1/farms/${FARM}`)).status, 200);
  t.equal(b.node.figures.forwarded, 1, 'a farm is read here');
});

await test('a request waits for an owner, and gets 503 if none appears', async (t) => {
  const { fronts } = await startFronts(t);
  const [a, b] = fronts;
  if (a === undefined || b === undefined) throw new Error('two nodes were started');
  for (const { api } of fronts) api.write(...jobChanges({}, [STEP]));
  a.api.answer = () => done(null);
  follow(a, 0, 0);
  follow(b, 0, 0);
  const sent = b.client.send('DELETE', `/api/v1/jobs/${JOB}`);
  follow(b, 1, 5);
  own(a, 1, 5);
  t.equal((await sent).status, 204);
  a.standing.setLease(-Infinity);
  const late = await b.client.send('DELETE', `/api/v1/jobs/${JOB}`);
  t.equal(late.status, 503);
  t.equal(late.headers['retry-after'], '2');
  t.equal(a.api.asked.length, 1, 'an owner without a lease carries nothing out');
});

await test('a write without an answer is not repeated, unless it has a key', async (t) => {
  const [a, b] = await ownerAndFollower(t);
  const never = (): Promise<never> => new Promise(() => undefined);
  a.api.answer = never;
  const plain = b.client.send('POST', `/api/v1/jobs/${JOB}/cancel`);
  const path = `/api/v1/jobs?farm_id=${FARM}&queue_id=${QUEUE}`;
  const template = 'specificationVersion: jobtemplate-2023-09\nname: once\n';
  const headers = { 'content-type': 'application/x-yaml', 'idempotency-key': 'k' };
  const keyed = b.client.send('POST', path, { headers, body: template });
  await until('both are with the owner', () => a.api.asked.length === 2);
  // The process of the owner ends, as far as the others can tell.
  await a.node.close();
  const unknown = await plain;
  t.equal(unknown.status, 503);
  t.match(unknown.text, 'not known whether');
  b.api.answer = () => done(jobRecord());
  own(b, 2, 12);
  t.equal((await keyed).status, 201, 'the new owner carries it out');
  t.equal(b.api.asked.length, 1);
});

await test('an owner whose lease has ended does not send what it has made', async (t) => {
  const [a] = await ownerAndFollower(t);
  a.api.answer = () => {
    a.standing.setLease(-Infinity);
    return done(null);
  };
  const answer = await a.client.send('DELETE', `/api/v1/jobs/${JOB}`);
  t.equal(answer.status, 503);
  t.match(answer.text, 'not known whether');
});
