import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import type { AttemptView } from '../kit/api-client.ts';
import { freePort, startService } from '../kit/daemons.ts';
import { ScriptedWorker, type Spoken } from '../kit/scripted-worker.ts';
import { Uuid7 } from '../../src/adapters/system/uuid7.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(120_000);

const TASKS = 4;

const template = {
  specificationVersion: 'jobtemplate-2023-09',
  name: 'Open',
  steps: [
    {
      name: 'Step',
      parameterSpace: { taskParameterDefinitions: [{ name: 'N', type: 'INT', range: `1-${TASKS}` }] },
      hostRequirements: { amounts: [{ name: 'amount.worker.vcpu', min: 1 }] },
      script: { actions: { onRun: { command: 'true' } } },
    },
  ],
};

const said = (attempt: string, status: string, extra: Spoken = {}): Spoken => ({
  attempt_id: attempt,
  status,
  timestamp: new Date().toISOString(),
  session_id: 's1',
  ...extra,
});

const taskOf = (attempt: string): string => attempt.slice(0, attempt.lastIndexOf('-'));

test('an open attempt without reports survives a killed service, and can be closed', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-open-'));
  let service = await startService({ folder, httpPort: await freePort(), busPort: await freePort() });
  const farm = await service.api.makeFarm('show');
  let worker = await ScriptedWorker.start(service, 'spoken', TASKS);
  t.teardown(async () => {
    await worker.close();
    await service.daemon.kill('SIGTERM');
    if (t.passing()) await rm(folder, { recursive: true, force: true });
    else t.comment(service.daemon.log().slice(-4000));
  });
  const again = async (): Promise<void> => {
    await worker.close();
    await service.daemon.kill();
    service = await startService(service);
    worker = await worker.reconnect(service.busPort);
  };
  const { body: job } = await farm.submit(template);
  const { assignments } = await worker.lease();
  const attempts = assignments.map((each) => each.attempt_id);
  t.equal(attempts.length, TASKS);
  const [one = '', two = '', three = '', four = ''] = attempts;
  const listed = (attempt: string): Promise<readonly AttemptView[]> => service.api.attempts(taskOf(attempt));
  const all = (): Promise<unknown> => Promise.all(attempts.map(listed));

  const before = await all();
  t.match(
    before,
    attempts.map(() => [{ attempt_number: 1, status: 'running', worker_id: worker.workerId }]),
  );
  await again();
  t.strictSame(await all(), before, 'the open attempts are listed as before');
  const { status } = await service.api.call('GET', `/api/v1/tasks/${taskOf(one)}/log?attempt=1`);
  t.equal(status, 200, 'an attempt without reports has an empty log');

  t.match(await worker.heartbeat(attempts), { closed: [] });
  await worker.report(job.id, said(two, 'running'));
  await until(
    'its report has arrived',
    async () => (await service.api.job(job.id)).task_counts.running === TASKS,
  );
  await worker.report(job.id, said(one, 'succeeded', { exit_code: 0 }));
  await until('it has ended', async () => (await listed(one))[0]?.status === 'succeeded');
  await service.api.must('POST', `/api/v1/tasks/${taskOf(three)}/cancel`);
  t.match(await listed(three), [{ attempt_number: 1, status: 'canceled', worker_id: worker.workerId }]);
  await again();
  t.match(await all(), [
    [{ status: 'succeeded', exit_code: 0, started_at: /./, ended_at: /./ }],
    [{ status: 'running' }],
    [{ status: 'canceled', ended_at: /./ }],
    [{ status: 'running' }],
  ]);

  worker.incarnation = new Uuid7(() => Date.now()).next();
  await worker.register();
  const taken = { attempt_number: 1, status: 'failed', worker_id: worker.workerId, ended_at: /./ };
  await until(
    'both attempts are reclaimed',
    async () => (await service.api.job(job.id)).task_counts.ready === 2,
  );
  t.match([await listed(two), await listed(four)], [[taken], [taken]]);
  const reply = await worker.lease();
  t.strictSame(reply.assignments.map((each) => each.attempt_id).sort(), [
    `${taskOf(two)}-2`,
    `${taskOf(four)}-2`,
  ]);
  await again();
  t.match(await listed(four), [taken, { attempt_number: 2, status: 'running', worker_id: worker.workerId }]);
  const ends = reply.assignments.map((each) => said(each.attempt_id, 'succeeded', { exit_code: 0 }));
  const parked = worker.lease({ reports: ends });
  await until('the job has ended', async () => (await service.api.job(job.id)).status === 'failed');
  t.match(await listed(four), [taken, { attempt_number: 2, status: 'succeeded', exit_code: 0 }]);
  await service.daemon.kill('SIGTERM');
  t.match(await parked, { assignments: [], confirmed: reply.assignments.map((each) => each.attempt_id) });
});
