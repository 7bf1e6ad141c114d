import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import type { Parsed } from '../../src/core/wire/json-text.ts';
import { parseCancel, parseLeaseReply, parsePresenceReply } from '../../src/core/wire/service-messages.ts';
import { parseLeaseRequest } from '../../src/core/wire/lease-request.ts';
import {
  parseDiagnostic,
  parseLog,
  parsePresence,
  parseStatus,
} from '../../src/core/wire/worker-messages.ts';
import { freePort, startService } from '../kit/daemons.ts';
import { ForeignWorker } from '../kit/foreign-worker.ts';
import { describedFields, kindOf, shownSession, type Body } from '../kit/protocol-page.ts';
import { recordSession } from '../kit/recorded-session.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(120_000);

/** Parser of each kind of message, and the text before its field table on the page. */
const KINDS: Readonly<Record<string, { parse: (text: string) => Parsed<unknown>; table: string }>> = {
  'worker.register register': { parse: parsePresence, table: '### worker.register' },
  'worker.heartbeat heartbeat': { parse: parsePresence, table: '### worker.heartbeat' },
  'worker.deregister deregister': { parse: parsePresence, table: '### worker.deregister' },
  'answer registered': { parse: parsePresenceReply, table: '`registered` to a registration' },
  'answer alive': { parse: parsePresenceReply, table: '`alive` to a heartbeat' },
  'answer refused': { parse: parsePresenceReply, table: '' },
  'answer departed': { parse: parsePresenceReply, table: '' },
  'work.lease': { parse: parseLeaseRequest, table: '### work.lease' },
  'answer leases': { parse: parseLeaseReply, table: 'or `leases`' },
  'task.status running': { parse: parseStatus, table: '### task.status' },
  'task.status canceled': { parse: parseStatus, table: '### task.status' },
  'task.logs': { parse: parseLog, table: '### task.logs' },
  'task.cancel': { parse: parseCancel, table: '### task.cancel' },
  'worker.diag': { parse: parseDiagnostic, table: '### worker.diag' },
};

const isRead = (kind: string, body: Body): boolean => KINDS[kind]?.parse(JSON.stringify(body)).ok === true;
const without = (body: Body, name: string): Body =>
  Object.fromEntries(Object.entries(body).filter(([each]) => each !== name));

test('every message on the page can be parsed and has exactly the documented fields', async (t) => {
  const shown = shownSession();
  for (const { subject, body } of shown) {
    const kind = kindOf(subject, body);
    t.ok(isRead(kind, body), `${kind} can be parsed`);
    t.ok(isRead(kind, { ...body, later: { of: 'a future version' } }), `${kind}: unknown fields are ignored`);
    t.notOk(isRead(kind, { ...body, v: 2 }), `${kind}: an unknown version is rejected`);
    const { table } = KINDS[kind] ?? { table: '' };
    if (table === '') continue;
    const fields = describedFields(table);
    t.strictSame(
      Object.keys(body).filter((name) => !fields.some((field) => field.name === name)),
      [],
      `${kind} has only documented fields`,
    );
    for (const { name, isOptional } of fields) {
      if (!isOptional) t.ok(name in body, `${kind} has ${name}`);
      if (name in body) t.equal(isRead(kind, without(body, name)), isOptional, `${kind} without ${name}`);
    }
  }
  t.strictSame(
    [...new Set(shown.map(({ subject, body }) => kindOf(subject, body)))].sort(),
    Object.keys(KINDS).sort(),
  );
});

test('a worker and a service exchange the messages of the session on the page', async (t) => {
  const recorded = await recordSession();
  // Whether a worker knows what a task has used depends on its machine.
  const isUsage = (field: string): boolean => field === 'max_rss_mib' || field === 'cpu_seconds';
  const fieldsOf = (body: Body): string =>
    Object.keys(body)
      .filter((field) => !isUsage(field))
      .sort()
      .join(' ');
  const said = new Set(
    recorded.map(({ from, subject, body }) => `${from} ${kindOf(subject, body)}: ${fieldsOf(body)}`),
  );
  for (const { from, subject, body } of shownSession()) {
    const what = `${from} ${kindOf(subject, body)}: ${fieldsOf(body)}`;
    t.ok(said.has(what), what);
  }
});

const template = (line: string): object => ({
  specificationVersion: 'jobtemplate-2023-09',
  name: 'Foreign',
  steps: [
    {
      name: 'Step',
      parameterSpace: { taskParameterDefinitions: [{ name: 'N', type: 'INT', range: '1-3' }] },
      hostRequirements: { amounts: [{ name: 'amount.worker.vcpu', min: 1 }] },
      script: { actions: { onRun: { command: 'bash', args: ['-c', line] } } },
    },
  ],
});

test('a worker based on the page alone, without optional fields, runs tasks', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-foreign-'));
  const service = await startService({
    folder,
    httpPort: await freePort(),
    busPort: await freePort(),
    flags: ['--scheduler-max-attempts=1'],
  });
  const { api } = service;
  t.teardown(async () => {
    await service.daemon.kill('SIGTERM');
    if (t.passing()) await rm(folder, { recursive: true, force: true });
    else t.comment(service.daemon.log().slice(-4000));
  });
  const farm = await api.makeFarm('show');
  const worker = await ForeignWorker.start(service, 'foreign');
  const becomes = (id: string, status: string): Promise<unknown> =>
    until(`job ${id} is ${status}`, async () => (await api.job(id)).status === status);

  const { body: job } = await farm.submit(template('echo task {{Task.Param.N}}; echo aside >&2'));
  await becomes(job.id, 'completed');
  for (const [index, task] of (await api.tasks(job.id)).entries()) {
    const log = await until('the log is complete', async () => {
      const text = await api.log(task.id);
      return text.includes('task') && text.includes('aside') ? text : null;
    });
    t.strictSame(log.split('\n').sort(), ['', 'aside', `task ${index + 1}`]);
    t.match(await api.attempts(task.id), [{ status: 'succeeded', exit_code: 0, worker_id: worker.workerId }]);
  }

  const { body: failing } = await farm.submit(template('exit {{Task.Param.N}}'));
  await becomes(failing.id, 'failed');
  const codes = await Promise.all(
    (await api.tasks(failing.id)).map(async ({ id }) =>
      (await api.attempts(id)).map((each) => each.exit_code),
    ),
  );
  t.strictSame(codes, [[1], [2], [3]]);

  const { body: endless } = await farm.submit(template('sleep 1000'));
  await until('two tasks run', async () => (await api.job(endless.id)).task_counts.running === 2);
  await api.must('POST', `/api/v1/jobs/${endless.id}/cancel`);
  await becomes(endless.id, 'canceled');

  t.same(await worker.leave(), { v: 1, type: 'departed' });
  t.ok(
    worker.answers.some((answer) => (answer['closed'] as unknown[] | undefined)?.length),
    'ends were confirmed',
  );
  const { items } = await api.must<{ items: { name: string; status: string }[] }>('GET', '/api/v1/workers');
  t.match(items, [{ name: 'foreign', status: 'offline' }]);
  t.notMatch(service.daemon.log(), 'poisoned', 'no message was rejected');
});
