import { test } from 'tap';
import type { WindowFlush } from '../../../actors/kernel/ports.ts';
import type { ServiceSystem } from '../../../actors/service/service-system.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { FollowedJobs, followedMemory } from '../../../src/adapters/system/followed-jobs.ts';
import { prepareFlush } from '../../../daemons/threads/prepare-flush.ts';
import { mainThreadReplyTo, leaseReply } from '../../../daemons/threads/reply-address.ts';
import { PoisonedReports } from '../../../daemons/threads/piggybacked-reports.ts';
import { ShardMeter } from '../../../daemons/threads/shard-meter.ts';
import { queueId, taskIdOf, type JobId } from '../../../src/core/ids.ts';
import { eventsOf } from '../../../src/core/wire/event-batch.ts';
import { jobNumber, uuid } from '../../http/kit/records.ts';
import type { Output } from '../../../actors/kernel/output.ts';

type ServiceOutput = Output<ServiceSystem>;

const JOB = jobNumber(1);
const OTHER = jobNumber(2);
const AT = '2026-11-20T10:00:01Z';

const taskEvent = (job: JobId): ServiceOutput => ({
  kind: 'effect',
  effect: {
    kind: 'event',
    event: {
      subject: 'tasks',
      payload: {
        job_id: job,
        task_id: taskIdOf({ jobId: job, stepOrder: 0, index: 0 }),
        name: 'Render',
        status: 'running',
        worker_id: '',
        unschedulable_reason: '',
        updated_at: AT,
      },
    },
  },
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

/** Lets out what a window has said; `heard` is what the bus, the front and the store thread get, in order. */
function openOutlets() {
  const heard: string[] = [];
  const followed = new FollowedJobs(followedMemory());
  const meter = new ShardMeter(createMemoryStore(), () => true);
  const letOut = (...outputs: readonly ServiceOutput[]): WindowFlush =>
    prepareFlush(outputs, 0, {
      bus: {
        prepareLease: () => 'prepared',
        preparePresence: () => 'prepared',
        takePrepared: () => () => heard.push('replies'),
        cancelAttempt: () => undefined,
      },
      tallies: { release: () => undefined },
      meter,
      rides: new PoisonedReports(),
      followed,
      front: {
        tell: ({ answers, events }) => {
          for (const { to } of answers) heard.push(`answer ${to}`);
          for (const event of events.flatMap(eventsOf)) {
            heard.push(event.subject === 'workers' ? 'worker' : `${event.subject} ${event.payload.job_id}`);
          }
        },
      },
      store: { requestApply: () => heard.push('read soon') },
      tell: () => undefined,
    });
  return { heard, followed, meter, letOut };
}

test('events of tasks are said of jobs that were followed when their window came to the disk', (t) => {
  const { heard, followed, letOut } = openOutlets();
  const leave = followed.follow(JOB);
  const window = letOut(taskEvent(JOB), taskEvent(OTHER), jobEvent(OTHER));
  window.durable();
  t.strictSame(heard, ['replies'], 'readers hear of nothing that they cannot read');
  leave();
  followed.follow(OTHER);
  window.readable?.();
  t.strictSame(heard, ['replies', `tasks ${JOB}`, `jobs ${OTHER}`]);
  t.end();
});

test('a window from which readers hear nothing leaves nothing to be done when it can be read', (t) => {
  const { heard, meter, letOut } = openOutlets();
  const wait = meter.leaseRequested();
  const reply = { v: 1, type: 'leases', assignments: [], steps: {} } as const;
  const window = letOut({ kind: 'reply', to: leaseReply('_INBOX.a', [], wait), answer: reply });
  t.equal(window.readable, null);
  t.equal(meter.take().leases.answered.empty, 0);
  window.durable();
  t.strictSame(heard, ['replies']);
  t.equal(meter.take().leases.answered.empty, 1);
  t.end();
});

test('who waits for an answer has the store read soon', (t) => {
  const { heard, letOut } = openOutlets();
  const window = letOut({ kind: 'reply', to: mainThreadReplyTo(7), answer: 'yes' });
  window.durable();
  window.readable?.();
  t.strictSame(heard, ['read soon', 'replies', 'answer 7']);
  t.end();
});
