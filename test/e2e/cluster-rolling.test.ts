import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { send } from '../kit/auth-service.ts';
import { ClusterNodes, type ClusterMember } from '../kit/cluster-nodes.ts';
import { clusterFolder, clusterSkip, NODES } from '../kit/managed-cluster.ts';
import { until } from '../kit/until.ts';

/** All nodes of a cluster are restarted, one after the other, as for an upgrade (docs/high-availability.md#upgrade). */

const skip = await clusterSkip();

const templateOf = (file: string, tasks: number): object => ({
  specificationVersion: 'jobtemplate-2023-09',
  name: 'frames',
  steps: [
    {
      name: 'Write',
      parameterSpace: { taskParameterDefinitions: [{ name: 'I', type: 'INT', range: `1-${tasks}` }] },
      hostRequirements: { amounts: [{ name: 'amount.worker.vcpu', min: 1 }] },
      script: {
        actions: {
          onRun: { command: 'bash', args: ['-c', `echo {{Task.Param.I}} >> ${file}; sleep 0.2`] },
        },
      },
    },
  ],
});

/** Submits a job of one task through any node that answers, with an idempotency key. Returns its id. */
async function submitThroughAny(
  members: () => readonly ClusterMember[],
  query: string,
  key: string,
  template: object,
): Promise<string> {
  for (let tried = 0; ; tried++) {
    const running = members();
    const member = running[tried % running.length];
    const headers = { 'idempotency-key': key };
    const request = { method: 'POST', path: `/api/v1/jobs?${query}`, body: template, headers };
    const answer =
      member === undefined ? null : await send<{ id: string }>(member.api.url, request).catch(() => null);
    if (answer?.status === 201) return answer.body.id;
    // The node stops, or no node owns the farms at this moment: both pass.
    if (answer !== null && answer.status !== 503) throw new Error(`${answer.status} ${answer.text}`);
  }
}

test(
  'a restart of all nodes in turn loses nothing and runs nothing twice',
  { skip: skip ?? false },
  async (t) => {
    const folder = clusterFolder(t);
    mkdirSync(join(folder, 'run'));
    const nodes = await ClusterNodes.start(t, folder);
    const file = join(folder, 'run', 'tasks');
    writeFileSync(file, '');
    const farm = await (await nodes.owner()).api.makeFarm('studio');
    for (const name of ['w1', 'w2']) nodes.startWorker(name, ['--worker-cpus=2']);
    const { body: long } = await farm.submit(templateOf(file, 400));

    const single = join(folder, 'run', 'single');
    writeFileSync(single, '');
    const query = `farm_id=${farm.farmId}&queue_id=${farm.queueId}&priority=90`;
    const jobs: string[] = [];
    let isRestarting = true;
    const submitting = (async () => {
      while (isRestarting)
        jobs.push(
          await submitThroughAny(
            () => nodes.all.filter(({ daemon }) => daemon.isRunning),
            query,
            `job ${jobs.length}`,
            templateOf(single, 1),
          ),
        );
    })();
    const before = await nodes.owner();
    // The owner last: each hand-over then goes to a node that has been restarted.
    for (const name of [...NODES.filter((each) => each !== before.name), before.name]) {
      const submitted = jobs.length;
      const stopped = nodes.member(name);
      await stopped.daemon.kill('SIGTERM');
      t.equal((await stopped.daemon.ended).code, 0, `node ${name} stops in order`);
      await nodes.startNode(name);
      await until('a job is submitted after that', () => jobs.length > submitted + 1);
    }
    isRestarting = false;
    await submitting;

    const owner = await nodes.owner();
    t.not(owner.name, before.name, 'the farms were handed over');
    t.match(before.daemon.log(), /state="released"/, 'at the stop, and not after a silence');
    await until('all jobs are complete', async () => {
      const { items } = await owner.api.must<{ items: { status: string }[] }>(
        'GET',
        '/api/v1/jobs?limit=1000&status=completed',
      );
      return items.length === jobs.length + 1;
    });
    t.equal(new Set(jobs).size, jobs.length, 'each key has a job of its own');
    const ran = readFileSync(file, 'utf8').trim().split('\n');
    t.equal(ran.length, 400);
    t.equal(new Set(ran).size, 400, 'each task has run once');
    t.equal(readFileSync(single, 'utf8').trim().split('\n').length, jobs.length);
    t.equal((await owner.api.job(long.id)).failed_attempts, 0);
  },
);
