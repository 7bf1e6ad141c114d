import { test } from 'tap';
import type { Output } from '../../../../actors/kernel/output.ts';
import type { WindowFlush } from '../../../../actors/kernel/ports.ts';
import type { ServiceSystem } from '../../../../actors/service/service-system.ts';
import { createMemoryStore } from '../../../../src/adapters/memory/memory-store.ts';
import { FollowedJobs, followedMemory } from '../../../../src/adapters/system/followed-jobs.ts';
import { prepareFlush } from '../../../../actors/service/gateway/prepare-flush.ts';
import { mainThreadReplyTo, leaseReply } from '../../../../actors/service/gateway/reply-address.ts';
import { PoisonedReports } from '../../../../actors/service/gateway/accept-reports.ts';
import { ShardMeter } from '../../../../daemons/threads/shard-meter.ts';
import { attemptIdOf, queueId, taskIdOf, workerId, type JobId } from '../../../../src/core/ids.ts';
import { eventsOf } from '../../../../src/core/wire/event-batch.ts';
import type { TaskEvent } from '../../../../src/core/wire/events.ts';
import { jobNumber, uuid } from '../../../http/kit/records.ts';

type ServiceOutput = Output<ServiceSystem>;

const JOB = jobNumber(1);
const OTHER = jobNumber(2);
const WORKER = workerId(uuid('a', 7));
const AT = '2026-11-20T10:00:01Z';

const taskPayload = (job: JobId): TaskEvent => ({
  job_id: job,
  task_id: taskIdOf({ jobId: job, stepOrder: 0, index: 0 }),
  name: 'Render',
  status: 'running',
  worker_id: '',
  unschedulable_reason: '',
  updated_at: AT,
});
const taskEvent = (job: JobId): ServiceOutput => ({
  kind: 'effect',
  effect: { kind: 'event', event: { subject: 'tasks', payload: taskPayload(job) } },
});
const jobEvent = (job: JobId): ServiceOutput => ({
  kind: 'effect',
  effect: {
    kind: 'event',
    event: {
      subject: 'jobs',
      payload: {
        job_id: job,
        name: 'Shot',
        owner: '',
        queue_id: queueId(uuid('e', 1)),
        status: 'running',
        updated_at: AT,
      },
    },
  },
});

/** Flushes windows; `sent` lists what the bus, the main thread and the store thread receive, in order. */
function flushFixture() {
  const sent: string[] = [];
  const followed = new FollowedJobs(followedMemory());
  const meter = new ShardMeter(createMemoryStore(), () => true);
  const flush = (...outputs: readonly ServiceOutput[]): WindowFlush =>
    prepareFlush(outputs, 0, {
      bus: {
        prepareLease: () => 'prepared',
        preparePresence: () => 'prepared',
        takePrepared: () => () => sent.push('replies'),
        cancelAttempt: (worker, { reason }) => sent.push(`cancel ${reason} of ${worker}`),
      },
      confirmBus: () => undefined,
      tallies: { release: () => undefined },
      meter,
      poisoned: new PoisonedReports(),
      followed,
      mainThread: {
        publish: ({ answers, events }) => {
          for (const { to } of answers) sent.push(`answer ${to}`);
          for (const event of events.flatMap(eventsOf)) {
            const ofJob = 'job_id' in event.payload ? ` ${event.payload.job_id}` : '';
            sent.push(event.subject === 'workers' ? 'worker' : `${event.subject}${ofJob}`);
          }
        },
      },
      store: { requestApply: () => sent.push('apply') },
      logError: () => undefined,
      defer: queueMicrotask,
    });
  return { sent, followed, meter, flush };
}

test('task events are published for jobs that have a subscriber when the window is durable', (t) => {
  const { sent, followed, flush } = flushFixture();
  const leave = followed.follow(JOB);
  const window = flush(taskEvent(JOB), taskEvent(OTHER), jobEvent(OTHER));
  window.onDurable();
  t.strictSame(sent, ['replies'], 'clients receive nothing before it is readable');
  leave();
  followed.follow(OTHER);
  window.onReadable?.();
  t.strictSame(sent, ['replies', `tasks ${JOB}`, `jobs ${OTHER}`]);
  t.end();
});

test('the events of tasks that change together are built only for a subscriber', (t) => {
  const { sent, followed, flush } = flushFixture();
  let built = 0;
  const many = (jobId: JobId): ServiceOutput => ({
    kind: 'effect',
    effect: {
      kind: 'task-events',
      jobId,
      events: () => {
        built++;
        return [taskPayload(jobId), taskPayload(jobId)];
      },
    },
  });
  const lost = (jobId: JobId): ServiceOutput => ({
    kind: 'effect',
    effect: { kind: 'event', event: { subject: 'tasks-lost', payload: { job_id: jobId } } },
  });
  followed.follow(JOB);
  const window = flush(many(JOB), lost(JOB), many(OTHER), lost(OTHER));
  window.onDurable();
  window.onReadable?.();
  t.strictSame(sent, ['replies', `tasks ${JOB}`, `tasks ${JOB}`, `tasks-lost ${JOB}`]);
  t.equal(built, 1);
  t.end();
});

test('a window without outputs for clients has nothing to publish when it is readable', (t) => {
  const { sent, meter, flush } = flushFixture();
  const wait = meter.leaseRequested();
  const reply = { v: 1, type: 'leases', assignments: [], steps: {} } as const;
  const window = flush({ kind: 'reply', to: leaseReply('_INBOX.a', [], wait), answer: reply });
  t.equal(window.onReadable, null);
  t.equal(meter.take().leases.answered.empty, 0);
  window.onDurable();
  t.strictSame(sent, ['replies']);
  t.equal(meter.take().leases.answered.empty, 1);
  t.end();
});

test('an answer to a client requests an early apply', (t) => {
  const { sent, flush } = flushFixture();
  const window = flush({ kind: 'reply', to: mainThreadReplyTo(7), answer: 'yes' });
  window.onDurable();
  window.onReadable?.();
  t.strictSame(sent, ['apply', 'replies', 'answer 7']);
  t.end();
});

test('cancels are sent after the replies to workers, when the running function has ended', async (t) => {
  const { sent, flush } = flushFixture();
  const task = { jobId: JOB, stepOrder: 0, index: 0 };
  const message = {
    v: 1,
    task_id: taskIdOf(task),
    attempt_id: attemptIdOf({ ...task, attemptNumber: 1 }),
    reason: 'canceled by user',
  } as const;
  const window = flush({ kind: 'effect', effect: { kind: 'cancel', workerId: WORKER, message } });
  window.onDurable();
  sent.push('the window is processed');
  await Promise.resolve();
  t.strictSame(sent, ['replies', 'the window is processed', `cancel canceled by user of ${WORKER}`]);
});
