import { test, type Test } from 'tap';
import { workerId } from '../../../src/core/ids.ts';
import type { BusEvent } from '../../../src/core/ports/bus.ts';
import type { LeaseReply, PresenceMessage } from '../../../src/core/wire/bus-messages.ts';
import { inboxRootOf, scopedSubjects, subjects } from '../../../src/core/wire/subjects.ts';
import {
  attemptOf,
  FARM,
  FAST_REDELIVERY,
  JOB,
  leaseRequest,
  logOf,
  recordingLogReader,
  recordingShard,
  recordingWorker,
  statusOf,
  taskOf,
  WORKER,
} from '../../kit/nats-members.ts';
import { ofType } from '../../kit/nats-recorder.ts';
import { NatsServer } from '../../kit/nats-server.ts';

const OTHER = workerId('01890a5d-ac96-774b-bcce-b302099a8099');
const NO_LEASES: LeaseReply = { v: 1, type: 'leases', assignments: [], steps: {} };
const ANSWER_MS = 5000;
const heartbeat = {
  v: 1,
  type: 'heartbeat',
  worker_id: WORKER,
  farm_id: FARM,
  incarnation: 'one',
  open_attempts: [],
} as const;

/** The service and a worker with a credential, on a server that itself checks nothing. */
async function startHouse(t: Test) {
  const server = await NatsServer.start();
  const shard = recordingShard(server.servers, FAST_REDELIVERY, true);
  const reader = recordingLogReader(server.servers, FAST_REDELIVERY, true);
  const worker = recordingWorker(server.servers, 3000, WORKER);
  const nc = await server.connect();
  t.teardown(async () => {
    await nc.close();
    await Promise.all([shard.bus.close(), worker.bus.close(), reader.bus.close()]);
    await server.stop();
  });
  await Promise.all([shard, reader, worker].map(({ events }) => events.next(ofType('ready'))));
  return { shard, reader, worker, nc };
}

/** Returns how many messages were refused for each reason. */
function refusals(events: readonly BusEvent[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { reason, count } of events.filter(ofType('refused')))
    counts[reason] = (counts[reason] ?? 0) + count;
  return counts;
}

test('a worker with a credential uses its own subjects and inboxes', async (t) => {
  const { shard, reader, worker, nc } = await startHouse(t);
  const seen: string[] = [];
  nc.subscribe('>', {
    callback: (_error, { subject, reply = '' }) => {
      if (/^(?:task|work|worker)\./.test(subject)) seen.push(subject, reply);
    },
  });
  await nc.flush();
  const own = scopedSubjects(WORKER);

  const lease = worker.bus.requestLease('_any', leaseRequest, ANSWER_MS);
  const asked = await shard.leases.next(() => true);
  t.ok(asked.inbox.startsWith(`${inboxRootOf(WORKER)}.`));
  t.equal(shard.bus.answerLease(asked.inbox, NO_LEASES), 'sent');
  t.same(await lease, { type: 'answered', reply: NO_LEASES });

  const presence = worker.bus.announcePresence(heartbeat, ANSWER_MS);
  const announced = await shard.presence.next(() => true);
  shard.bus.answerPresence(announced.message.reply_to, { v: 1, type: 'unknown' });
  t.same(await presence, { type: 'answered', reply: { v: 1, type: 'unknown' } });
  announced.acknowledge();

  t.match(await worker.bus.reportStatus(statusOf(1)), { type: 'stored' });
  (await shard.statuses.next(() => true)).acknowledge();
  t.same(await worker.bus.publishLogs([logOf(1, 1)]), { stored: 1, failure: null });
  const chunk = await reader.logs.next(() => true);
  t.equal(chunk.sender, WORKER);
  chunk.acknowledge();
  t.match(await reader.bus.lastLogOf(taskOf(1), WORKER), { seqNum: 1 });
  t.equal(await reader.bus.lastLogOf(taskOf(1), OTHER), null, 'a chunk that only another worker has sent');
  t.equal(await reader.bus.lastLogOf(taskOf(1), null), null);

  worker.bus.followCancels(taskOf(1));
  const cancel = { v: 1, task_id: taskOf(1), attempt_id: attemptOf(1), reason: 'canceled by user' } as const;
  shard.bus.cancelAttempt(WORKER, cancel);
  t.same(await worker.cancels.next(() => true), cancel);
  // Published before the subscription, and so found in the stream.
  shard.bus.cancelAttempt(WORKER, { ...cancel, task_id: taskOf(2), attempt_id: attemptOf(2) });
  await nc.flush();
  worker.bus.followCancels(taskOf(2));
  t.match(await worker.cancels.next(({ task_id: task }) => task === taskOf(2)), { attempt_id: attemptOf(2) });

  await nc.flush();
  const subjectsSeen = new Set(seen.filter((text) => /^(?:task|work|worker)\./.test(text)));
  t.same(
    [...subjectsSeen].sort(),
    [
      own.cancel(taskOf(1)),
      own.cancel(taskOf(2)),
      own.heartbeat,
      own.lease('_any'),
      own.logs(taskOf(1)),
      own.status(JOB),
    ].sort(),
  );
  t.notOk(seen.some((text) => text.startsWith('_INBOX.') && !text.startsWith(`${inboxRootOf(WORKER)}.`)));
  t.same([...shard.events.all, ...reader.events.all].filter(ofType('refused')), []);
});

test('messages that their sender may not send are refused and counted', async (t) => {
  const { shard, reader, worker, nc } = await startHouse(t);
  const foreign = scopedSubjects(OTHER);
  const own = scopedSubjects(WORKER);
  const inbox = `${inboxRootOf(WORKER)}.a.b`;
  const beat: PresenceMessage = { ...heartbeat, reply_to: inbox };
  const foreignInbox = `${inboxRootOf(OTHER)}.a.b`;
  const say = (subject: string, message: object, reply = ''): void =>
    nc.publish(subject, JSON.stringify(message), reply === '' ? {} : { reply });
  const ROUNDS = 20;
  for (let round = 0; round < ROUNDS; round++) {
    // With the credential of another worker.
    say(foreign.status(JOB), statusOf(1));
    say(foreign.heartbeat, beat);
    say(foreign.lease('_any'), leaseRequest, foreignInbox);
    // With an inbox of another worker.
    say(own.heartbeat, { ...beat, reply_to: foreignInbox });
    say(own.lease('_any'), leaseRequest, foreignInbox);
    // Without the worker in the subject.
    say(subjects.status(JOB), statusOf(1));
    say(subjects.heartbeat, beat);
    say(subjects.logs(taskOf(1)), logOf(1, 1));
    // Nothing listens to this form.
    say(subjects.lease('_any'), leaseRequest, inbox);
  }
  // After all of them: what is allowed still passes.
  t.match(await worker.bus.reportStatus(statusOf(9)), { type: 'stored' });
  t.match(await worker.bus.publishLogs([logOf(9, 1)]), { stored: 1 });
  (await shard.statuses.next(() => true)).acknowledge();
  (await reader.logs.next(() => true)).acknowledge();
  await shard.events.next(() => refusals(shard.events.all)['no-worker'] === 2 * ROUNDS);
  await shard.events.next(() => refusals(shard.events.all)['other-worker'] === 3 * ROUNDS);
  await shard.events.next(() => refusals(shard.events.all)['other-inbox'] === 2 * ROUNDS);
  await reader.events.next(() => refusals(reader.events.all)['no-worker'] === ROUNDS);
  t.same(
    shard.statuses.all.map(({ message }) => message.task_id),
    [taskOf(9)],
  );
  t.same([shard.leases.all, shard.presence.all], [[], []]);
  t.same(
    reader.logs.all.map(({ message }) => message.task_id),
    [taskOf(9)],
  );
  const reported = shard.events.all.filter(ofType('refused')).length;
  t.ok(reported <= 6 + 3 * 3, `${reported} events about ${7 * ROUNDS} messages`);
});

test('a flood of forged replies with guessed names settles no request', async (t) => {
  const { shard, worker, nc } = await startHouse(t);
  const lease = worker.bus.requestLease('_any', leaseRequest, ANSWER_MS);
  const { inbox } = await shard.leases.next(() => true);
  const root = inbox.slice(0, inbox.lastIndexOf('.'));
  const forged: LeaseReply = { v: 1, type: 'unknown' };
  // Even a client that knows the inbox of the worker must guess the request.
  for (let guess = 0; guess < 10_000; guess++)
    nc.publish(`${root}.${['lease', 'store', ''][guess % 3] ?? ''}${guess}`, JSON.stringify(forged));
  await nc.flush();
  t.equal(shard.bus.answerLease(inbox, NO_LEASES), 'sent');
  t.same(await lease, { type: 'answered', reply: NO_LEASES });
  // The same name is not valid again, not even as a late reply.
  nc.publish(inbox, JSON.stringify(NO_LEASES));
  await nc.flush();
  t.match(await worker.bus.reportStatus(statusOf(1)), { type: 'stored' });
  t.same(worker.late.all, []);
});
