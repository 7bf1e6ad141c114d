import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type Test } from 'tap';
import { ApiClient, type FarmClient, type JobView } from '../kit/api-client.ts';
import { ADMIN, authFlags, bearer, send, signIn, type Credential } from '../kit/auth-service.ts';
import { ClusterNodes, type ClusterMember } from '../kit/cluster-nodes.ts';
import { clusterFolder, clusterSkip } from '../kit/managed-cluster.ts';
import { until } from '../kit/until.ts';
import { WebSocketClient } from '../kit/web-socket.ts';

/** A cluster of three real nodes loses its owner (docs/high-availability.md#what-is-guaranteed). */

const skip = await clusterSkip();

/** Tasks of one core that write when they start and end into a file. */
const templateOf = (name: string, file: string, tasks: number, seconds: number): object => ({
  specificationVersion: 'jobtemplate-2023-09',
  name,
  steps: [
    {
      name: 'Write',
      parameterSpace: { taskParameterDefinitions: [{ name: 'I', type: 'INT', range: `1-${tasks}` }] },
      hostRequirements: { amounts: [{ name: 'amount.worker.vcpu', min: 1 }] },
      script: {
        actions: {
          onRun: {
            command: 'bash',
            args: [
              '-c',
              `echo begin {{Task.Param.I}} | tee -a ${file}; sleep ${seconds}; echo end {{Task.Param.I}} | tee -a ${file}`,
            ],
          },
        },
      },
    },
  ],
});

const credentials = (member: ClusterMember, credential: Credential): ApiClient =>
  new ApiClient(member.api.url, credential);

/** Submits with an idempotency key, and returns the id of the job. */
async function submitOnce(
  api: ApiClient,
  { farmId, queueId }: FarmClient,
  key: string,
  template: object,
  credential: Credential,
): Promise<{ readonly status: number; readonly id: string }> {
  const path = `/api/v1/jobs?farm_id=${farmId}&queue_id=${queueId}`;
  const answer = await send<{ id: string }>(
    api.url,
    { method: 'POST', path, body: template, headers: { 'idempotency-key': key } },
    credential,
  );
  return { status: answer.status, id: answer.body.id };
}

const linesOf = (file: string): readonly string[] => readFileSync(file, 'utf8').trim().split('\n');

test(
  'everything that was acknowledged survives the loss of the owner',
  { skip: skip ?? false },
  async (t) => {
    const folder = clusterFolder(t);
    mkdirSync(join(folder, 'run'));
    const nodes = await ClusterNodes.start(t, folder, authFlags(folder));
    const owner = await nodes.owner();
    const [first, second] = nodes.others(owner);
    if (first === undefined || second === undefined) throw new Error('there are three nodes');

    const session = await signInWhenPossible(first);
    const request = { method: 'POST', path: '/api/v1/api-keys', body: { name: 'pipeline' } };
    const created = await send<{ secret: string }>(second.api.url, request, session);
    const key = bearer(created.body.secret);
    const farm = await credentials(first, key).makeFarm('studio');
    for (const name of ['w1', 'w2']) nodes.startWorker(name, ['--worker-cpus=2']);

    const [file, others] = [join(folder, 'run', 'tasks'), join(folder, 'run', 'others')];
    for (const each of [file, others]) writeFileSync(each, '');
    const template = templateOf('frames', file, 24, 1);
    const job = await submitOnce(second.api, farm, 'once', template, key);
    t.equal(job.status, 201);
    const canceled = await submitOnce(first.api, farm, 'stopped', templateOf('stopped', others, 4, 600), key);
    const events = await WebSocketClient.open(Number(new URL(second.api.url).port), key);
    t.teardown(() => events.destroy());
    events.subscribe('jobs');
    await events.nextWhere(({ type }) => type === 'ack');
    await until('tasks have ended and others run', async () => {
      const { task_counts: counts } = await credentials(second, key).job(job.id);
      return counts.succeeded >= 4 && counts.running > 0;
    });
    const before = await credentials(second, key).job(job.id);
    await credentials(first, key).must('POST', `/api/v1/jobs/${canceled.id}/cancel`);

    await nodes.kill(owner);
    await t.test('reads continue, and show nothing older than before', async (t) => {
      const during = await credentials(second, key).job(job.id);
      t.ok(during.task_counts.succeeded >= before.task_counts.succeeded);
    });
    const repeated = submitOnce(first.api, farm, 'once', template, key);
    const next = await nodes.owner();
    t.not(next.name, owner.name);
    t.same(await repeated, { status: job.status, id: job.id }, 'an idempotency key');
    const other = next === first ? second : first;

    await t.test('sessions and keys are valid on each node', async (t) => {
      for (const member of [next, other]) {
        for (const credential of [session, key])
          t.equal((await send(member.api.url, { path: '/api/v1/auth/me' }, credential)).status, 200);
      }
    });
    await t.test('a cancel that was acknowledged stays one', async (t) => {
      const stopped = await until('the job is canceled', () => jobWith(next, key, canceled.id, 'canceled'));
      t.equal(stopped.task_counts.succeeded, 0);
    });
    await t.test('a client of events gets a gap, and then the events of the new owner', async (t) => {
      await events.nextWhere(({ type, payload }) => type === 'error' && payload['code'] === 'gap');
      const after = await submitOnce(other.api, farm, 'after', templateOf('after', others, 1, 0), key);
      await events.nextWhere(({ type, payload }) => type === 'push' && payload['job_id'] === after.id);
      t.pass('the event of the submission has arrived');
    });
    await t.test('each task runs once, and its result and its log are on every node', async (t) => {
      await until('the job is complete', () => jobWith(other, key, job.id, 'completed'));
      const tasks = await credentials(other, key).tasks(job.id);
      for (const task of tasks) {
        // The reply with an assignment may be lost with the owner: then the task gets another attempt, and that one runs.
        const attempts = await credentials(next, key).attempts(task.id);
        const succeeded = attempts.filter(({ status }) => status === 'succeeded');
        t.equal(succeeded.length, 1, `${task.name} has succeeded once`);
      }
      const expected = tasks.flatMap((_, index) => [`begin ${index + 1}`, `end ${index + 1}`]);
      t.same([...linesOf(file)].sort(), expected.sort());
      await sameLogs(t, [next, other], key, tasks[0]?.id ?? '');
    });
    await t.test('the log names the cause of each change', async (t) => {
      const waiting = await submitOnce(other.api, farm, 'why', templateOf('why', others, 4, 600), key);
      const canceling = { method: 'POST', path: `/api/v1/jobs/${waiting.id}/cancel` };
      await send(other.api.url, { ...canceling, headers: { 'x-request-id': 'why-canceled' } }, key);
      const me = await send<{ subject: string }>(other.api.url, { path: '/api/v1/auth/me' }, key);
      const causes = await until('the log has the cause of the cancel', async () => {
        const all = await nodes.causes();
        return all.some(({ requestId }) => requestId === 'why-canceled') ? all : null;
      });
      t.same(
        causes.filter(({ requestId }) => requestId === 'why-canceled'),
        [{ kind: 'job.cancel', id: waiting.id, requestId: 'why-canceled', principal: me.body.subject }],
        'a request through a node that does not own the cluster',
      );
      const workers = await credentials(next, key).must<{ items: { id: string }[] }>(
        'GET',
        '/api/v1/workers',
      );
      const ids = workers.items.map(({ id }) => id);
      for (const kind of ['worker.register', 'lease.requested', 'tasks.reported']) {
        const ofKind = causes.filter((cause) => cause.kind === kind);
        t.ok(ofKind.length > 0 && ofKind.every(({ principal }) => ids.includes(principal)), kind);
      }
      const submitted = causes.filter(({ kind, id }) => kind === 'job.submit' && id === farm.farmId);
      t.ok(submitted.length >= 4 && submitted.every(({ principal }) => principal === me.body.subject));
    });
    await t.test('the node that was lost returns as a follower, and catches up', async (t) => {
      const returned = await nodes.startNode(owner.name);
      t.same(await listOf(returned, key), await listOf(next, key));
      await sameLogs(t, [returned, next], key, (await credentials(next, key).tasks(job.id))[0]?.id ?? '');
      t.equal((await nodes.owner()).name, next.name);
    });
  },
);

/** Signs in as the first administrator, whom the owner creates after its takeover. */
const signInWhenPossible = (member: ClusterMember): Promise<Credential> =>
  until('the first administrator exists', () =>
    signIn(member.api.url, ADMIN.username, ADMIN.password).catch(() => null),
  );

async function jobWith(
  member: ClusterMember,
  key: Credential,
  id: string,
  status: string,
): Promise<JobView | null> {
  const job = await credentials(member, key).job(id);
  return job.status === status ? job : null;
}

const listOf = (member: ClusterMember, key: Credential): Promise<object> =>
  credentials(member, key).must<object>('GET', '/api/v1/jobs?sort=created_at');

/** The logs arrive on each node by itself. */
async function sameLogs(
  t: Test,
  members: readonly ClusterMember[],
  key: Credential,
  task: string,
): Promise<void> {
  const logs = await Promise.all(
    members.map((member) =>
      until(`the log is on node ${member.name}`, async () => {
        const text = await credentials(member, key).log(task);
        return text.includes('end') ? text : null;
      }),
    ),
  );
  for (const log of logs) t.equal(log, logs[0]);
}
