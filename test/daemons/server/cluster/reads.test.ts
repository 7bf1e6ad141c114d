import tap, { test } from 'tap';
import { put } from '../../../../src/core/records/change-set.ts';
import { keys } from '../../../../src/core/records/tables.ts';
import { batchEvents } from '../../../../src/core/wire/event-batch.ts';
import { follow, own, startFronts, type FrontOfNode } from '../../../kit/cluster-fronts.ts';
import { until } from '../../../kit/until.ts';
import { FARM, farmRecord, jobNumber, QUEUE } from '../../../http/kit/records.ts';
import { steadyMs } from '../../../../src/adapters/cluster/standing.ts';

tap.setTimeout(120_000);

const PATH = `/api/v1/farms/${FARM}`;
async function started(t: Parameters<typeof startFronts>[0]): Promise<readonly [FrontOfNode, FrontOfNode]> {
  const { fronts } = await startFronts(t);
  const [a, b] = fronts;
  if (a === undefined || b === undefined) throw new Error('two nodes were started');
  for (const { api } of fronts) api.write(put('farm', keys.farm(FARM), farmRecord()));
  follow(b, 1, 10);
  own(a, 1, 10);
  await until('the follower reaches the owner', async () => {
    const { headers } = await b.client.get(PATH);
    return headers['callsheet-stale'] === undefined;
  });
  return [a, b];
}

await test('a read on a follower waits until it has applied what the owner has sent', async (t) => {
  const [a, b] = await started(t);
  // The owner has sent a record that it has not accepted: another follower may show it.
  a.standing.setAppended(12);
  let isAnswered = false;
  const read = b.client.get(PATH).finally(() => {
    isAnswered = true;
  });
  const asked = b.standing.read().currentAtMs;
  await until('the next question', () => b.node.self().lagRecords === 2);
  t.notOk(isAnswered);
  b.api.write(put('farm', keys.farm(FARM), farmRecord({ name: 'renamed' })));
  b.standing.setApplied(12);
  const answer = await read;
  t.equal(b.node.figures.forwarded, 0);
  t.match(answer.body, { name: 'renamed' });
  t.equal(answer.headers['callsheet-stale'], undefined);
  t.ok(b.standing.read().currentAtMs > asked);
});

await test('without an owner a read is marked as stale', async (t) => {
  const [a, b] = await started(t);
  a.standing.setLease(-Infinity);
  for (const { client } of [a, b]) {
    const answer = await client.get(PATH);
    t.equal(answer.status, 200);
    t.equal(answer.headers['callsheet-stale'], 'true');
  }
  t.equal(b.node.figures.stale, 1);
  a.standing.setLease(steadyMs() + 3_600_000);
  await until('reads are current again', async () => {
    const { headers } = await b.client.get(PATH);
    return headers['callsheet-stale'] === undefined;
  });
});

const jobEvents = (number: number) =>
  batchEvents([
    {
      subject: 'jobs',
      payload: {
        job_id: jobNumber(number),
        name: 'a job',
        owner: 'ada',
        queue_id: QUEUE,
        status: 'running',
        updated_at: '2026-11-20T10:00:00.000Z',
      },
    },
  ]);

await test('events of the owner reach a follower when it has applied their changes', async (t) => {
  const [a, b] = await started(t);
  await until('the first message of the owner', () => b.gaps() === 1);
  a.standing.setApplied(11);
  a.node.publishEvents(jobEvents(1));
  a.standing.setApplied(12);
  a.node.publishEvents(jobEvents(2));
  b.standing.setApplied(11);
  await until('the first event', () => b.events.length === 1);
  t.same(b.events, [jobEvents(1)]);
  b.standing.setApplied(12);
  await until('the second event', () => b.events.length === 2);
  t.same(b.events[1], jobEvents(2));
  t.equal(b.gaps(), 1);
  t.equal(a.events.length, 0, 'the owner publishes its events itself');
});

await test('a lost message and a new owner give a gap', async (t) => {
  const { bus, fronts } = await startFronts(t, ['a', 'b', 'c']);
  const [a, b, c] = fronts;
  if (a === undefined || b === undefined || c === undefined) throw new Error('three nodes were started');
  follow(b, 1, 10);
  follow(c, 1, 10);
  own(a, 1, 10);
  await until('both follow', () => b.gaps() === 1 && c.gaps() === 1);
  await bus.kill();
  a.node.publishEvents(jobEvents(1));
  await bus.restart();
  await until('the beat tells of the loss', () => b.gaps() === 2 && c.gaps() === 2);
  a.node.publishEvents(jobEvents(2));
  await until('events continue', () => b.events.length === 1);
  a.standing.setLease(-Infinity);
  own(b, 2, 20);
  follow(c, 2, 20);
  t.equal(b.gaps(), 3, 'the new owner itself declares a gap');
  b.node.publishEvents(jobEvents(3));
  await until('an event of the new owner', () => c.events.length === 2);
  t.equal(c.gaps(), 3);
  t.same(c.events[1], jobEvents(3));
});
