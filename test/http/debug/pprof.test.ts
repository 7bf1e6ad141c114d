import { test } from 'tap';
import type { Profile, Profiler } from '../../../http/debug/pprof.ts';
import { Client } from '../kit/client.ts';
import { NO_RATE_LIMIT, startApi, startForBrowsers } from '../kit/api-fixture.ts';

/** Returns prepared answers and records the requests. */
class Answering implements Profiler {
  readonly asked: unknown[] = [];
  profile: Profile = { ok: true, text: '{"nodes":[]}' };

  threads(): readonly string[] {
    return ['front', 'shard 0'];
  }

  take(thread: string, kind: 'cpu' | 'heap', seconds: number): Promise<Profile> {
    this.asked.push({ thread, kind, seconds });
    return Promise.resolve(this.profile);
  }
}

void test('without http.enable_pprof the routes do not exist', async (t) => {
  const { client } = await startApi(t);
  for (const path of ['/debug/pprof', '/debug/pprof/', '/debug/pprof/profile?thread=front'])
    t.equal((await client.get(path)).status, 404, path);
});

void test('the index lists the threads and the routes', async (t) => {
  const { client } = await startApi(t, [], NO_RATE_LIMIT, new Answering());
  for (const path of ['/debug/pprof', '/debug/pprof/']) {
    const index = await client.open('GET', path);
    index.setEncoding('utf8');
    let text = '';
    for await (const piece of index) text += String(piece);
    t.equal(index.statusCode, 200);
    t.equal(index.headers['content-type'], 'text/plain; charset=utf-8');
    t.match(text, 'shard 0  /debug/pprof/profile?thread=shard%200');
    t.equal(index.headers['access-control-allow-origin'], undefined, 'pages of other origins cannot read it');
  }
});

void test('a profile is returned as a file', async (t) => {
  const profiler = new Answering();
  const { client } = await startApi(t, [], NO_RATE_LIMIT, profiler);
  const read = async (path: string) => {
    const answer = await client.open('GET', path, { headers: { 'accept-encoding': 'identity' } });
    answer.setEncoding('utf8');
    let text = '';
    for await (const piece of answer) text += String(piece);
    return { status: answer.statusCode, name: answer.headers['content-disposition'], text };
  };
  t.strictSame(await read('/debug/pprof/profile?thread=shard%200&seconds=60'), {
    status: 200,
    name: 'attachment; filename="shard-0.cpuprofile"',
    text: '{"nodes":[]}',
  });
  t.strictSame(await read('/debug/pprof/heap?thread=front'), {
    status: 200,
    name: 'attachment; filename="front.heapprofile"',
    text: '{"nodes":[]}',
  });
  t.strictSame(profiler.asked, [
    { thread: 'shard 0', kind: 'cpu', seconds: 60 },
    { thread: 'front', kind: 'heap', seconds: 10 },
  ]);
});

void test('an invalid request starts no profile', async (t) => {
  const profiler = new Answering();
  const { client } = await startApi(t, [], NO_RATE_LIMIT, profiler);
  // These routes are not in the contract.
  const refusal = async (path: string, method = 'GET') => {
    const answer = await client.open(method, path);
    answer.setEncoding('utf8');
    let text = '';
    for await (const piece of answer) text += String(piece);
    return [answer.statusCode, (JSON.parse(text) as { detail: string }).detail];
  };
  const seconds = 'seconds must be a whole number from 1 to 60';
  for (const given of ['0', '61', '-1', '1.5', 'x', '', '99999'])
    t.strictSame(await refusal(`/debug/pprof/profile?thread=front&seconds=${given}`), [400, seconds], given);
  t.strictSame(await refusal('/debug/pprof/heap'), [400, 'thread must name one of: front, shard 0']);
  t.strictSame(await refusal('/debug/pprof/heap?thread=nobody'), [
    404,
    'no such thread; threads: front, shard 0',
  ]);
  t.strictSame(await refusal('/debug/pprof/trace'), [404, 'no resource at /debug/pprof/trace']);
  t.strictSame(await refusal('/debug/pprof/profile?thread=%zz'), [400, 'the query has a malformed escape']);
  t.strictSame(await refusal('/debug/pprof/profile?thread=front', 'POST'), [
    405,
    'profiles can only be read with GET',
  ]);
  t.strictSame(profiler.asked, []);
  profiler.profile = { ok: false, reason: 'busy' };
  t.strictSame(await refusal('/debug/pprof/profile?thread=front'), [
    409,
    'a profile of the thread front is being taken',
  ]);
  profiler.profile = { ok: false, reason: 'silent' };
  t.strictSame(await refusal('/debug/pprof/profile?thread=front'), [503, 'the thread front does not answer']);
});

void test('with an address of their own, profiles are served only there', async (t) => {
  const profiler = new Answering();
  const { client, server } = await startForBrowsers(
    t,
    {},
    { profiler, pprofAddress: { host: '127.0.0.1', port: 0 } },
  );
  t.equal((await client.get('/debug/pprof/')).status, 404);
  const profiles = new Client(server.pprofPort ?? 0);
  t.teardown(() => profiles.close());
  const statusOf = async (
    method: string,
    path: string,
    headers: Record<string, string> = {},
  ): Promise<number> => {
    const answer = await profiles.open(method, path, { headers });
    answer.resume();
    t.equal(answer.headers['x-content-type-options'], 'nosniff', path);
    t.equal(answer.headers['access-control-allow-origin'], undefined, path);
    return answer.statusCode ?? 0;
  };
  t.equal(await statusOf('GET', '/debug/pprof/'), 200);
  t.equal(await statusOf('GET', '/debug/pprof/profile?thread=front'), 200);
  t.equal(await statusOf('POST', '/debug/pprof/'), 405);
  for (const path of ['/', '/api/v1/farms', '/healthz', '/metrics', '/debug', '/debug/pprof/ws'])
    t.equal(await statusOf('GET', path), 404, path);
  t.equal(await statusOf('GET', '/debug/pprof/', { host: 'evil.example' }), 421);
  const upgrade = { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
  const key = { 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' };
  t.equal(await statusOf('GET', '/debug/pprof/ws', { ...upgrade, ...key }), 404);
  t.match(await profiles.raw('GET /debug/pprof/ HTTP/1.1\r\n\r\n'), /^HTTP\/1.1 400 /);
  t.strictSame(profiler.asked, [{ thread: 'front', kind: 'cpu', seconds: 10 }]);
});

void test('an address of profiles that is in use stops the start', async (t) => {
  const { server } = await startApi(t);
  await t.rejects(
    startForBrowsers(
      t,
      {},
      { profiler: new Answering(), pprofAddress: { host: '127.0.0.1', port: server.port } },
    ),
    { message: new RegExp(`^cannot listen on 127\\.0\\.0\\.1:${server.port}: `) },
  );
});
