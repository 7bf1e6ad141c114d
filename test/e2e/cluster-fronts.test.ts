import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { ClusterNodes, type ClusterMember } from '../kit/cluster-nodes.ts';
import { clusterSkip } from '../kit/managed-cluster.ts';
import { until } from '../kit/until.ts';
import { WebSocketClient } from '../kit/web-socket.ts';

/** Every node of a cluster of three real nodes serves (docs/decisions/any-node-serves.md). */

tap.setTimeout(240_000);

const skip = await clusterSkip();

const templateOf = (name: string, text: string): object => ({
  specificationVersion: 'jobtemplate-2023-09',
  name,
  steps: [
    {
      name: 'Say',
      parameterSpace: { taskParameterDefinitions: [{ name: 'I', type: 'INT', range: '1-3' }] },
      script: { actions: { onRun: { command: 'echo', args: [text] } } },
    },
  ],
});

interface TaskPage {
  readonly items: readonly { readonly id: string; readonly status: string }[];
}

const portOf = ({ api }: ClusterMember): number => Number(new URL(api.url).port);

test('any node of a cluster serves', { skip: skip ?? false }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-cluster-'));
  const nodes = await ClusterNodes.start(t, folder);
  t.teardown(() => {
    if (t.passing()) rmSync(folder, { recursive: true, force: true });
    else t.comment(`the logs are in ${folder}`);
  });
  const owner = await nodes.owner();
  const [first, second] = nodes.others(owner);
  if (first === undefined || second === undefined) throw new Error('there are three nodes');
  const farm = await first.api.makeFarm('studio');
  const { farmId, queueId } = farm;
  const path = `/api/v1/jobs?farm_id=${farmId}&queue_id=${queueId}`;

  await t.test('what one node has acknowledged, every other one shows', async (t) => {
    const members = [first, second, owner];
    for (let round = 0; round < 30; round++) {
      const [writer, reader] = [members[round % 3], members[(round + 1 + (round % 2)) % 3]];
      if (writer === undefined || reader === undefined) throw new Error('there are three nodes');
      const { id } = await writer.api.must<{ id: string }>('POST', path, templateOf(`round ${round}`, 'x'));
      const job = await reader.api.call('GET', `/api/v1/jobs/${id}`);
      t.equal(job.status, 200, `round ${round}`);
      const events = await WebSocketClient.open(portOf(reader));
      events.subscribe(`jobs/${id}/tasks`);
      const { payload } = await events.nextWhere(({ type }) => type === 'ack');
      t.equal(payload['error'], '', 'a subscription finds the job, too');
      events.destroy();
      await reader.api.must('PATCH', `/api/v1/jobs/${id}`, { priority: round });
      const changed = await writer.api.must<{ priority: number }>('GET', `/api/v1/jobs/${id}`);
      t.equal(changed.priority, round);
      await writer.api.must('DELETE', `/api/v1/jobs/${id}`);
      t.equal((await reader.api.call('GET', `/api/v1/jobs/${id}`)).status, 404);
    }
  });

  await t.test('events and logs of tasks reach all nodes', async (t) => {
    const events = await WebSocketClient.open(portOf(second));
    t.teardown(() => events.destroy());
    events.subscribe('jobs');
    await events.nextWhere(({ type }) => type === 'ack');
    nodes.startWorker('w1', ['--worker-cpus=2']);
    const { id } = await first.api.must<{ id: string }>('POST', path, templateOf('logs', 'hello farm'));
    await events.nextWhere(
      ({ type, payload }) => type === 'push' && payload['job_id'] === id && payload['status'] === 'completed',
    );
    const { items } = await second.api.must<TaskPage>('GET', `/api/v1/jobs/${id}/tasks`);
    t.same(
      items.map(({ status }) => status),
      ['succeeded', 'succeeded', 'succeeded'],
      'the state of the event',
    );
    for (const { api, name } of nodes.all) {
      for (const task of items) {
        await until(`the log of ${task.id} on node ${name}`, async () => {
          const { body } = await api.call('GET', `/api/v1/tasks/${task.id}/logs`);
          return JSON.stringify(body).includes('hello farm');
        });
      }
    }
  });
});
