import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import type { Page } from '../kit/api-client.ts';
import { freePort, startService } from '../kit/daemons.ts';

tap.setTimeout(240_000);

interface ProblemView {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
}

const MIB = 2 ** 20;
const step = (name: string, extra = ''): string =>
  `  - name: ${name}\n    script: { actions: { onRun: { command: "true" } } }\n${extra}`;
const template = (steps: string): string =>
  `specificationVersion: jobtemplate-2023-09\nname: bad\nsteps:\n${steps}`;
const bomb = [
  'a: &a [x,x,x,x,x,x,x,x,x]',
  ...Array.from({ length: 9 }, (_unused, level) => {
    const [name, before] = [String.fromCharCode(98 + level), String.fromCharCode(97 + level)];
    return `${name}: &${name} [${Array(9).fill(`*${before}`).join(',')}]`;
  }),
].join('\n');

await test(
  'invalid input is rejected with the location and the reason, and leaves no data behind',
  { timeout: 180_000 },
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'callsheet-bad-'));
    const service = await startService({ folder, httpPort: await freePort(), busPort: await freePort() });
    const { api } = service;
    const farm = await api.makeFarm('show');
    t.teardown(async () => {
      await service.daemon.kill('SIGTERM');
      await rm(folder, { recursive: true, force: true });
    });

    const cases: readonly {
      name: string;
      body: string;
      status: number;
      detail: RegExp;
      query?: Record<string, string>;
    }[] = [
      { name: 'broken YAML', body: 'name: [1, 2', status: 422, detail: /line|flow|\]/i },
      { name: 'YAML with exponential aliases', body: bomb, status: 422, detail: /alias/i },
      { name: 'ten thousand nested brackets', body: '['.repeat(10_000), status: 422, detail: /deep|nest/i },
      { name: 'no mapping', body: '- a\n- b\n', status: 422, detail: /mapping|object/i },
      {
        name: 'an unknown field',
        body: `${template(step('A'))}colour: red\n`,
        status: 422,
        detail: /\/colour/,
      },
      {
        name: 'a wrong type',
        body: 'specificationVersion: jobtemplate-2023-09\nname: 12\nsteps: []\n',
        status: 422,
        detail: /\/name/,
      },
      {
        name: 'another specification',
        body: template(step('A')).replace('2023-09', '2024-01'),
        status: 422,
        detail: /\/specificationVersion/,
      },
      {
        name: 'an environment template',
        body: 'specificationVersion: environment-2023-09\nenvironment: {}\n',
        status: 422,
        detail: /\/specificationVersion/,
      },
      {
        name: 'an unknown extension',
        body: `extensions: [FEATURE_BUNDLE_1]\n${template(step('A'))}`,
        status: 422,
        detail: /\/extensions\/0/,
      },
      { name: 'duplicate steps', body: template(step('A') + step('A')), status: 422, detail: /\/steps\/1/ },
      {
        name: 'a cycle',
        body: template(
          step('A', '    dependencies: [{ dependsOn: B }]\n') +
            step('B', '    dependencies: [{ dependsOn: A }]\n'),
        ),
        status: 422,
        detail: /A.*B|B.*A/s,
      },
      {
        name: 'an empty range',
        body: template(
          step(
            'A',
            '    parameterSpace: { taskParameterDefinitions: [{ name: N, type: INT, range: [] }] }\n',
          ),
        ),
        status: 422,
        detail: /\/steps\/0\/parameterSpace/,
      },
      {
        name: 'more tasks than a step can have',
        body: template(
          step(
            'A',
            '    parameterSpace: { taskParameterDefinitions: [{ name: N, type: INT, range: "1-1000000000000" }] }\n',
          ),
        ),
        status: 422,
        detail: /\/steps\/0/,
      },
      {
        name: 'an unknown symbol',
        body: template(step('A')).replace('"true"', '"{{Param.Fame}}"'),
        status: 422,
        detail: /Param\.Fame/,
      },
      {
        name: 'an unknown parameter',
        body: template(step('A')),
        status: 422,
        detail: /Nope/,
        query: { 'param.Nope': '1' },
      },
      {
        name: 'an unknown farm',
        body: template(step('A')),
        status: 400,
        detail: /farm/,
        query: { farm_id: crypto.randomUUID() },
      },
      {
        name: 'an unknown queue',
        body: template(step('A')),
        status: 400,
        detail: /queue/,
        query: { queue_id: crypto.randomUUID() },
      },
      {
        name: 'an invalid farm id',
        body: template(step('A')),
        status: 400,
        detail: /farm_id/,
        query: { farm_id: 'x' },
      },
      {
        name: 'an unknown upstream',
        body: template(step('A')),
        status: 400,
        detail: /depends_on/,
        query: { depends_on: crypto.randomUUID() },
      },
      {
        name: 'no attempts',
        body: template(step('A')),
        status: 400,
        detail: /max_attempts/,
        query: { max_attempts: '0' },
      },
      {
        name: 'an invalid priority',
        body: template(step('A')),
        status: 400,
        detail: /priority/,
        query: { priority: 'high' },
      },
    ];
    for (const { name, body, status, detail, query } of cases) {
      await t.test(name, async (t) => {
        const answer = await farm.submit(body, query);
        t.equal(answer.status, status);
        t.equal(answer.headers.get('content-type'), 'application/problem+json');
        const problem = answer.body as unknown as ProblemView;
        t.match(problem.detail, detail);
        t.match(problem, { type: 'about:blank', status, instance: answer.headers.get('x-request-id') });
      });
    }

    await t.test('a body of 20 MiB', async (t) => {
      const outcome = await farm.submit(`# ${'x'.repeat(20 * MIB)}`).catch((error: unknown) => error);
      // The service may close the connection while the client is still sending. Both outcomes are a rejection.
      if (outcome instanceof Error) t.match(outcome.message, /fetch failed/);
      else t.match(outcome, { status: 413 });
    });

    await t.test('other content types', async (t) => {
      const path = `/api/v1/jobs?farm_id=${farm.farmId}&queue_id=${farm.queueId}`;
      for (const contentType of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
        t.equal((await api.call('POST', path, template(step('A')), contentType)).status, 415, contentType);
      }
    });

    await t.test('a second service on a used port exits and stops its bus', async (t) => {
      const second = {
        folder: join(folder, 'second'),
        httpPort: service.httpPort,
        busPort: await freePort(),
      };
      await mkdir(second.folder);
      await t.rejects(startService(second), /cannot listen on 127\.0\.0\.1:\d+/);
      await t.rejects(
        new Promise((resolve, reject) => {
          connect(second.busPort, '127.0.0.1').once('connect', resolve).once('error', reject);
        }),
        { code: 'ECONNREFUSED' },
        'no process listens on the port of its bus',
      );
    });

    const { total } = await api.must<Page<unknown>>('GET', '/api/v1/jobs');
    t.equal(total, 0, 'nothing is stored');
    t.equal((await farm.submit(template(step('A')))).status, 201, 'the service continues');
  },
);
