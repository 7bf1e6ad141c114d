import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { freePort, startService } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(120_000);

interface Line {
  readonly request_id: string;
  readonly path: string;
  readonly status: number;
}

await test('a service writes its access log, and opens it again after a rotation', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-access-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'access.log');
  const service = await startService({
    folder,
    httpPort: await freePort(),
    busPort: await freePort(),
    flags: [`--http-access-log=${path}`],
  });
  t.teardown(() => service.daemon.kill('SIGTERM'));
  const request = async (id: string): Promise<void> => {
    const response = await fetch(`${service.api.url}/api/v1/farms`, { headers: { 'x-request-id': id } });
    await response.text();
  };
  const linesOf = async (file: string): Promise<readonly Line[]> =>
    existsSync(file)
      ? (await readFile(file, 'utf8'))
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line) as Line)
      : [];
  const has = async (file: string, id: string): Promise<boolean> =>
    (await linesOf(file)).some((line) => line.request_id === id);

  await request('before');
  await until('the first line is in the file', () => has(path, 'before'));
  await rename(path, `${path}.1`);
  service.daemon.child.kill('SIGHUP');
  await until('the file exists again', async () => existsSync(path));
  await request('after');
  await until('the next line is in the new file', () => has(path, 'after'));
  t.notOk(await has(`${path}.1`, 'after'));
  t.match(
    (await linesOf(path)).find((line) => line.request_id === 'after'),
    { path: '/api/v1/farms', status: 200 },
  );
  await request('last');
  await service.daemon.kill('SIGTERM');
  t.ok(await has(path, 'last'), 'a stop writes the remaining lines');
});

await test('a service with an access log that cannot be opened does not start', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-access-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'log'));
  const started = startService({
    folder,
    httpPort: await freePort(),
    busPort: await freePort(),
    flags: [`--http-access-log=${join(folder, 'log')}`],
  });
  await t.rejects(started, /http\.access_log: cannot open .*log: EISDIR/);
});
