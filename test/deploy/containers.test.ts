import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import tap, { test } from 'tap';
import { readConfigFile } from '../../src/adapters/system/config-file.ts';
import { packageRoot } from '../../src/adapters/system/package-root.ts';
import { resolveServer, resolveWorker } from '../../src/core/config/resolve.ts';
import { Daemon, freePort } from '../kit/daemons.ts';
import { ApiClient } from '../kit/api-client.ts';
import { until } from '../kit/until.ts';
import { copyOf, readDockerfile } from './dockerfile.ts';

tap.setTimeout(120_000);

/** These tests need no container engine: they read the files, and assemble and run the content of the image. */
const ROOT = fileURLToPath(packageRoot);
const read = (path: string): Promise<string> => readFile(join(ROOT, path), 'utf8');

test('the container file copies existing files that are in the build context', async (t) => {
  const { stages, instructions } = readDockerfile(await read('deploy/Dockerfile'));
  t.same(
    stages.map(({ name }) => name),
    ['build', 'runtime', 'worker', 'server'],
  );
  const known = new Set(stages.map(({ name }) => name));
  for (const { from } of stages) t.ok(known.has(from) || from === 'node:20-bookworm-slim', from);
  const ignored = (await read('.dockerignore')).split('\n');
  t.equal(ignored[0], '**');
  for (const instruction of instructions.filter(({ name }) => name === 'COPY')) {
    const { from, sources } = copyOf(instruction);
    for (const source of sources) {
      if (from !== null) {
        t.ok(known.has(from), from);
        t.match(source, /^\/build\//);
        continue;
      }
      t.ok(existsSync(join(ROOT, source)), source);
      t.ok(ignored.includes(`!${source.split('/')[0] ?? ''}`), `${source} is in the context`);
    }
  }
  const users = instructions.filter(({ name, stage }) => name === 'USER' && stage !== 'build');
  t.equal(users.at(-1)?.text, 'callsheet', 'no container runs as root');
});

test('variables of the containers are existing configuration keys', async (t) => {
  const { instructions } = readDockerfile(await read('deploy/Dockerfile'));
  const environment = (stage: string): Record<string, string> =>
    Object.fromEntries(
      instructions
        .filter((each) => each.stage === stage && each.name === 'ENV')
        .flatMap(({ text }) => text.split(' ').map((pair) => pair.split('=') as [string, string])),
    );
  const sources = (variables: Record<string, string>) => ({ file: null, environment: variables, flags: [] });
  const server = resolveServer(sources(environment('server')));
  t.ok(server.ok, server.ok ? '' : server.lines.join());
  const compose = readConfigFile(join(ROOT, 'deploy/compose.yaml'));
  t.ok(compose.ok);
  const { services } = merged(compose.ok ? compose.document : null) as {
    readonly services: Readonly<Record<string, Service>>;
  };
  t.same(Object.keys(services), ['server', 'worker-1', 'worker-2']);
  const targets: string[] = [];
  for (const [name, service] of Object.entries(services)) {
    const { context, dockerfile, target } = service.build;
    t.ok(existsSync(join(ROOT, 'deploy', context, dockerfile)));
    targets.push(target);
    if (name === 'server') continue;
    const worker = resolveWorker(sources({ ...environment('worker'), ...service.environment }));
    t.ok(worker.ok, worker.ok ? '' : worker.lines.join());
    t.equal(worker.ok && worker.values['worker.name'], name);
    t.same(worker.ok && worker.values['bus.url'], ['nats://server:14222']);
  }
  t.same(targets, ['server', 'worker', 'worker']);
});

interface Service {
  readonly build: { readonly context: string; readonly dockerfile: string; readonly target: string };
  readonly environment?: Readonly<Record<string, string>>;
}

/** Resolves maps with a merge key, as compose does. */
function merged(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([name, entry]): [string, unknown] => [name, merged(entry)]);
  const { '<<': from, ...own } = Object.fromEntries(entries);
  return typeof from === 'object' ? { ...from, ...own } : own;
}

test('the content of the image can run a farm', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-image-'));
  const image = join(folder, 'callsheet');
  await mkdir(image);
  const { instructions } = readDockerfile(await read('deploy/Dockerfile'));
  for (const instruction of instructions.filter(
    ({ name, stage }) => name === 'COPY' && stage === 'runtime',
  )) {
    const { sources, target } = copyOf(instruction);
    for (const source of sources) {
      const path = source.replace('/build/', '');
      const to = sources.length > 1 ? join(image, target, basename(path)) : join(image, target);
      await mkdir(dirname(to), { recursive: true });
      if (path === 'node_modules') await symlink(join(ROOT, path), to);
      else await cp(join(ROOT, path), to, { recursive: true, filter: isInImage });
    }
  }
  const [port, bus] = [await freePort(), await freePort()];
  const start = (name: string, ...args: string[]): Daemon =>
    new Daemon(
      [...args, '--log-format=text'],
      join(folder, `${name}.log`),
      {},
      [],
      join(image, 'bin/callsheet.js'),
    );
  const server = start(
    'server',
    'server',
    '--stop-bus',
    `--http-addr=127.0.0.1:${port}`,
    `--bus-addr=127.0.0.1:${bus}`,
    `--data-dir=${join(folder, 'data')}`,
  );
  t.teardown(async () => {
    await server.kill('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  });
  await server.printed(/http:\/\/\S+/);
  const api = new ApiClient(`http://127.0.0.1:${port}`);
  const page = await fetch(`http://127.0.0.1:${port}/`);
  t.match([page.status, await page.text()], [200, /<script type="module"/], 'the web application is served');
  const farm = await api.makeFarm('farm');
  const worker = start(
    'worker',
    'worker',
    `--bus-url=nats://127.0.0.1:${bus}`,
    '--worker-name=one',
    `--worker-dir=${join(folder, 'worker')}`,
    '--worker-allow-root=true',
  );
  t.teardown(() => worker.kill());
  const { body } = await farm.submit(
    'specificationVersion: jobtemplate-2023-09\nname: one\nsteps: [{ name: S, script: { actions: { onRun: { command: "true" } } } }]\n',
  );
  await until('the job has completed', async () => (await api.job(body.id)).status === 'completed');
  await t.resolves(worker.kill('SIGTERM'));

  const health = instructions.find(({ name }) => name === 'HEALTHCHECK')?.text ?? '';
  const [program = '', ...args] = JSON.parse(health.slice(health.indexOf('['))) as string[];
  t.equal(program, 'node');
  const at = (where: number): string[] => args.map((arg) => arg.replace(':8080', `:${where}`));
  const check = (where: number): Promise<unknown> => promisify(execFile)(process.execPath, at(where));
  await t.resolves(check(port), 'the health check of a ready service');
  await t.rejects(check(bus), { code: 1 }, 'the health check of a missing service');
});

/** The image builds only the sources. */
const isInImage = (path: string): boolean => !/\/dist\/(test|bench)(\/|$)/.test(path);
