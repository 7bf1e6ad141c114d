import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { freePort, startService } from '../kit/daemons.ts';
import { ScriptedWorker, type Spoken, type SpokenLeases } from '../kit/scripted-worker.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(120_000);

const REPORTS_MAX = 256;

const template = (tasks: number): object => ({
  specificationVersion: 'jobtemplate-2023-09',
  name: 'Rides',
  steps: [
    {
      name: 'Step',
      parameterSpace: { taskParameterDefinitions: [{ name: 'N', type: 'INT', range: `1-${tasks}` }] },
      hostRequirements: { amounts: [{ name: 'amount.worker.vcpu', min: 1 }] },
      script: { actions: { onRun: { command: 'true' } } },
    },
  ],
});

const end = (attempt: string, extra: Spoken = {}): Spoken => ({
  attempt_id: attempt,
  status: 'succeeded',
  exit_code: 0,
  timestamp: new Date().toISOString(),
  session_id: 's1',
  ...extra,
});

const attemptsOf = ({ assignments }: SpokenLeases): string[] => assignments.map((each) => each.attempt_id);

test('the end of an attempt is piggybacked on the next lease request', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-piggyback-'));
  const service = await startService({
    folder,
    httpPort: await freePort(),
    busPort: await freePort(),
    flags: ['--scheduler-max-attempts=1'],
  });
  const { api } = service;
  const farm = await api.makeFarm('show');
  const worker = await ScriptedWorker.start(service, 'spoken', 1);
  t.teardown(async () => {
    await worker.close();
    await service.daemon.kill('SIGTERM');
    if (t.passing()) await rm(folder, { recursive: true, force: true });
    else t.comment(service.daemon.log().slice(-4000));
  });
  const { body: job } = await farm.submit(template(9));
  const attemptOf = async (attempt: string): Promise<unknown> => {
    const [record] = await api.attempts(attempt.slice(0, attempt.lastIndexOf('-')));
    return record;
  };
  const first = async (reports: readonly Spoken[]): Promise<{ got: string; confirmed: unknown }> => {
    const reply = await worker.lease({ reports });
    const [got = 'nothing'] = attemptsOf(reply);
    return { got, confirmed: reply.confirmed };
  };

  const plain = await worker.lease();
  t.notOk('confirmed' in plain, 'a request without reports confirms nothing');
  const [one = ''] = attemptsOf(plain);

  const second = await first([end(one)]);
  t.strictSame(second.confirmed, [one], 'the end is confirmed, and its core is free for the next task');
  t.match(await attemptOf(one), { status: 'succeeded', exit_code: 0, worker_id: worker.workerId });

  const failed = end(second.got, { status: 'failed', exit_code: 3, message: 'no light' });
  const third = await first([end(one, { status: 'failed', exit_code: 9 }), failed]);
  t.strictSame(third.confirmed, [one, second.got], 'a repeated report is confirmed again');
  t.match(await attemptOf(one), { status: 'succeeded', exit_code: 0 }, 'a repeated report changes nothing');
  t.match(await attemptOf(second.got), { status: 'failed', exit_code: 3, message: 'no light' });

  const stray = [`${job.id}-0-0-7`, `${job.id}-0-999-1`, `${job.id}-7-0-1`, `${crypto.randomUUID()}-0-0-1`];
  const fourth = await first([...stray.map((each) => end(each)), end(third.got)]);
  t.strictSame(fourth.confirmed, [...stray, third.got], 'an unknown attempt is not open');
  t.match(await attemptOf(third.got), { status: 'succeeded' });

  await worker.report(job.id, end(fourth.got));
  const fifth = await first([end(fourth.got, { status: 'failed' })]);
  t.strictSame(fifth.confirmed, [fourth.got], 'the end is also published to the stream');

  const refusal = await worker.lease({ incarnation: '0', reports: [end(fifth.got)] });
  t.strictSame(refusal, { v: 1, type: 'unknown' }, 'a request of an unknown worker confirms nothing');
  t.match(
    await attemptOf(fifth.got),
    { status: 'succeeded' },
    'the reports of an unknown worker are still applied',
  );
  const [sixth = ''] = attemptsOf(await worker.lease());

  const bad = [{ ...end(sixth), status: 'running' }, end('nonsense'), { attempt_id: sixth }];
  const good = end(sixth);
  const refused = [...bad.map((each) => [good, each]), Array(REPORTS_MAX + 1).fill(good)];
  for (const reports of refused) {
    await t.rejects(
      worker.lease({ reports }, 200),
      'a request with an invalid report is rejected as a whole',
    );
  }
  t.match(await attemptOf(sixth), { status: 'running' }, 'none of its reports is applied');
  await worker.report(job.id, good);
  await until('the valid report has arrived by the stream', async () => {
    return ((await attemptOf(sixth)) as { status: string }).status === 'succeeded';
  });
  t.equal(service.daemon.log().match(/poisoned/g)?.length, refused.length, 'each end has an event');

  let last = (await first([])).got;
  for (let left = 0; left < 2; left++) last = (await first([end(last)])).got;
  const parked = worker.lease({ reports: [end(last)] });
  await until('the job has ended', async () => (await api.job(job.id)).status === 'failed');
  t.match(
    await worker.heartbeat([last]),
    { closed: [last] },
    'the heartbeat confirms it before the lease reply does',
  );
  const replacing = worker.lease({ reports: Array(REPORTS_MAX).fill(end(one)) });
  t.match(await parked, { assignments: [], confirmed: [last] }, 'a replaced request confirms it as well');
  await service.daemon.kill('SIGTERM');
  t.match(await replacing, { assignments: [], confirmed: Array(REPORTS_MAX).fill(one) });
});
