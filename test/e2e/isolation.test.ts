import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { runCallsheet } from '../cli/run-callsheet.ts';
import { canMakeAccounts, groupIdOf, idOf, makeAccount, makeGroup } from '../kit/accounts.ts';
import { freePort, IS_BUS_AUTHENTICATED, startService, startWorker } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(120_000);

const bash = (line: string): object => ({ command: 'bash', args: ['-c', line] });

/** A job whose environment and task each print their account. */
const template = (name: string, line: string, hostRequirements?: object): object => ({
  specificationVersion: 'jobtemplate-2023-09',
  name,
  steps: [
    {
      name: 'Step',
      ...(hostRequirements === undefined ? {} : { hostRequirements }),
      stepEnvironments: [
        {
          name: 'Scene',
          variables: { FROM_THE_JOB: 'yes' },
          script: {
            actions: { onEnter: bash('echo entered as $(id -un)'), onExit: bash('echo left as $(id -un)') },
          },
        },
      ],
      script: {
        embeddedFiles: [
          { name: 'Run', type: 'TEXT', filename: 'run.sh', runnable: true, data: `#!/bin/bash\n${line}\n` },
        ],
        actions: { onRun: { command: '{{Task.File.Run}}' } },
      },
    },
  ],
});

const skip = canMakeAccounts ? false : 'only root can make accounts';

await test('tasks run as the account of their queue', { skip }, async (t) => {
  const group = makeGroup(t);
  const user = makeAccount(t, ['-G', `${group},root`]);
  const stranger = makeAccount(t);
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-isolation-'));
  await chmod(folder, 0o711);
  const started = join(folder, 'started');
  const service = await startService({ folder, httpPort: await freePort(), busPort: await freePort() });
  const { api } = service;
  const farm = await api.makeFarm('show');
  const worker = startWorker(
    service,
    'one',
    [
      '--worker-cpus=1',
      '--worker-session-linger=0s',
      '--isolation-env-passthrough=PASSED_*,SVC_*',
      '--isolation-disk-quota=4MiB',
    ],
    { PASSED_ON: 'yes', KEPT_BACK: 'no' },
  );
  t.teardown(async () => {
    await worker.kill('SIGTERM');
    await service.daemon.kill('SIGTERM');
    if (t.passing()) await rm(folder, { recursive: true, force: true });
    else t.comment(`${worker.log().slice(-4000)}\n${service.daemon.log().slice(-4000)}`);
  });
  const queue = async (runAsUser: string | null, runAsGroup: string | null = null): Promise<void> => {
    const body = { name: 'main', run_as_user: runAsUser, run_as_group: runAsGroup };
    t.match(await api.must('PUT', `/api/v1/queues/${farm.queueId}`, body), body);
  };
  /** Runs one task and returns its end and its log. */
  const ran = async (
    name: string,
    line: string,
    hostRequirements?: object,
  ): Promise<{ readonly message: string; readonly log: string[] }> => {
    const { id } = (await farm.submit(template(name, line, hostRequirements), { max_attempts: '1' })).body;
    const status = await until('the job has ended', async () => {
      const job = await api.job(id);
      return ['completed', 'failed'].includes(job.status) ? job.status : null;
    });
    const [task] = await api.tasks(id);
    const [attempt] = await api.attempts(task?.id ?? '');
    // The log may be stored after the end of the job. A job that was refused has none.
    if (status === 'completed')
      await until('the log is complete', async () => (await api.log(task?.id ?? '')).includes('left as '));
    const log = await api.log(task?.id ?? '');
    return { message: attempt?.message ?? '', log: log.split('\n').filter((text) => text !== '') };
  };

  /** Runs `callsheet doctor` on this host and returns its exit status and a finding. */
  const examined = async (
    name: string,
  ): Promise<{ readonly code: number | null; readonly finding: unknown }> => {
    const flags = ['--worker-allow-root=true', `--worker-dir=${folder}/another`, '--json'];
    if (IS_BUS_AUTHENTICATED)
      flags.push(`--worker-credentials-file=${folder}/worker-one/bus-credentials.json`);
    const bus = `--bus-url=nats://127.0.0.1:${service.busPort}`;
    const ran = await runCallsheet([
      'doctor',
      '--url',
      `http://127.0.0.1:${service.httpPort}`,
      bus,
      ...flags,
    ]);
    const { checks } = JSON.parse(ran.out) as { readonly checks: readonly { readonly name: string }[] };
    return { code: ran.code, finding: checks.find((each) => each.name === name) };
  };
  const openBusGauge = async (): Promise<string> =>
    /^svc_isolated_queues_on_open_bus .*$/m.exec(await (await fetch(`${api.url}/metrics`)).text())?.[0] ?? '';

  t.match(await openBusGauge(), / 0$/);
  await queue(user);
  const warning = new RegExp(`tasks of this queue run as ${user}, but the bus has no authentication`);
  const view = await api.must<{ isolation_warning?: string }>('GET', `/api/v1/queues/${farm.queueId}`);
  if (IS_BUS_AUTHENTICATED) {
    await until('the worker has joined', () => worker.log().includes('joined the service'));
    t.match(await openBusGauge(), / 0$/);
    t.notOk('isolation_warning' in view);
    t.notMatch(service.daemon.log(), warning);
  } else {
    t.match(await openBusGauge(), / 1$/);
    t.match(view, { isolation_warning: /the bus has no authentication/ });
    t.match(service.daemon.log(), warning);
  }
  t.match(await examined(`account ${user}`), { code: 0, finding: { status: 'ok', found: 'queues: main' } });
  t.match((await examined('clock')).finding, { status: 'ok' }, 'the server sends its time');
  const isolated = (await examined('isolated queues')).finding;
  if (IS_BUS_AUTHENTICATED) t.equal(isolated, undefined, 'there is nothing to warn about');
  else t.match(isolated, { status: 'warning', found: /: main$/ });
  const facts = await ran(
    'facts',
    [
      'id -un; id -G; stat -c "%U %a" . "$0"; stat -c %a .. ../..',
      'echo ${FROM_THE_JOB-unset} ${PASSED_ON-unset} ${KEPT_BACK-unset} ${SVC_BUS_URL-unset} $HOME',
      'ls .. ../.. 2>/dev/null; cat ../../journal.jsonl ../../identity.json 2>/dev/null; ls /proc/$$/fd >fds; grep -v -E "^(0|1|2|255)$" fds',
      'pwd',
    ].join('\n'),
  );
  t.same(facts.log.slice(0, -2), [
    `entered as ${user}`,
    user,
    `${idOf('-g', user)} ${groupIdOf(group)}`,
    `${user} 700`,
    `${user} 700`,
    '711',
    '711',
    `yes yes unset unset /home/${user}`,
  ]);
  t.equal(facts.log.at(-1), `left as ${user}`);
  await t.rejects(stat(facts.log.at(-2) ?? ''), { code: 'ENOENT' }, 'its session directory was deleted');

  await queue(stranger, group);
  t.same((await ran('another account', 'id -un; id -gn')).log, [
    `entered as ${stranger}`,
    stranger,
    group,
    `left as ${stranger}`,
  ]);

  t.match(
    (await ran('disk quota', 'head -c 6M /dev/zero >full; sleep 600')).message,
    /^disk quota exceeded: the directory of the session used [67] MiB of its quota of 4 MiB$/,
  );
  t.match((await examined('isolation: disk quota')).finding, { status: 'ok' });
  t.match((await examined('isolation: network')).finding, { status: 'warning', fix: /default_user/ });

  await writeFile(started, '');
  await chmod(started, 0o666);
  const refused = async (runAsUser: string, runAsGroup: string | null, message: string): Promise<void> => {
    await queue(runAsUser, runAsGroup);
    const end = await ran(`refused ${runAsUser}`, `echo started >> ${started}`);
    t.same({ ...end, size: (await stat(started)).size }, { message, log: [], size: 0 });
  };
  await refused('Root@studio', null, 'the account "Root@studio" is privileged: no task runs with it');
  await refused(user, 'docker', 'the group "docker" is privileged: no task runs with it');
  await refused('nobody-knows', null, 'this machine has no account "nobody-knows"');
  await queue('missing-account');
  t.match(await examined('account missing-account'), {
    code: 1,
    finding: { status: 'failure', found: /this machine has no account "missing-account"/ },
  });

  await queue(null);
  t.same((await ran('the worker’s own account', 'id -u')).log, ['entered as root', '0', 'left as root']);

  const bus = `/dev/tcp/127.0.0.1/${service.busPort}`;
  const dial = `id -un; (exec 3<>${bus}) 2>/dev/null && echo reached; echo dialed`;
  await queue(user);
  t.same((await ran('open network', dial)).log.slice(1, -1), [user, 'reached', 'dialed']);
  await worker.kill('SIGTERM');
  const rootless = startWorker(service, 'two', ['--isolation-network=none']);
  t.equal((await rootless.ended).code, 1, 'tasks of root could enter the network again');
  t.match(rootless.log(), /isolation\.network: this machine does not support it: a task of root/);
  const closed = startWorker(service, 'three', [
    '--worker-session-linger=0s',
    '--isolation-network=none',
    `--isolation-default-user=${stranger}`,
  ]);
  t.teardown(() => closed.kill('SIGTERM'));
  t.same((await ran('no network', dial)).log.slice(1, -1), [user, 'dialed']);
  await queue(null);
  t.same((await ran('no network by default', dial)).log.slice(1, -1), [stranger, 'dialed']);

  await closed.kill('SIGTERM');
  const name = `callsheet-secret-${process.pid}`;
  const secret = join('/tmp', name);
  await writeFile(secret, 'secret\n');
  t.teardown(() => rm(secret, { force: true }));
  const covered = startWorker(service, 'four', [
    '--worker-session-linger=0s',
    '--isolation-private-tmp=true',
    '--isolation-hide-processes=true',
    `--isolation-default-user=${stranger}`,
  ]);
  t.teardown(() => covered.kill('SIGTERM'));
  const looks = `id -un; cat ${secret} 2>/dev/null; stat -c %U /proc/[0-9]* | sort -u; echo left >/tmp/${name}-left; echo looked`;
  const covers = { attributes: [{ name: 'svc:attr.worker.isolation.private_tmp', anyOf: ['true'] }] };
  t.same((await ran('covered', looks, covers)).log.slice(1, -1), [stranger, stranger, 'looked']);
  t.notOk(existsSync(`${secret}-left`));
  const { items } = await api.must<{ items: readonly { name: string; isolation: readonly string[] }[] }>(
    'GET',
    '/api/v1/workers',
  );
  const reported = items.find((each) => each.name === 'four')?.isolation ?? [];
  for (const part of ['private_tmp', 'hidden_processes', 'no_new_privileges', 'task_account'])
    t.ok(reported.includes(part), part);
  t.notOk(reported.includes('no_network'));
});
