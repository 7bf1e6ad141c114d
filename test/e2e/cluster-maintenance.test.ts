import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { runCallsheet, type Ran } from '../cli/run-callsheet.ts';
import { ClusterNodes, type ClusterMember } from '../kit/cluster-nodes.ts';
import { clusterFolder, clusterSkip, NODES, type NodeName } from '../kit/managed-cluster.ts';
import { until } from '../kit/until.ts';

/** Commands that maintain a cluster of three real nodes (docs/high-availability.md#runbook). */

tap.setTimeout(240_000);
const skip = (await clusterSkip()) ?? false;

/** The longest wait after a recovery is this time. */
const FLAGS = ['--scheduler-heartbeat-timeout=5s'];

const onNode = (nodes: ClusterNodes, name: NodeName, ...words: readonly string[]): Promise<Ran> =>
  runCallsheet(['cluster', ...words, ...nodes.flagsOf(name)]);

const farmsOf = async (member: ClusterMember): Promise<readonly string[]> => {
  const farms = await member.api.must<readonly { readonly name: string }[]>('GET', '/api/v1/farms');
  return farms.map(({ name }) => name);
};

const hasFarm = (member: ClusterMember, name: string): Promise<boolean> =>
  until(`node ${member.name} has farm ${name}`, async () =>
    (await farmsOf(member).catch(() => [] as readonly string[])).includes(name),
  );

const knowsWorker = (member: ClusterMember): Promise<boolean> =>
  until(`node ${member.name} knows the worker`, async () => {
    const answer = await member.api.call<{ items?: object[] }>('GET', '/api/v1/workers').catch(() => null);
    return (answer?.body.items ?? []).length > 0;
  });

/** A node waits before it owns the farms. */
const WAITS = /first start after a restore: waiting/;

/** Creates a farm as soon as the cluster has an owner that accepts it. */
const makeFarm = (member: ClusterMember, name: string): Promise<unknown> =>
  until(`farm ${name} is created`, () =>
    member.api.must('POST', '/api/v1/farms', { name }).catch(() => null),
  );

test('a backup of any node names the log, and a recovery begins a new one', { skip }, async (t) => {
  const folder = clusterFolder(t);
  const nodes = await ClusterNodes.start(t, folder, FLAGS);
  const owner = await nodes.owner();
  const [follower] = nodes.others(owner);
  if (follower === undefined) throw new Error('there are three nodes');
  await makeFarm(follower, 'north');
  await hasFarm(follower, 'north');

  const file = join(folder, 'backup.tar');
  const directory = join(folder, `node-${follower.name}`);
  const made = await runCallsheet(['backup', file, `--data-dir=${directory}`]);
  t.equal(made.code, 0, made.err);
  const manifest: unknown = JSON.parse(
    execFileSync('tar', ['-xOf', file, 'callsheet-backup.json'], { encoding: 'utf8' }),
  );
  t.match(manifest, { cluster: { log_id: /^[0-9a-f-]{36}$/, epoch: 1 } });

  t.match(await onNode(nodes, follower.name, 'recover', '--yes'), {
    code: 5,
    err: /is in use by another service/,
  });
  await Promise.all(nodes.all.map(({ daemon }) => daemon.kill('SIGTERM')));
  const shown = await onNode(nodes, follower.name, 'recover', '--dry-run');
  t.match(shown, { code: 0, out: /has position \d+ \(epoch 1\) of log [0-9a-f-]{36}\./ });
  const refused = await onNode(nodes, follower.name, 'recover');
  t.match(refused, {
    code: 2,
    err: /--yes is needed .*\n  Decisions that only other nodes have stored are lost/,
  });
  t.match(await onNode(nodes, follower.name, 'recover', '--yes'), { code: 0, out: /creates log/ });
  for (const name of NODES)
    if (name !== follower.name)
      t.match(await onNode(nodes, name, 'recover', '--follow', '--yes'), {
        code: 0,
        out: /former state is in/,
      });

  const again = await Promise.all(NODES.map((name) => nodes.startNode(name)));
  for (const member of again) await hasFarm(member, 'north');
  const [first] = again;
  if (first === undefined) throw new Error('there are three nodes');
  await makeFarm(first, 'south');
  for (const member of again) await hasFarm(member, 'south');
  t.notMatch(readdirSync(directory), ['cluster-log.json'], 'the order is done');
  const after = readFileSync(join(folder, `node-${follower.name}.log`), 'utf8');
  t.match(after, WAITS);
  await nodes.stop();
});

test('the wait after a recovery begins again when its node is lost', { skip }, async (t) => {
  const folder = clusterFolder(t);
  const nodes = await ClusterNodes.start(t, folder, FLAGS);
  await makeFarm(await nodes.owner(), 'north');
  const worker = nodes.startWorker('w1');
  await knowsWorker(nodes.member('a'));
  await worker.kill();
  await Promise.all(nodes.all.map(({ daemon }) => daemon.kill('SIGTERM')));
  t.match(await onNode(nodes, 'a', 'recover', '--yes'), { code: 0 });
  for (const name of ['b', 'c'] as const)
    t.match(await onNode(nodes, name, 'recover', '--follow', '--yes'), { code: 0 });
  const again = await Promise.all(NODES.map((name) => nodes.startNode(name)));
  const first = await until(
    'a node waits',
    () => again.find(({ daemon }) => WAITS.test(daemon.log())) ?? null,
  );
  for (const each of again) await knowsWorker(each);
  await nodes.kill(first);
  const others = nodes.others(first);
  const next = await nodes.owner();
  t.ok(others.includes(next));
  t.match(next.daemon.log(), WAITS, 'the next owner waits too');
  await nodes.stop();
});

test('a lost machine is replaced by a new one of the same name', { skip }, async (t) => {
  const folder = clusterFolder(t);
  const nodes = await ClusterNodes.start(t, folder);
  await makeFarm(await nodes.owner(), 'north');
  t.match(await onNode(nodes, 'a', 'remove', 'c'), { code: 5, err: /node c is connected: stop its service/ });
  t.match(await onNode(nodes, 'a', 'add', 'd=127.0.0.1:1'), {
    code: 0,
    out: /cluster\.peers: a=.*,d=127\.0\.0\.1:1/,
  });
  t.match(await onNode(nodes, 'a', 'add', 'b=127.0.0.1:1'), {
    code: 5,
    err: /node b is already in cluster\.peers/,
  });

  await nodes.member('c').daemon.kill('SIGTERM');
  rmSync(join(folder, 'node-c'), { recursive: true });
  const few = await until('the server is missed', async () => {
    const ran = await onNode(nodes, 'a', 'remove', 'c');
    return /is connected|no leader/.test(ran.err) ? null : ran;
  });
  t.match(few, { code: 5, err: /the cluster has 2 servers, and 3 are needed/ });
  t.match(await onNode(nodes, 'b', 'add', 'd=127.0.0.1:1'), {
    code: 5,
    err: /c-[0-9a-f]{8} is not connected/,
  });

  const returned = await nodes.startNode('c');
  const removed = await until('the lost server can be removed', async () => {
    const ran = await onNode(nodes, 'a', 'remove', 'c');
    return ran.code === 0 ? ran : null;
  });
  t.match(removed.out, /Removed c-[0-9a-f]{8}\..*\nAll copies are complete/);
  await hasFarm(returned, 'north');
  const list = NODES.map((name) => nodes.member(name).api.url).join(',');
  await nodes.kill(nodes.member('a'));
  const shown = await until('another node answers', async () => {
    const ran = await runCallsheet(['farms', 'list', '--url', list]);
    return ran.code === 0 ? ran : null;
  });
  t.match(shown.out, /north/, 'the command uses the next address');
  await nodes.stop();
});

test('the log is handed over on request', { skip }, async (t) => {
  const nodes = await ClusterNodes.start(t, clusterFolder(t));
  const owner = await nodes.owner();
  const [next] = nodes.others(owner);
  if (next === undefined) throw new Error('there are three nodes');
  const status = await runCallsheet(['cluster', 'status', '--url', next.api.url]);
  t.match(status.out, new RegExp(`^cluster +farm\nowner +${owner.name}\n`));
  t.match(status.out, /^quorum +3 of 3 nodes present, 2 needed$/m);
  t.match(await onNode(nodes, next.name, 'hand-over', 'x'), {
    code: 4,
    err: /node x is not in cluster\.peers/,
  });
  const same = await onNode(nodes, next.name, 'hand-over', owner.name);
  t.match(same, { code: 5, err: /owns it already/ });
  const handed = await onNode(nodes, next.name, 'hand-over', next.name);
  t.match(handed, { code: 0, out: new RegExp(`hands cluster farm over to node ${next.name}`) });
  await owner.daemon.ended;
  await makeFarm(next, 'north');
  t.match(next.daemon.log(), /this node owns the farms/);
  await nodes.stop();
});
