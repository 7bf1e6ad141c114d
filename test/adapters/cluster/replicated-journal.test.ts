import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import tap, { test, type Test } from 'tap';
import { clusterNames } from '../../../src/adapters/nats/log/cluster-names.ts';
import { clusterFault, LogCluster } from '../../kit/log-cluster.ts';
import { CLUSTER, LogMember, noise, ownerOf } from '../../kit/log-members.ts';
import { openPartitionableLink } from '../../kit/partitionable-link.ts';
import { until } from '../../kit/until.ts';
import type { Report } from './programs/writing-member.ts';

tap.setTimeout(300_000);

const skip = (await clusterFault()) ?? false;
const { stream, log } = clusterNames(CLUSTER);

/** Starts three servers and nodes with these names. */
async function startHouse(t: Test, names: readonly string[]) {
  const cluster = await LogCluster.start();
  const members: LogMember[] = [];
  t.teardown(async () => {
    await Promise.all(members.map((member) => member.close()));
    await cluster.stop();
  });
  const open = async (name: string, stored?: LogMember['stored']): Promise<LogMember> => {
    const member = await LogMember.open(name, cluster.servers(), stored);
    members.push(member);
    return member;
  };
  const opened = await Promise.all(names.map((name) => open(name)));
  return { cluster, members: opened, open };
}

/** Waits until a node has accepted a last row and the others have read it. */
async function settle(owner: LogMember, members: readonly LogMember[]): Promise<void> {
  const last = owner.write({ last: noise(10) });
  await owner.until('the last row is accepted', () => owner.accepted.includes(last));
  const { position } = owner;
  for (const member of members) await member.until('it has the last row', () => member.position >= position);
}

test('all nodes have the rows that the owner wrote', { skip }, async (t) => {
  const { members } = await startHouse(t, ['a', 'b', 'c']);
  t.equal(new Set(members.map(({ journal }) => journal.logId)).size, 1, 'one log is made');
  const owner = await ownerOf(members);
  for (let at = 0; at < 60; at++) {
    owner.write({ [`k${at % 20}`]: at % 7 === 0 ? null : noise(at), [`n${at}`]: noise(2) });
    // Rows of two records and more, which cannot be compressed.
    if (at % 20 === 0) owner.write({ [`large ${at}`]: noise(700_000 + 300_000 * (at / 20)) });
  }
  await settle(owner, members);
  t.same(
    owner.accepted,
    [...owner.accepted].sort((a, b) => a - b),
    'in the order of the submissions',
  );
  for (const member of members) t.equal(member.fold === owner.fold, true, `${member.name} has the same rows`);
  t.same(
    members.flatMap(({ ended }) => ended ?? []),
    [],
  );
});

/** Opens a node that reaches one server only, over a link. */
async function openOverLink(t: Test, cluster: LogCluster, name: string) {
  const [server = ''] = cluster.servers(['s1']).servers;
  const link = await openPartitionableLink(Number(server.split(':')[1]));
  const member = await LogMember.open(name, { servers: [`127.0.0.1:${link.port}`], isTls: false });
  t.teardown(async () => {
    await member.close();
    await link.close();
  });
  return { link, member };
}

test('a follower takes over from an owner whose connection is cut', { skip }, async (t) => {
  const { cluster, open } = await startHouse(t, []);
  const { link, member: owner } = await openOverLink(t, cluster, 'cut');
  await ownerOf([owner]);
  const follower = await open('follower');
  await settle(owner, [follower]);
  link.cut();
  const lost = owner.write({ lost: noise(5) });
  await ownerOf([follower]);
  t.equal(owner.isOwner(), false, 'it has no lease any more');
  follower.write({ won: noise(5) });
  await settle(follower, []);
  link.heal();
  await owner.until('it ends', () => owner.ended !== null);
  t.match(owner.ended, { reason: 'fenced', text: /node cut no longer owns cluster farm/ });
  t.notOk(owner.accepted.includes(lost), 'its last row is not accepted');
});

test('an owner that was paused accepts nothing after the takeover', { skip }, async (t) => {
  const { cluster, open } = await startHouse(t, []);
  const [server = ''] = cluster.servers(['s1']).servers;
  const program = fileURLToPath(new URL('programs/writing-member.js', import.meta.url));
  const child = fork(program, ['paused', server.split(':')[1] ?? ''], { execArgv: [] });
  t.teardown(() => child.kill('SIGKILL'));
  const reports: Report[] = [];
  child.on('message', (message) => reports.push(message as Report));
  const acceptedKeys = (): readonly string[] =>
    reports.flatMap((report) => (report.type === 'accepted' ? [report.key] : []));
  await until('the child owns the log', () => acceptedKeys().length > 0);
  const follower = await open('follower');
  child.kill('SIGSTOP');
  await ownerOf([follower]);
  await settle(follower, []);
  child.kill('SIGCONT');
  const [ended] = await until('the child ends', () => {
    const found = reports.flatMap((report) => (report.type === 'ended' ? [report.reason] : []));
    return found.length > 0 && found;
  });
  t.equal(ended, 'fenced');
  for (const key of acceptedKeys()) t.ok(follower.stored.rows.has(key), `${key} is not lost`);
});

test('an owner whose acknowledgements are lost sends no record twice', { skip }, async (t) => {
  const { cluster, open } = await startHouse(t, []);
  const { link, member: owner } = await openOverLink(t, cluster, 'owner');
  await ownerOf([owner]);
  const epoch = owner.journal.epoch;
  await settle(owner, []);
  link.mute();
  const numbers = [1, 2, 3].map((at) => owner.write({ [`muted ${at}`]: noise(40) }));
  await owner.until('it has no lease', () => owner.standing.read().state === 'suspended');
  t.same(
    numbers.filter((number) => owner.accepted.includes(number)),
    [],
  );
  link.unmute();
  await owner.until('the rows are accepted', () =>
    numbers.every((number) => owner.accepted.includes(number)),
  );
  t.equal(owner.journal.epoch, epoch, 'it stays the owner');
  const follower = await open('follower');
  await settle(owner, [follower]);
  t.equal(follower.fold, owner.fold);
});

test('the owner stays when the leader of the stream is killed', { skip }, async (t) => {
  const { cluster, members } = await startHouse(t, ['a', 'b']);
  const owner = await ownerOf(members);
  await settle(owner, members);
  const { cluster: group } = await cluster.info(stream);
  await cluster.kill(group?.leader ?? '');
  const numbers = Array.from({ length: 20 }, (_, at) => owner.write({ [`k${at}`]: noise(30) }));
  await owner.until('the rows are accepted', () =>
    numbers.every((number) => owner.accepted.includes(number)),
  );
  t.equal(owner.journal.epoch, 1);
  await settle(owner, members);
  for (const member of members) t.equal(member.fold, owner.fold);
});

test('a node continues from its mark', { skip }, async (t) => {
  const { members, open } = await startHouse(t, ['a', 'b', 'c']);
  const owner = await ownerOf(members);
  const [leaver, stayer] = members.filter((member) => member !== owner);
  if (leaver === undefined || stayer === undefined) throw new Error('two nodes follow');
  owner.write({ before: noise(3) });
  await settle(owner, members);
  await leaver.close();
  owner.write({ meanwhile: noise(3), large: noise(900_000) });
  await settle(owner, [stayer]);
  const again = await open(leaver.name, leaver.stored);
  await settle(owner, [again, stayer]);
  t.equal(again.fold, owner.fold);
});

test('a node of another log, or of no log, does not follow', { skip }, async (t) => {
  const { cluster, members, open } = await startHouse(t, ['a']);
  const owner = await ownerOf(members);
  await settle(owner, []);
  const mark = `1 0198c0de-0000-7000-8000-000000000026 1 1 ${'00'.repeat(32)}`;
  const other = await open('other', { rows: new Map([['k', 'v']]), mark });
  await other.until('it ends', () => other.ended !== null);
  t.match(other.ended, { reason: 'other-log', text: /is not log 0198c0de/ });
  await t.rejects(open('single', { rows: new Map([['k', 'v']]), mark: null }), {
    message: /state store of node single is that of a single node.*callsheet cluster recover/,
  });
  await t.rejects(LogMember.open('future', cluster.servers(), { rows: new Map(), mark: '2 newer' }), {
    message: /a mark of the log that this version cannot read: 2 newer\. Upgrade the node/,
  });
});

test('no node applies what is behind a damaged record', { skip }, async (t) => {
  const { cluster, members } = await startHouse(t, ['a', 'b']);
  const owner = await ownerOf(members);
  await settle(owner, members);
  const [follower] = members.filter((member) => member !== owner);
  const nc = await cluster.connect();
  t.teardown(() => nc.close());
  await nc.request(log, new Uint8Array(300).fill(7), { timeout: 5000 });
  for (const member of members) await member.until('it ends', () => member.ended !== null);
  t.match(follower?.ended, { reason: 'damaged', text: /record \d+ of log .* is damaged/ });
  t.match(owner.ended, { reason: 'damaged' });
});

test('nothing is lost when all servers lose power', { skip }, async (t) => {
  const { cluster, members, open } = await startHouse(t, ['a', 'b']);
  const owner = await ownerOf(members);
  await settle(owner, members);
  const numbers = Array.from({ length: 30 }, (_, at) => owner.write({ [`k${at}`]: noise(2000) }));
  await owner.until('a row is accepted', () => owner.accepted.includes(numbers[3] ?? 0));
  await Promise.all(cluster.names.map((name) => cluster.kill(name)));
  const kept = [...owner.stored.rows];
  await Promise.all(members.map((member) => member.close()));
  await Promise.all(cluster.names.map((name) => cluster.startServer(name)));
  const late = await open('late');
  await ownerOf([late]);
  for (const [key, value] of kept) t.equal(late.stored.rows.get(key), value, `${key} is kept`);
});

test('the owner hands the log over to a follower', { skip }, async (t) => {
  const { members } = await startHouse(t, ['a', 'b', 'c']);
  const owner = await ownerOf(members);
  await settle(owner, members);
  const [successor, other] = members.filter((member) => member !== owner);
  if (successor === undefined || other === undefined) throw new Error('two nodes follow');
  await t.rejects(successor.journal.handOver(other.name), { message: /node . does not own it/ });
  await t.rejects(owner.journal.handOver('absent'), { message: /node absent does not answer/ });
  const before = [1, 2, 3].map((at) => owner.write({ [`before ${at}`]: noise(50) }));
  await owner.journal.handOver(successor.name);
  t.same(
    before.filter((number) => !owner.accepted.includes(number)),
    [],
    'earlier entries are accepted',
  );
  t.match(owner.ended, { reason: 'handed-over', text: /Start it again, and it follows/ });
  t.notOk(owner.isOwner());
  await ownerOf([successor]);
  await settle(successor, [other]);
  t.same(other.states, [], 'the other follower did not try');
  t.equal(successor.fold, other.fold);
});
