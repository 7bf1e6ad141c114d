import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import tap, { test } from 'tap';
import { callsheetProgram } from '../../cli/commands/program.ts';
import { runCallsheet, type Ran } from '../cli/run-callsheet.ts';
import { freePort, startService, startWorker, type Daemon } from '../kit/daemons.ts';
import { recordingProxy } from '../kit/recording-proxy.ts';
import { sessionCheck } from '../kit/session-check.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(240_000);

/** A session of the command line against the real service. Every exchange is checked against the OpenAPI document. */
const RENDER = `
specificationVersion: jobtemplate-2023-09
name: "{{Param.Name}}"
parameterDefinitions:
  - { name: Name, type: STRING, default: shot }
  - { name: Exit, type: INT, default: 0 }
  - { name: Gate, type: STRING, default: "" }
steps:
  - name: Render
    parameterSpace:
      taskParameterDefinitions:
        - { name: Frame, type: INT, range: "1-2" }
    hostRequirements:
      amounts: [{ name: amount.worker.vcpu, min: 1 }]
    script:
      actions:
        onRun:
          command: bash
          args:
            - "-c"
            - >-
              echo frame {{Task.Param.Frame}};
              while [ -n "{{Param.Gate}}" ] && [ ! -e "{{Param.Gate}}" ]; do sleep 0.1; done;
              echo "ends with {{Param.Exit}}" >&2;
              exit {{Param.Exit}}
  - name: Join
    dependencies: [{ dependsOn: Render }]
    script:
      actions:
        onRun: { command: bash, args: ["-c", "echo joined"] }
`;

/** Commands that do not speak to a service. */
const LOCAL = new Set(['server', 'worker', 'backup', 'restore', 'compact', 'openjd', 'completion']);

/** The words of every client command, and of every action that one takes: `pools set`, `job pause`. */
function clientCommands(program: Command): string[] {
  return program.commands
    .filter((command) => !LOCAL.has(command.name()))
    .flatMap((command) => [
      command.name(),
      ...command.commands.map((inner) => `${command.name()} ${inner.name()}`),
      ...command.registeredArguments.flatMap(({ argChoices = [] }) =>
        argChoices.map((action) => `${command.name()} ${action}`),
      ),
    ]);
}

test('a whole session of the command line says and hears what the OpenAPI document describes', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-session-'));
  const service = await startService({
    folder,
    httpPort: await freePort(),
    busPort: await freePort(),
    flags: ['--scheduler-retry-delay-seconds=0', '--scheduler-max-attempts=1'],
  });
  const proxy = await recordingProxy(service.httpPort);
  let worker: Daemon | null = null;
  t.teardown(async () => {
    await worker?.kill('SIGTERM');
    await proxy.close();
    await service.daemon.kill('SIGTERM');
    if (t.passing()) await rm(folder, { recursive: true, force: true });
    else t.comment(service.daemon.log().slice(-4000));
  });
  const template = join(folder, 'render.yaml');
  const gate = join(folder, 'gate');
  await writeFile(template, RENDER);
  await writeFile(
    join(folder, 'wrong.yaml'),
    'specificationVersion: jobtemplate-2023-09\nname: x\nsteps: []\n',
  );

  const known = clientCommands(callsheetProgram());
  const done = new Set<string>();
  /** Runs a command that has to exit with `code`. */
  const run = async (code: number, ...args: readonly string[]): Promise<Ran> => {
    const ran = await runCallsheet(args, { environment: { SVC_URL: proxy.url, SVC_API_KEY: 'svc_session' } });
    t.equal(ran.code, code, `${args.join(' ')}: ${ran.err}`);
    for (const command of known) {
      const [name = '', action] = command.split(' ');
      if (args[0] === name && (action === undefined || args.slice(1, 3).includes(action))) done.add(command);
    }
    return ran;
  };
  const json = async (code: number, ...args: readonly string[]): Promise<unknown> =>
    JSON.parse((await run(code, ...args, '--json')).out);

  // The farm.
  await run(0, 'farms', 'create', 'north', '--description', 'the first');
  await run(5, 'farms', 'create', 'north');
  await Promise.all([
    run(0, 'farms', 'create', 'spare'),
    run(2, 'farms', 'create', ' '),
    run(0, 'queues', 'create', 'north', 'render', '--priority', '5'),
    run(0, 'queues', 'create', 'north', 'night', '--description', 'cheap'),
    run(4, 'queues', 'create', 'nowhere', 'render'),
    run(0, 'pools', 'create', 'nuke', '4', '--server-hint', 'license-1'),
    run(2, 'pools', 'create', 'none', '0'),
    run(0, 'locations', 'create', 'berlin', '--description', 'first floor'),
    run(2, 'locations', 'create', 'a b'),
    run(
      0,
      'storage',
      'create',
      'projects',
      '--root',
      'default=/mnt/projects',
      '--root',
      'berlin=s3://bucket/p',
    ),
    run(2, 'storage', 'create', 'odd', '--root', 'default=relative'),
  ]);
  await Promise.all([
    run(0, 'farms', 'set', 'spare', '--max-concurrent-tasks', '9', '--failure-limit', '3'),
    run(0, 'queues', 'set', 'night', '--paused', 'true', '--max-attempts', '2', '--farm', 'north'),
    run(0, 'pools', 'set', 'nuke', '--max-concurrent', '2'),
    run(0, 'locations', 'set', 'berlin', '--name', 'potsdam'),
    run(0, 'storage', 'set', 'projects', '--drop-root', 'berlin', '--root', 'rome=/r'),
  ]);
  t.match(await json(0, 'farms'), [
    { name: 'north', description: 'the first' },
    { name: 'spare', max_concurrent_tasks: 9, failure_limit: 3 },
  ]);
  const queues = (await json(0, 'queues', '--farm', 'north')) as { readonly name: string }[];
  t.match(Object.fromEntries(queues.map((queue) => [queue.name, queue])), {
    render: { priority: 5 },
    night: { paused: true, max_attempts: 2, description: 'cheap' },
  });
  await Promise.all([
    run(0, 'queues'),
    run(0, 'pools'),
    run(0, 'locations'),
    run(0, 'storage'),
    run(0, 'pools', 'delete', 'nuke'),
    run(0, 'locations', 'delete', 'potsdam', '--json'),
    run(0, 'storage', 'delete', 'projects'),
    run(0, 'farms', 'delete', 'spare'),
    run(4, 'pools', 'delete', 'maya'),
  ]);

  // Jobs, before there is a worker.
  const submit = ['submit', template, '--farm', 'north', '--queue', 'render'];
  const preview = await run(0, ...submit, '-p', 'Name=tried', '--dry-run');
  t.match(preview.out, /^.* tasks; nothing was stored\n/);
  t.match(preview.out, /0\/0/, 'no worker is online, and none could run it');
  t.match(await json(0, ...submit, '-p', 'Name=tried', '--dry-run'), { steps: Array });
  await run(2, ...submit, '-p', 'Nobody=1', '--dry-run');
  t.match(await json(0, 'jobs'), { total: 0 }, 'nothing was stored');
  proxy.loseNextAnswer('POST', '/api/v1/jobs');
  const held = await run(
    0,
    ...submit,
    '-p',
    'Name=held',
    '--priority',
    '70',
    '--project',
    'film',
    '--owner',
    'ann',
  );
  t.match(held.err, /^waiting for the server at /);
  t.match(
    await json(0, 'jobs', '--search', 'held'),
    { total: 1 },
    'an answer that is lost makes no second job',
  );
  await Promise.all([
    run(0, 'job', 'held'),
    run(0, 'tasks', 'held', '--status', 'ready', '--sort-by', 'name', '--sort-dir', 'desc'),
    run(0, 'task', 'held/Render/1'),
    run(0, 'explain', 'held/Join'),
    run(0, 'logs', 'held/Render/0'),
    run(2, 'task', 'held/Render'),
    run(4, 'explain', 'no-such-task'),
    run(4, 'logs', 'no-such-task'),
    run(4, 'task', 'no-such-task'),
    run(4, 'job', 'nothing like it'),
    run(4, 'job', '0198a1c2-1111-7111-8111-111111111111', 'cancel'),
    run(
      0,
      'jobs',
      '--farm',
      'north',
      '--queue',
      'render',
      '--status',
      'pending',
      '--owner',
      'ann',
      '--project',
      'film',
    ),
    run(0, 'jobs', '--sort-by', 'priority', '--sort-dir', 'asc', '--limit', '1', '--offset', '0'),
    run(2, 'jobs', '--limit', '5000'),
    run(2, 'tasks', 'held', '--limit', '0'),
    run(2, 'submit', join(folder, 'wrong.yaml'), '--farm', 'north', '--queue', 'render'),
    run(2, ...submit, '-p', 'Unknown=1'),
    run(2, ...submit, '--max-attempts', '0'),
    run(4, ...submit, '--depends-on', 'nobody'),
    run(2, ...submit, '--depends-on', '0198a1c2-1111-7111-8111-111111111111'),
  ]);
  await run(0, 'job', 'held', 'pause');
  await run(0, 'job', 'held', 'set', '--priority', '10', '--queue', 'night', '--max-attempts', '1');
  t.match(await json(0, 'job', 'held', 'resume'), { priority: 10, effective_retry: { max_attempts: 1 } });
  await run(2, 'job', 'held', 'set', '--max-attempts', '0');
  await run(0, 'task', 'held/Render/0', 'cancel');
  await run(5, 'task', 'held/Render/0', 'cancel');
  await run(0, 'task', 'held/Render/0', 'retry');
  await run(5, 'task', 'held/Render/0', 'retry');
  await run(5, 'farms', 'delete', 'north');
  const canceled = run(7, 'job', 'held', 'wait');
  const behind = run(7, ...submit, '-p', 'Name=behind', '--depends-on', 'held', '--wait');
  const totalOf = async (path: string): Promise<number> =>
    (await service.api.must<{ readonly total: number }>('GET', path)).total;
  await until('both are waited for', async () => {
    const asked = proxy.exchanges.filter(({ target }) => /^\/api\/v1\/jobs\/[^/]+$/.test(target));
    const waits = asked.some(({ requestHeaders }) =>
      requestHeaders.some(([name]) => name === 'if-none-match'),
    );
    return waits && (await totalOf('/api/v1/jobs?status=blocked')) === 1;
  });
  await run(0, 'job', 'held', 'cancel');
  await Promise.all([canceled, behind]);
  await run(0, 'job', 'held', 'delete');
  await run(0, 'queues', 'delete', 'night');

  // With a worker.
  worker = startWorker(service, 'w1', ['--worker-cpus=4', '--worker-farm=north']);
  await until('the worker is online', async () => (await totalOf('/api/v1/workers?status=online')) === 1);
  const shot = await run(0, ...submit, '--watch');
  t.match(shot.err, /shot: 3\/3, completed\n/);
  await run(5, 'job', 'shot', 'cancel');
  const failing = await run(
    1,
    ...submit,
    '-p',
    'Name=broken',
    '-p',
    'Exit=3',
    '--max-attempts',
    '1',
    '--watch',
  );
  t.match(failing.err, /\ntask \S+ Render[^\n]*: [^\n]+\n( {2}\| [^\n]+\n)*? {2}\| ends with 3\n/);
  const [broken = ''] = failing.out.split(' ');
  await Promise.all([
    run(0, 'logs', `${broken}/Render/0`, '--json'),
    run(0, 'logs', `${broken}/Render/1`, '--follow'),
    run(0, 'task', `${broken}/Render/0`, '--json'),
    run(0, 'explain', `${broken}/Render/0`),
    run(0, 'workers', '--farm', 'north', '--status', 'online', '--sort-by', 'hostname'),
    run(5, 'workers', 'delete', 'w1'),
  ]);
  await run(2, 'job', broken, '--range', '0');
  await run(2, 'job', broken, 'retry', '--step', 'Nothing');
  await run(4, 'job', broken, 'retry', '--worker', 'nobody');
  await run(
    1,
    'job',
    broken,
    'retry',
    '--step',
    'Render',
    '--range',
    'Frame=1-2',
    '--worker',
    'w1',
    '--wait',
  );
  await run(1, 'job', broken, 'retry', '--wait');

  // A log that is followed while the task runs, and a worker that is to rest.
  const { out: gated } = await run(0, ...submit, '-p', 'Name=gated', '-p', `Gate=${gate}`);
  const following = run(0, 'logs', `${gated.trim()}/Render/0`, '--follow');
  const watching = run(0, 'job', 'gated', 'watch');
  await until('the job runs', async () => {
    const { status } = await service.api.job(gated.trim());
    return status === 'running';
  });
  await run(0, 'workers', 'disable', 'w1');
  await run(0, 'workers', 'enable', 'w1', '--json');
  await until('the job is asked for again', () =>
    proxy.exchanges.some(({ target, status }) => target.endsWith(gated.trim()) && status === 304),
  );
  await writeFile(gate, '');
  t.match((await following).out, /^frame 1\n/);
  await watching;
  t.ok(proxy.exchanges.some(({ target }) => target.includes('tail=true')));
  await worker.kill('SIGTERM');
  await until('the worker has left', async () => (await totalOf('/api/v1/workers?status=offline')) === 1);
  await run(0, 'workers', 'delete', 'w1');
  await run(0, 'workers');

  t.same(
    known.filter((command) => !done.has(command)),
    [],
    'every client command and every action was run',
  );

  const check = sessionCheck();
  const complaints = proxy.exchanges.flatMap((exchange) =>
    check(exchange).map(
      (complaint) => `${exchange.method} ${exchange.target} ${exchange.status}: ${complaint}`,
    ),
  );
  t.same([...new Set(complaints)], []);
  const statuses = new Set(proxy.exchanges.map(({ status }) => status));
  t.same(
    [...statuses].sort(),
    [200, 201, 202, 204, 304, 400, 404, 409, 422],
    'good and bad answers were given',
  );
  const submissions = proxy.exchanges.filter(
    ({ method, target }) =>
      method === 'POST' && target.startsWith('/api/v1/jobs?') && !target.includes('dry_run=true'),
  );
  t.ok(submissions.length > 8);
  for (const { requestHeaders } of submissions)
    t.ok(
      requestHeaders.some(([name]) => name === 'idempotency-key'),
      'a submission has its key',
    );
  for (const { requestHeaders } of proxy.exchanges)
    t.ok(requestHeaders.some(([name, value]) => name === 'authorization' && value === 'Bearer svc_session'));
});
