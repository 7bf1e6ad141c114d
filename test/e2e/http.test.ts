import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import type { Page } from '../kit/api-client.ts';
import { freePort, startService } from '../kit/daemons.ts';

tap.setTimeout(240_000);

const TEMPLATE = JSON.stringify({
  specificationVersion: 'jobtemplate-2023-09',
  name: 'once',
  steps: [{ name: 'S', script: { actions: { onRun: { command: 'true' } } } }],
});

await test('idempotency keys across a restart, ETags, gzip and the rate limit of a running service', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-http-'));
  const options = {
    folder,
    httpPort: await freePort(),
    busPort: await freePort(),
    flags: ['--scheduler-shards=2'],
  };
  let service = await startService(options);
  t.teardown(async () => {
    await service.daemon.kill('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  });
  const { api } = service;
  const farms = [await api.makeFarm('one'), await api.makeFarm('two')];
  const submit = async (farm: (typeof farms)[number] | undefined, key: string, body = TEMPLATE) => {
    if (farm === undefined) throw new Error('farm not found');
    const where = `farm_id=${farm.farmId}&queue_id=${farm.queueId}`;
    const response = await fetch(`${api.url}/api/v1/jobs?${where}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body,
    });
    const replayed = response.headers.get('idempotency-replayed');
    return { status: response.status, replayed, text: await response.text() };
  };

  const answers = await Promise.all(Array.from({ length: 8 }, () => submit(farms[0], 'at once')));
  const fresh = answers.filter(({ status, replayed }) => status === 201 && replayed === null);
  t.equal(fresh.length, 1, 'one of eight concurrent requests created the job');
  const rest = answers.filter((answer) => !fresh.includes(answer));
  t.ok(rest.every(({ status, replayed }) => status === 409 || (status === 201 && replayed === 'true')));
  const [first] = fresh;
  t.strictSame(await submit(farms[0], 'at once'), { ...first, replayed: 'true' });

  await service.daemon.kill('SIGKILL');
  service = await startService(options);
  t.strictSame(await submit(farms[0], 'at once'), { ...first, replayed: 'true' }, 'after a crash');
  t.equal((await submit(farms[0], 'at once', `${TEMPLATE} `)).status, 422);
  t.equal((await submit(farms[1], 'at once')).status, 422, 'another farm makes it a different request');
  t.equal((await submit(farms[1], 'another')).status, 201);
  t.equal((await api.must<Page<unknown>>('GET', '/api/v1/jobs')).total, 2);

  const list = await api.call('GET', '/api/v1/jobs');
  const same = await fetch(`${api.url}/api/v1/jobs`, {
    headers: { 'if-none-match': list.headers.get('etag') ?? '' },
  });
  t.strictSame([same.status, await same.text()], [304, '']);
  const coded = await fetch(`${api.url}/api/v1/openapi.yaml`, { headers: { 'accept-encoding': 'gzip' } });
  t.equal(coded.headers.get('content-encoding'), 'gzip');
  t.match(await coded.text(), /^openapi: 3\.1\.0/, 'decoded by fetch');

  await service.daemon.kill('SIGTERM');
  const flags = ['--http-rate-limit-enabled=true', '--http-rate-limit-rps=1', '--http-rate-limit-burst=3'];
  service = await startService({ ...options, flags });
  const statuses: number[] = [];
  for (let each = 0; each < 4; each++) statuses.push((await api.call('GET', '/api/v1/farms')).status);
  t.strictSame(statuses.slice(0, 3), [200, 200, 200]);
  // The limit may have been refilled by now. Requests without a pause must be refused eventually.
  let refusal = await api.call('GET', '/api/v1/farms');
  for (let each = 0; each < 100 && refusal.status === 200; each++) {
    refusal = await api.call('GET', '/api/v1/farms');
  }
  t.equal(refusal.status, 429);
  t.match(refusal.headers.get('retry-after'), /^[1-9][0-9]*$/);
  t.match(refusal.body, { title: 'Too Many Requests', instance: refusal.headers.get('x-request-id') });
  t.equal((await api.call('GET', '/readyz')).status, 200);
});
