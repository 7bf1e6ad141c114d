import tap, { test } from 'tap';
import { UPKEEP_LIMITS } from '../../../src/adapters/cluster/log-upkeep.ts';
import { clusterNames } from '../../../src/adapters/nats/log/cluster-names.ts';
import { clusterFault, LogCluster } from '../../kit/log-cluster.ts';
import { CLUSTER, LogMember, noise, ownerOf } from '../../kit/log-members.ts';
import { until } from '../../kit/until.ts';

tap.setTimeout(300_000);

const skip = (await clusterFault()) ?? false;
const { stream } = clusterNames(CLUSTER);
const OFTEN = { upkeep: { ...UPKEEP_LIMITS, intervalMs: 50 } };

test('the owner moves the leader of the stream to another machine', { skip }, async (t) => {
  const cluster = await LogCluster.start();
  t.teardown(() => cluster.stop());
  const maker = await LogMember.open('maker', cluster.servers());
  await ownerOf([maker]);
  await maker.close();
  const leader = async (): Promise<string> => (await cluster.info(stream)).cluster?.leader ?? '';
  // A managed server has the name of its node and a part of its own.
  const before = await leader();
  const owner = await LogMember.open(before, cluster.servers(), undefined, OFTEN);
  t.teardown(() => owner.close());
  await ownerOf([owner]);
  await until('another server leads the stream', async () => {
    const now = await leader();
    return now !== '' && now !== before;
  });
  const number = owner.write({ row: noise(10) });
  await owner.until('it continues to accept rows', () => owner.accepted.includes(number));
  t.equal(owner.ended, null);
});

test('the owner hands over to the most current of the members', { skip }, async (t) => {
  const cluster = await LogCluster.start();
  t.teardown(() => cluster.stop());
  const over = { members: ['a', 'b', 'gone'] };
  const members = await Promise.all(
    ['a', 'b'].map((name) => LogMember.open(name, cluster.servers(), undefined, over)),
  );
  t.teardown(() => Promise.all(members.map((member) => member.close())));
  const owner = await ownerOf(members);
  const follower = members.find((member) => member !== owner);
  const begun: string[] = [];
  await owner.journal.handOver(null, (successor) => begun.push(successor));
  t.same(begun, [follower?.name]);
  t.equal(owner.ended?.reason, 'handed-over');
  await ownerOf(members.filter((member) => member !== owner));
});
