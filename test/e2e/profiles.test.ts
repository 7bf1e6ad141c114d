import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { freePort, startService } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(60_000);

interface CpuProfile {
  readonly nodes: readonly unknown[];
  readonly samples: readonly number[];
  readonly startTime: number;
  readonly endTime: number;
}

test('every thread can be profiled while the service continues', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-profiles-'));
  const service = await startService({
    folder,
    httpPort: await freePort(),
    busPort: await freePort(),
    flags: ['--http-enable-pprof', '--scheduler-shards=2'],
  });
  t.teardown(async () => {
    await service.daemon.kill();
    await rm(folder, { recursive: true, force: true });
  });
  const url = `${service.api.url}/debug/pprof`;
  const index = await (await fetch(url)).text();
  const threads = [...index.matchAll(/^ {2}(.+?) {2}\/debug/gm)].map((match) => match[1] ?? '');
  t.strictSame(threads.slice(0, 5), ['front', 'shard 0', 'shard 1', 'store', 'logs']);
  t.match(threads[5], /^pool \d+$/);
  const read = async (kind: string, thread: string, seconds: number): Promise<unknown> => {
    const response = await fetch(`${url}/${kind}?thread=${encodeURIComponent(thread)}&seconds=${seconds}`);
    t.equal(response.status, 200, `${kind} of ${thread}`);
    t.equal(response.headers.get('content-type'), 'application/json');
    return response.json();
  };
  await Promise.all(
    threads.map(async (thread) => {
      const cpu = (await read('profile', thread, 1)) as CpuProfile;
      t.ok(cpu.nodes.length > 0 && cpu.samples.length > 0, thread);
      t.ok(cpu.endTime - cpu.startTime >= 900_000, `${thread} was sampled for a second`);
      t.match(await read('heap', thread, 1), { head: { children: Array, selfSize: Number } });
    }),
  );

  const leaving = new AbortController();
  const long = fetch(`${url}/profile?thread=store&seconds=60`, { signal: leaving.signal });
  const heapOfStore = async (): Promise<number> => (await fetch(`${url}/heap?thread=store&seconds=1`)).status;
  await until('a second profile of the thread is rejected', async () => (await heapOfStore()) === 409);
  leaving.abort();
  await t.rejects(long);
  await until('a profile ends when its client disconnects', async () => (await heapOfStore()) === 200);

  const last = fetch(`${url}/profile?thread=shard%200&seconds=60`);
  await until('the profile is being recorded', async () => {
    const response = await fetch(`${url}/profile?thread=shard%200&seconds=1`);
    return response.status === 409;
  });
  service.daemon.child.kill('SIGTERM');
  t.equal((await last).status, 503, 'a shutdown ends a running profile');
  t.strictSame(await service.daemon.ended, { code: 0, signal: null });
});
