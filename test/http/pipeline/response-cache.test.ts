import { test } from 'tap';
import { ResponseCache } from '../../../http/pipeline/response-cache.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { startApi } from '../kit/api-fixture.ts';
import { FRAMES, jobChanges, jobNumber, jobRecord } from '../kit/records.ts';

const JOB = jobNumber(1);
const answer = (text: string) => ({ status: 200, headers: [], body: Buffer.from(text) });

void test('a response is valid until the next commit', async (t) => {
  let commits = 0;
  let renewed = 0;
  const recent = new ResponseCache({ count: () => commits, renew: () => (renewed += 1) });
  t.equal(recent.find('/a?'), undefined);
  const first = answer('a');
  recent.keep('/a?', recent.begin(), first);
  t.equal(renewed, 1, 'the snapshot is renewed before a response is built');
  t.equal(recent.find('/a?'), first);
  t.equal(recent.find('/a?x=1'), undefined);
  commits += 1;
  t.equal(recent.find('/a?'), undefined);
  commits -= 1;
  t.equal(recent.find('/a?'), undefined, 'it is removed from the cache');
});

void test('a response started before a commit is not valid after it', async (t) => {
  let commits = 5;
  const recent = new ResponseCache({ count: () => commits, renew: () => undefined });
  const count = recent.begin();
  commits += 1;
  recent.keep('/a?', count, answer('old'));
  t.equal(recent.find('/a?'), undefined);
  const newer = answer('new');
  recent.keep('/b?', recent.begin(), newer);
  recent.keep('/a?', count, answer('old'));
  t.equal(recent.find('/a?'), undefined);
  t.equal(recent.find('/b?'), newer, 'it does not replace a valid response');
});

void test('the cache is limited, and streams are not cached', async (t) => {
  const recent = new ResponseCache({ count: () => 1, renew: () => undefined });
  recent.keep('/text?', recent.begin(), { status: 200, headers: [], body: 'text' });
  t.equal(recent.find('/text?'), undefined);
  recent.keep('/large?', recent.begin(), answer('x'.repeat(2 * 1024 * 1024)));
  t.equal(recent.find('/large?'), undefined);
  for (let n = 0; n < 5000; n++) recent.keep(`/${n}?`, recent.begin(), answer('x'));
  t.ok(recent.find('/4999?'));
  t.equal(recent.find('/0?'), undefined);
});

void test('a client always reads its own writes', async (t) => {
  const { api, client } = await startApi(t);
  const step = {
    name: 'render',
    untouched: 'ready',
    taskCount: 3,
    space: FRAMES(3),
    touched: new Map(),
  } as const;
  api.write(...jobChanges({}, [step]));
  const path = `/api/v1/jobs/${JOB}`;
  const first = await client.get(path);
  const again = await client.get(path);
  t.strictSame(again.body, first.body);
  t.equal(again.headers['etag'], first.headers['etag']);
  t.not(again.headers['x-request-id'], first.headers['x-request-id'], 'the ID is that of the request');
  t.equal((await client.get(path, { 'if-none-match': first.headers['etag'] ?? '' })).status, 304);
  t.equal((await client.send('HEAD', path)).headers['content-length'], first.headers['content-length']);
  const zipped = await client.open('GET', path, { headers: { 'accept-encoding': 'gzip' } });
  t.equal(zipped.headers['content-encoding'], 'gzip');
  zipped.resume();
  const record = api.store.get('job', keys.job(JOB)) ?? jobRecord();
  api.write(put('job', keys.job(JOB), { ...record, priority: 99 }));
  t.match((await client.get(path)).body, { priority: 99 });
  t.equal((await client.get(`${path}/tasks?limit=0`)).status, 400, 'an error response is not cached');
  t.equal((await client.get(`/api/v1/jobs/${jobNumber(9)}`)).status, 404);
  api.write(put('job', keys.job(jobNumber(9)), jobRecord({ id: jobNumber(9) })));
  t.equal((await client.get(`/api/v1/jobs/${jobNumber(9)}`)).status, 200);
});

void test('a response of an earlier commit is dropped with the first one of a later commit', async (t) => {
  let commits = 1;
  const recent = new ResponseCache({ count: () => commits, renew: () => undefined });
  recent.keep('/a?', recent.begin(), answer('old'));
  commits = 2;
  const newer = answer('new');
  recent.keep('/b?', recent.begin(), newer);
  t.equal(recent.find('/a?'), undefined);
  t.equal(recent.find('/b?'), newer);
});

void test('the cache has at most about eight megabytes, and is emptied beyond that', async (t) => {
  const recent = new ResponseCache({ count: () => 1, renew: () => undefined });
  const body = answer('x'.repeat(1024 * 1024));
  const kept = (): number =>
    Array.from({ length: 30 }, (_, n) => recent.find(`/${n}?`)).filter(Boolean).length;
  const sizes: number[] = [];
  for (let n = 0; n < 30; n++) {
    recent.keep(`/${n}?`, recent.begin(), body);
    sizes.push(kept());
  }
  t.equal(Math.max(...sizes), 9);
  t.equal(sizes.filter((size) => size === 1).length, 4, 'emptied again whenever it was full');
});
