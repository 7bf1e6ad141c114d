import { headers } from '@nats-io/transport-node';
import { test, type Test } from 'tap';
import { ensureStream, managerOf } from '../../../src/adapters/nats/streams.ts';
import { queueId, stepIdOf } from '../../../src/core/ids.ts';
import type {
  DiagnosticMessage,
  LeaseReply,
  PresenceMessage,
  StepAssignment,
} from '../../../src/core/wire/bus-messages.ts';
import { STREAMS, subjects } from '../../../src/core/wire/subjects.ts';
import {
  attemptOf,
  FARM,
  JOB,
  leaseRequest,
  logOf,
  recordingLogReader,
  recordingShard,
  recordingWorker,
  FAST_REDELIVERY,
  statusOf,
  taskOf,
  WORKER,
} from '../../kit/nats-members.ts';
import { ofType } from '../../kit/nats-recorder.ts';
import { NatsServer } from '../../kit/nats-server.ts';

const stepAssignment: StepAssignment = {
  job_name: 'j',
  step_name: 's',
  job_parameters: {},
  job_environments: [],
  step_environments: [],
  script: { onRun: { command: 'true', args: [] }, embeddedFiles: [] },
  compute_location: '',
};
const NO_LEASES: LeaseReply = { v: 1, type: 'leases', assignments: [], steps: {} };
const QUEUE = queueId('01890a5d-ac96-774b-bcce-b302099a8060');
const STEP = stepIdOf(JOB, 0);
const ANSWER_MS = 5000;

async function startHouse(t: Test) {
  const server = await NatsServer.start();
  const shard = recordingShard(server.servers, FAST_REDELIVERY);
  const worker = recordingWorker(server.servers);
  t.teardown(async () => {
    await Promise.all([shard.bus.close(), worker.bus.close()]);
    await server.stop();
  });
  await Promise.all([shard.events.next(ofType('ready')), worker.events.next(ofType('ready'))]);
  return { server, shard, worker };
}

test('a lease request reaches the shard, and its reply the worker', async (t) => {
  const { shard, worker } = await startHouse(t);
  for (const queue of [QUEUE, '_any'] as const) {
    const from = shard.leases.all.length;
    const outcome = worker.bus.requestLease(queue, leaseRequest, ANSWER_MS);
    const asked = await shard.leases.next(() => true, from);
    t.same({ request: asked.request, queue: asked.queue }, { request: leaseRequest, queue });
    t.equal(shard.bus.answerLease(asked.inbox, NO_LEASES), 'sent');
    t.same(await outcome, { type: 'answered', reply: NO_LEASES });
  }
});

test('the announcement of a new owner reaches the workers that listen, also after a new connection', async (t) => {
  const { shard, worker } = await startHouse(t);
  worker.bus.followOwner();
  worker.bus.followOwner();
  t.equal(await worker.bus.check(ANSWER_MS), null, 'the subscription has arrived');
  const announcement = { v: 1, type: 'owner', service: 'second', epoch: 7 } as const;
  t.equal(shard.bus.announceOwner(announcement), 'sent');
  t.same(await worker.owners.next(() => true), announcement);
  const from = worker.events.all.length;
  await worker.bus.redial();
  await worker.events.next(ofType('ready'), from);
  t.equal(await worker.bus.check(ANSWER_MS), null);
  t.equal(shard.bus.announceOwner({ ...announcement, epoch: 8 }), 'sent');
  t.equal((await worker.owners.next(() => true, 1)).epoch, 8);
  t.equal(worker.owners.all.length, 2, 'each once');
});

test('prepared replies are sent together', async (t) => {
  const { shard, worker } = await startHouse(t);
  const outcomes = [1, 2].map(() => worker.bus.requestLease(QUEUE, leaseRequest, ANSWER_MS));
  const first = await shard.leases.next(() => true);
  const second = await shard.leases.next(() => true, 1);
  const huge: LeaseReply = {
    v: 1,
    type: 'leases',
    assignments: [],
    steps: { [STEP]: { ...stepAssignment, job_name: 'x'.repeat(2e6) } },
  };
  t.equal(shard.bus.prepareLease(first.inbox, huge), 'too-large');
  t.equal(shard.bus.prepareLease('_INBOX.*', NO_LEASES), 'bad-subject');
  t.equal(shard.bus.prepareLease(first.inbox, NO_LEASES), 'prepared');
  t.equal(shard.bus.prepareLease(second.inbox, { v: 1, type: 'unknown' }), 'prepared');
  const send = shard.bus.takePrepared();
  t.equal(await shard.bus.check(ANSWER_MS), null);
  t.same(worker.late.all, []);
  t.equal(await Promise.race([...outcomes, Promise.resolve('none yet')]), 'none yet');
  shard.bus.takePrepared()();
  send();
  t.same(await Promise.all(outcomes), [
    { type: 'answered', reply: NO_LEASES },
    { type: 'answered', reply: { v: 1, type: 'unknown' } },
  ]);
});

test('a lease request without a service, without a reply, and with a late reply', async (t) => {
  const { shard, worker } = await startHouse(t);
  const givenUp = worker.bus.requestLease(QUEUE, leaseRequest, ANSWER_MS);
  worker.bus.cancelLeaseRequests();
  t.same(await givenUp, { type: 'timedOut' }, 'before its timeout');
  const timedOut = await worker.bus.requestLease(QUEUE, leaseRequest, 1);
  t.same(timedOut, { type: 'timedOut' });
  const asked = await shard.leases.next(() => true);
  const reply: LeaseReply = {
    v: 1,
    type: 'leases',
    assignments: [
      {
        task_id: taskOf(1),
        job_id: JOB,
        step_id: STEP,
        attempt_id: attemptOf(1),
        name: 'n',
        cores: 1,
        parameters: {},
      },
    ],
    steps: {
      [STEP]: stepAssignment,
    },
  };
  shard.bus.answerLease(asked.inbox, reply);
  t.same(await worker.late.next(() => true), reply, 'the tasks of the late reply are not lost');

  await shard.bus.close();
  t.same(await worker.bus.requestLease(QUEUE, leaseRequest, ANSWER_MS), { type: 'noResponders' });
});
test('a lease reply that is invalid, too large, or without a valid inbox is rejected', async (t) => {
  const { server, shard, worker } = await startHouse(t);
  const outcome = worker.bus.requestLease(QUEUE, leaseRequest, ANSWER_MS);
  const { inbox } = await shard.leases.next(() => true);
  const nc = await server.connect();
  t.teardown(() => nc.close());
  nc.publish(inbox, '{"v":2}');
  t.same(await outcome, { type: 'unreadable', reason: 'type: is missing' });
  t.match(worker.events.all.filter(ofType('poisoned')), [
    { subject: subjects.lease(QUEUE), reason: 'type: is missing' },
  ]);
  const huge: LeaseReply = {
    v: 1,
    type: 'leases',
    assignments: [],
    steps: { [STEP]: { ...stepAssignment, job_name: 'x'.repeat(2e6) } },
  };
  t.equal(shard.bus.answerLease(inbox, huge), 'too-large');
  for (const subject of ['task.status.x', '_INBOX.*', '_INBOX.a b', '$JS.API.STREAM.DELETE.X', '']) {
    t.equal(shard.bus.answerLease(subject, NO_LEASES), 'bad-subject', subject);
  }
});

test('presence is announced, stored and answered', async (t) => {
  const { server, shard, worker } = await startHouse(t);
  const announcement = {
    v: 1,
    type: 'heartbeat',
    worker_id: WORKER,
    farm_id: FARM,
    incarnation: '01936ad0-0000-7000-8000-000000000001',
    open_attempts: [attemptOf(1)],
  } as const;
  const outcome = worker.bus.announcePresence(announcement, ANSWER_MS);
  const delivery = await shard.presence.next(() => true);
  const { reply_to: inbox, ...rest } = delivery.message as PresenceMessage & { type: 'heartbeat' };
  t.same(rest, announcement);
  t.equal(delivery.deliveryNumber, 1);
  t.ok(Math.abs(delivery.storedAt - Date.now()) < 60_000);
  t.equal(
    shard.bus.answerPresence(inbox, { v: 1, type: 'alive', service: 's1', closed: [attemptOf(1)] }),
    'sent',
  );
  t.same(await outcome, {
    type: 'answered',
    reply: { v: 1, type: 'alive', service: 's1', closed: [attemptOf(1)] },
  });
  delivery.acknowledge();
  t.same(await worker.bus.announcePresence(announcement, 1), { type: 'timedOut' });

  const nc = await server.connect();
  t.teardown(() => nc.close());
  const info = await (await managerOf(nc)).streams.info(STREAMS.presence.name);
  t.equal(info.state.messages, 2);
});

test('messages from before the first start of the service are delivered', async (t) => {
  const server = await NatsServer.start();
  t.teardown(() => server.stop());
  const nc = await server.connect();
  t.teardown(() => nc.close());
  const manager = await managerOf(nc);
  await Promise.all([ensureStream(manager, 'status', null), ensureStream(manager, 'logs', null)]);
  const worker = recordingWorker(server.servers);
  await worker.events.next(ofType('ready'));
  for (const task of [1, 2]) t.match(await worker.bus.reportStatus(statusOf(task)), { type: 'stored' });
  t.same(await worker.bus.publishLogs([logOf(1, 1)]), { stored: 1, failure: null });
  const shard = recordingShard(server.servers);
  const reader = recordingLogReader(server.servers);
  t.teardown(() => Promise.all([shard.bus.close(), reader.bus.close(), worker.bus.close()]));
  await Promise.all([shard.events.next(ofType('ready')), reader.events.next(ofType('ready'))]);
  await worker.bus.reportStatus(statusOf(3));
  await shard.statuses.next(({ message }) => message.task_id === taskOf(3));
  t.same(
    shard.statuses.all.map(({ message }) => message),
    [statusOf(1), statusOf(2), statusOf(3)],
  );
  await worker.bus.publishLogs([logOf(1, 2)]);
  await reader.logs.next(({ message }) => message.seq_num === 2);
  t.same(
    reader.logs.all.map(({ message }) => message),
    [logOf(1, 1), logOf(1, 2)],
  );
});

test('a status is redelivered until it is acknowledged', async (t) => {
  const { server, shard, worker } = await startHouse(t);
  t.same(await worker.bus.reportStatus(statusOf(1)), {
    type: 'stored',
    streamSequence: 1,
    isDuplicate: false,
  });
  const first = await shard.statuses.next((delivery) => delivery.deliveryNumber === 1);
  t.same(first.message, statusOf(1));
  const second = await shard.statuses.next((delivery) => delivery.deliveryNumber === 2);
  t.same(second.message, statusOf(1));
  second.acknowledge();
  second.acknowledge();

  await worker.bus.reportStatus(statusOf(2));
  (await shard.statuses.next(({ message }) => message.task_id === taskOf(2))).acknowledge();
  const nc = await server.connect();
  t.teardown(() => nc.close());
  // Acknowledgements use the shard's connection: after a reply on it, they have arrived.
  t.equal(await shard.bus.check(ANSWER_MS), null);
  const info = await (await managerOf(nc)).consumers.info(STREAMS.status.name, 'shard-0-of-2');
  t.equal(info.num_ack_pending, 0);
  t.equal(info.ack_floor.stream_seq, 2);
  t.equal(shard.statuses.all.length, 3);
});

test('a message that is never acknowledged is discarded with an event, and blocks no other message', async (t) => {
  const { server, shard, worker } = await startHouse(t);
  await worker.bus.reportStatus(statusOf(1));
  t.same(await shard.events.next(ofType('max-deliveries-reached')), {
    type: 'max-deliveries-reached',
    stream: STREAMS.status.name,
    streamSequence: 1,
    deliveries: FAST_REDELIVERY.deliveriesMax,
  });
  t.equal(shard.statuses.all.length, FAST_REDELIVERY.deliveriesMax);
  const nc = await server.connect();
  t.teardown(() => nc.close());
  const info = await (await managerOf(nc)).consumers.info(STREAMS.status.name, 'shard-0-of-2');
  t.equal(info.num_ack_pending, 0);
});

test('a repeated report or log chunk is stored once', async (t) => {
  const { shard, worker, server } = await startHouse(t);
  const reader = recordingLogReader(server.servers);
  t.teardown(() => reader.bus.close());
  await reader.events.next(ofType('ready'));
  t.same(await worker.bus.reportStatus(statusOf(1)), {
    type: 'stored',
    streamSequence: 1,
    isDuplicate: false,
  });
  t.same(await worker.bus.reportStatus(statusOf(1)), {
    type: 'stored',
    streamSequence: 1,
    isDuplicate: true,
  });
  t.same(await worker.bus.reportStatus(statusOf(1, 'succeeded')), {
    type: 'stored',
    streamSequence: 2,
    isDuplicate: false,
  });
  const chunks = [logOf(1, 1), logOf(1, 2), logOf(1, 3)];
  t.same(await worker.bus.publishLogs(chunks), { stored: 3, failure: null });
  t.same(await worker.bus.publishLogs([...chunks, logOf(1, 4)]), { stored: 4, failure: null });
  await reader.logs.count(4);
  t.same(
    reader.logs.all.map(({ message, streamSequence }) => [message, streamSequence]),
    [...chunks, logOf(1, 4)].map((chunk, index) => [chunk, index + 1]),
  );
  const nc = await server.connect();
  t.teardown(() => nc.close());
  const { created } = await (await managerOf(nc)).streams.info(STREAMS.logs.name);
  for (const delivery of reader.logs.all) {
    t.equal(delivery.streamCreatedAt, created);
    delivery.acknowledge();
  }
  await shard.statuses.count(2);
});

test('the newest chunk of a task is found on the bus, even if it was already read', async (t) => {
  const { worker, server } = await startHouse(t);
  const reader = recordingLogReader(server.servers);
  t.teardown(() => reader.bus.close());
  await t.rejects(reader.bus.lastLogOf(taskOf(1), null), { message: 'not connected to a server' });
  await reader.events.next(ofType('ready'));
  t.equal(await reader.bus.lastLogOf(taskOf(1), null), null);
  await worker.bus.publishLogs([logOf(1, 1), logOf(1, 2), logOf(2, 1)]);
  const last = { attempt: { jobId: JOB, stepOrder: 0, index: 1, attemptNumber: 1 }, seqNum: 2 };
  t.same(await reader.bus.lastLogOf(taskOf(1), null), last);
  await reader.logs.count(3);
  for (const delivery of reader.logs.all) delivery.acknowledge();
  t.same(await reader.bus.lastLogOf(taskOf(1), null), last, 'an acknowledged chunk is still on the bus');
  t.equal(await reader.bus.lastLogOf(taskOf(3), null), null);
  const nc = await server.connect();
  t.teardown(() => nc.close());
  for (const poison of ['not json', JSON.stringify(logOf(2, 9))]) {
    nc.publish(subjects.logs(taskOf(1)), poison);
    await reader.events.next(ofType('poisoned'));
    t.equal(await reader.bus.lastLogOf(taskOf(1), null), null, 'discarded chunks are not waited for');
  }
  await server.stop();
  await t.rejects(reader.bus.lastLogOf(taskOf(1), null));
});

test('diagnostic records are sent only to subscribers', async (t) => {
  const { worker, server } = await startHouse(t);
  const record: DiagnosticMessage = {
    v: 1,
    worker_id: WORKER,
    at: '2026-11-21T04:05:06.000000001Z',
    level: 'WARN',
    msg: 'said',
    attrs: { task_id: 'T' },
  };
  t.equal(worker.bus.publishDiagnostic(record), 'sent', 'works without a subscriber');
  const reader = recordingLogReader(server.servers);
  t.teardown(() => reader.bus.close());
  await reader.events.next(ofType('ready'));
  t.equal(worker.bus.publishDiagnostic(record), 'sent');
  await reader.diagnostics.count(1);
  t.strictSame(reader.diagnostics.all, [{ source: WORKER, parsed: { ok: true, value: record } }]);
  const nc = await server.connect();
  t.teardown(() => nc.close());
  nc.publish(`worker.diag.${WORKER}`, new Uint8Array([0xff]));
  await reader.diagnostics.count(2);
  t.strictSame(reader.diagnostics.all[1]?.parsed, { ok: false, reason: 'message: not valid UTF-8' });
});

test('more log chunks than the in-flight limit are all stored, in order', async (t) => {
  const { worker, server } = await startHouse(t);
  const reader = recordingLogReader(server.servers);
  t.teardown(() => reader.bus.close());
  await reader.events.next(ofType('ready'));
  const chunks = Array.from({ length: 1500 }, (_, index) => logOf(1, index + 1, 'x'.repeat(2000)));
  t.same(await worker.bus.publishLogs(chunks), { stored: 1500, failure: null });
  const seen: number[] = [];
  for (let count = 1; count <= 1500; count += 1) {
    await reader.logs.count(count);
    const delivery = reader.logs.all[count - 1];
    seen.push(delivery?.message.seq_num ?? 0);
    delivery?.acknowledge();
  }
  t.same(
    seen,
    chunks.map((chunk) => chunk.seq_num),
  );
});

test('a message that a stream rejects is reported with the reason', async (t) => {
  const { worker, server } = await startHouse(t);
  t.match(await worker.bus.publishLogs([logOf(1, 1)]), { stored: 0, failure: { type: 'noResponders' } });
  const reader = recordingLogReader(server.servers);
  t.teardown(() => reader.bus.close());
  await reader.events.next(ofType('ready'));
  const outcome = await worker.bus.publishLogs([logOf(1, 1), logOf(1, 2, 'x'.repeat(900_000)), logOf(1, 3)]);
  t.same(outcome, {
    stored: 1,
    failure: { type: 'refused', reason: 'message size exceeds maximum allowed' },
  });
  const tooLarge = await worker.bus.publishLogs([logOf(1, 4, 'x'.repeat(2_000_000))]);
  t.same(tooLarge, { stored: 0, failure: { type: 'too-large' } });
  t.same(await worker.bus.reportStatus({ ...statusOf(1), task_id: 'task.* >' as never }), {
    type: 'bad-subject',
  });
  t.same(await worker.bus.publishLogs([{ ...logOf(1, 1), task_id: 'a b' as never }]), {
    stored: 0,
    failure: { type: 'bad-subject' },
  });
});

test('cancels reach subscribers of the task, including earlier cancels', async (t) => {
  const { shard, worker } = await startHouse(t);
  const cancel = (index: number) =>
    ({ v: 1, task_id: taskOf(index), attempt_id: attemptOf(index), reason: 'canceled by user' }) as const;
  worker.bus.followCancels(taskOf(1));
  worker.bus.followCancels(taskOf(1));
  t.equal(await worker.bus.check(ANSWER_MS), null);
  shard.bus.cancelAttempt(WORKER, cancel(1));
  t.same(await worker.cancels.next(() => true), cancel(1));

  shard.bus.cancelAttempt(WORKER, cancel(2));
  shard.bus.cancelAttempt(WORKER, cancel(3));
  t.equal(await shard.bus.check(ANSWER_MS), null);
  worker.bus.followCancels(taskOf(2));
  t.same(await worker.cancels.next(({ task_id: task }) => task === taskOf(2)), cancel(2));

  worker.bus.unfollowCancels(taskOf(1));
  shard.bus.cancelAttempt(WORKER, cancel(1));
  shard.bus.cancelAttempt(WORKER, { ...cancel(2), reason: 'again' });
  await worker.cancels.next(({ reason }) => reason === 'again');
  t.equal(worker.cancels.all.filter(({ task_id: task }) => task === taskOf(1)).length, 1);
  t.equal(worker.cancels.all.filter(({ task_id: task }) => task === taskOf(3)).length, 0);

  shard.bus.cancelAttempt(WORKER, { ...cancel(1), task_id: 'x.>' as never });
  t.same(await shard.events.next(ofType('publish-failed')), {
    type: 'publish-failed',
    subject: 'task.cancel.x.>',
    reason: 'bad-subject',
  });
});

test('a poisoned message is discarded immediately with an event, and is not redelivered', async (t) => {
  const { server, shard, worker } = await startHouse(t);
  const reader = recordingLogReader(server.servers);
  t.teardown(() => reader.bus.close());
  await reader.events.next(ofType('ready'));
  const nc = await server.connect();
  t.teardown(() => nc.close());
  const poison: readonly [string, string | Uint8Array][] = [
    [subjects.status(JOB), 'not json'],
    [subjects.status(JOB), '{}'],
    [subjects.status(JOB), Uint8Array.of(0xff, 0xfe, 0x7b)],
    [subjects.status(JOB), '['.repeat(60_000)],
    [subjects.status(JOB), JSON.stringify({ ...statusOf(1), exit_code: 'NaN' })],
    ['task.status.other-job', JSON.stringify(statusOf(1))],
    [subjects.register, JSON.stringify({ v: 1, type: 'heartbeat' })],
    [subjects.heartbeat, ''],
    [subjects.logs(taskOf(1)), JSON.stringify(logOf(2, 1))],
    [subjects.logs(taskOf(1)), JSON.stringify({ ...logOf(1, 1), seq_num: -1 })],
  ];
  for (const [subject, payload] of poison) nc.publish(subject, payload);
  nc.publish('work.lease.not-a-queue', JSON.stringify(leaseRequest), { reply: '_INBOX.a' });
  nc.publish('work.lease._any', JSON.stringify(leaseRequest), { reply: 'task.status.x' });
  nc.publish('work.lease._any', JSON.stringify(leaseRequest));
  nc.publish('work.lease._any', '{"v":1}', { reply: '_INBOX.a' });
  // Sent after all poisoned messages: its arrival shows that nothing was blocked.
  await worker.bus.reportStatus(statusOf(9));
  await worker.bus.publishLogs([logOf(9, 1)]);
  (await shard.statuses.next(({ message }) => message.task_id === taskOf(9))).acknowledge();
  (await reader.logs.next(({ message }) => message.task_id === taskOf(9))).acknowledge();

  const isPoisoned = ofType('poisoned');
  await shard.events.next(() => shard.events.all.filter(isPoisoned).length === 12);
  await reader.events.next(() => reader.events.all.filter(isPoisoned).length === 2);
  const reasons = shard.events.all.filter(isPoisoned).map(({ subject, reason }) => `${subject} ${reason}`);
  t.same(
    reasons.sort(),
    [
      `task.status.${JOB} exit_code: must be an integer from -2147483648 to 4294967295`,
      `task.status.${JOB} message: nested deeper than 32 levels`,
      `task.status.${JOB} message: not valid JSON`,
      `task.status.${JOB} message: not valid UTF-8`,
      `task.status.${JOB} v: is missing`,
      'task.status.other-job subject: must name the job of task_id',
      'work.lease._any reply: must be an inbox',
      'work.lease._any reply: must be an inbox',
      'work.lease._any worker_id: is missing',
      'work.lease.not-a-queue subject: must name a queue',
      'worker.heartbeat message: not valid JSON',
      'worker.register worker_id: is missing',
    ].sort(),
  );
  t.equal(await shard.bus.check(ANSWER_MS), null);
  t.equal(await reader.bus.check(ANSWER_MS), null);
  const manager = await managerOf(nc);
  for (const [stream, consumer] of [
    [STREAMS.status.name, 'shard-0-of-2'],
    [STREAMS.presence.name, 'shard-0-of-2'],
    [STREAMS.logs.name, 'logs'],
  ] as const) {
    const info = await manager.consumers.info(stream, consumer);
    t.equal(info.num_ack_pending, 0, `${stream}: the poisoned messages are not redelivered`);
    t.equal(info.num_redelivered, 0, stream);
  }
  t.equal(shard.leases.all.length, 0);
});

test('a listener that throws loses no message and keeps the connection', async (t) => {
  const { shard, worker } = await startHouse(t);
  shard.statuses.failOnce(new Error('a programming error'));
  await worker.bus.reportStatus(statusOf(1));
  const failed = await shard.events.next(ofType('listenerFailed'));
  t.match(failed, { subject: subjects.status(JOB), error: { message: 'a programming error' } });
  const again = await shard.statuses.next(() => true);
  t.equal(again.deliveryNumber, 2);
  again.acknowledge();
});

test('a report of a future version is discarded together with its headers', async (t) => {
  const { server, shard } = await startHouse(t);
  const nc = await server.connect();
  t.teardown(() => nc.close());
  const extra = headers();
  extra.set('Trace', 'x');
  nc.publish(subjects.status(JOB), JSON.stringify({ ...statusOf(1), v: 2 }), { headers: extra });
  t.match(await shard.events.next(ofType('poisoned')), { reason: 'v: must be 1' });
});
