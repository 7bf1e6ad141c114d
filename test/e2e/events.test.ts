import { test } from 'tap';
import { freePort, startService, startWorker } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';
import { WebSocketClient, type Envelope } from '../kit/web-socket.ts';

const TEMPLATE = {
  specificationVersion: 'jobtemplate-2023-09',
  name: 'two lines',
  steps: [
    {
      name: 'Say',
      parameterSpace: { taskParameterDefinitions: [{ name: 'I', type: 'INT', range: '1-2' }] },
      hostRequirements: { amounts: [{ name: 'amount.worker.vcpu', min: 1 }] },
      script: { actions: { onRun: { command: 'echo', args: ['line {{Task.Param.I}}'] } } },
    },
  ],
};

/** Returns the statuses in the events of a subject, without consecutive repeats. */
const statusesOf = (envelopes: readonly Envelope[]): unknown[] => {
  const statuses = envelopes.map(({ payload }) => payload['status']);
  return statuses.filter((status, at) => status !== statuses[at - 1]);
};

const isPushOf = (subject: string) => (envelope: Envelope) =>
  envelope.type === 'push' && envelope.subject === subject;

void test('clients receive the events of a job from submission to deletion, also across a restart', async (t) => {
  const folder = t.testdir();
  const options = { folder, httpPort: await freePort(), busPort: await freePort() };
  let service = await startService(options);
  t.teardown(() => service.daemon.kill('SIGTERM'));
  const client = await WebSocketClient.open(options.httpPort);
  t.teardown(() => client.destroy());
  for (const subject of ['jobs', 'workers', 'diagnostics']) client.subscribe(subject);
  await client.nextWhere(({ type, subject }) => type === 'ack' && subject === 'diagnostics');

  const worker = startWorker(options, 'node-1', ['--worker-cpus=2']);
  t.teardown(() => worker.kill());
  const farm = await service.api.makeFarm('studio');
  const { body: blocker } = await farm.submit({
    ...TEMPLATE,
    steps: TEMPLATE.steps.map((step) => ({
      ...step,
      hostRequirements: { amounts: [{ name: 'amount.worker.vcpu', min: 64 }] },
    })),
  });
  const online = await client.nextWhere(isPushOf('workers'));
  t.match(online.payload, { name: 'node-1', farm_id: farm.farmId, status: 'online' });
  t.strictSame(Object.keys(online.payload).sort(), ['farm_id', 'hostname', 'name', 'status', 'worker_id']);

  const { body: job } = await farm.submit(TEMPLATE, { depends_on: blocker.id });
  const tasks = await service.api.tasks(job.id);
  const tasksSubject = `jobs/${job.id}/tasks`;
  client.subscribe(tasksSubject);
  for (const task of tasks) client.subscribe(`tasks/${task.id}/logs`);
  await client.nextWhere(({ type, subject }) => type === 'ack' && subject === `tasks/${tasks[1]?.id}/logs`);
  await service.api.must('DELETE', `/api/v1/jobs/${blocker.id}`);
  // Dependents of a deleted job are canceled, and run when they are retried.
  await until('the job is canceled', async () => (await service.api.job(job.id)).status === 'canceled');
  await service.api.must('POST', `/api/v1/jobs/${job.id}/retry`);
  await until('the job has ended', async () => (await service.api.job(job.id)).status === 'completed');
  await until('the logs are stored', () =>
    client.received.filter(({ type, subject }) => type === 'push' && subject.endsWith('/logs')).length >= 2
      ? true
      : null,
  );
  // The gap of a deletion replaces events that have not been sent.
  await until('the ends of the tasks are published', () => {
    const ends = client.received.filter(
      (envelope) => isPushOf(tasksSubject)(envelope) && envelope.payload['status'] === 'succeeded',
    );
    return ends.length === tasks.length ? true : null;
  });
  await service.api.must('DELETE', `/api/v1/jobs/${job.id}`);
  await client.nextWhere(
    (envelope) =>
      isPushOf('jobs')(envelope) &&
      envelope.payload['job_id'] === job.id &&
      envelope.payload['status'] === 'removed',
  );

  const jobs = client.received.filter(isPushOf('jobs'));
  const own = jobs.filter(({ payload }) => payload['job_id'] === job.id);
  t.strictSame(statusesOf(own), ['blocked', 'canceled', 'pending', 'running', 'completed', 'removed']);
  t.ok(
    jobs.some(({ payload }) => payload['job_id'] === blocker.id && payload['status'] === 'removed'),
    'the other one was deleted as well',
  );
  for (const { payload } of jobs) {
    t.strictSame(
      Object.keys(payload),
      ['job_id', 'task_id', 'name', 'owner', 'queue_id', 'status', 'updated_at'],
      'the fields of job events',
    );
  }
  for (const task of tasks) {
    const told = client.received
      .filter(isPushOf(tasksSubject))
      .filter(({ payload }) => payload['task_id'] === task.id);
    const statuses = statusesOf(told);
    // A running report may be missing.
    t.strictSame(
      statuses.filter((status) => status !== 'running'),
      ['canceled', 'ready', 'assigned', 'succeeded'],
      task.name,
    );
    const fields = ['job_id', 'task_id', 'name', 'status', 'worker_id', 'unschedulable_reason', 'updated_at'];
    t.strictSame(Object.keys(told[0]?.payload ?? {}), fields);
  }
  const logs = client.received.filter(({ type, subject }) => type === 'push' && subject.endsWith('/logs'));
  t.strictSame(logs.map(({ payload }) => payload['data']).sort(), ['line 1\n', 'line 2\n']);
  t.strictSame(Object.keys(logs[0]?.payload ?? {}), [
    'task_id',
    'attempt_id',
    'seq_num',
    'stream',
    'data',
    'at',
  ]);
  for (const subject of ['jobs', 'workers', tasksSubject]) {
    const seqs = client.received.filter(isPushOf(subject)).map(({ seq }) => seq);
    t.strictSame(
      seqs,
      seqs.map((_, index) => (seqs[0] ?? 0) + index),
      `${subject} arrives without sequence gaps`,
    );
  }
  const metrics = await (await fetch(`${service.api.url}/metrics`)).text();
  t.match(metrics, /^svc_ws_clients 1$/m);
  t.match(metrics, /^svc_ws_events_pushed_total [1-9][0-9]*$/m);
  // The deletion of a job is a gap for the subscriber of its tasks.
  t.match(metrics, /^svc_ws_events_missed_total 1$/m);

  const lastSeq = jobs.at(-1)?.seq ?? 0;
  service.daemon.child.kill('SIGTERM');
  t.strictSame(await client.closed, { code: 1001, reason: 'the service is stopping' });
  t.strictSame(await service.daemon.ended, { code: 0, signal: null });
  service = await startService(options);
  const again = await WebSocketClient.open(options.httpPort);
  t.teardown(() => again.destroy());
  again.subscribe('jobs', lastSeq);
  const [ack, gap] = await again.take(2);
  t.match(ack, { type: 'ack', payload: { error: '' } });
  t.match(gap, { type: 'error', subject: 'jobs', payload: { code: 'gap' } });
  t.ok((ack?.seq ?? 0) > lastSeq, 'counters never decrease');
  worker.child.kill('SIGTERM');
  await worker.ended;
});
