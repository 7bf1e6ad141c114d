import fc from 'fast-check';
import { test } from 'tap';
import { jobId, queueId, type JobId, taskIdOf, workerId, farmId } from '../../../src/core/ids.ts';
import { batchEvents, eventsOf } from '../../../src/core/wire/event-batch.ts';
import type { DomainEvent } from '../../../src/core/wire/events.ts';

const JOBS = ['01890a5d-ac96-774b-bcce-b302099a8057', '01890a5d-ac96-774b-bcce-b302099a8058'].map(jobId);
const job = fc.constantFrom(...JOBS);
const uuid = fc.uuid();
const time = fc.constant('2026-11-20T10:00:00.123Z');
const anyText = fc.string({ unit: 'binary' });

const event: fc.Arbitrary<DomainEvent> = fc.oneof(
  fc
    .record({
      job_id: job,
      name: anyText,
      owner: anyText,
      queue_id: uuid.map(queueId),
      status: fc.constantFrom('running' as const, 'removed' as const),
      updated_at: time,
    })
    .map((payload) => ({ subject: 'jobs' as const, payload })),
  fc
    .tuple(
      job,
      fc.nat(1_000_000),
      fc.record(
        {
          name: anyText,
          status: fc.constantFrom('ready' as const, 'assigned' as const, 'succeeded' as const),
          worker_id: fc.oneof(fc.constant('' as const), uuid.map(workerId)),
          unschedulable_reason: anyText,
          updated_at: time,
          skipped: fc.constant(true as const),
          preempted: fc.constant(true as const),
          preemption_version: fc.nat(),
          progress: fc.double({ min: 0, max: 100, noNaN: true }),
          status_message: anyText,
        },
        { requiredKeys: ['name', 'status', 'worker_id', 'unschedulable_reason', 'updated_at'] },
      ),
    )
    .map(([id, index, { name, ...rest }]) => ({
      subject: 'tasks' as const,
      payload: { job_id: id, task_id: taskIdOf({ jobId: id, stepOrder: 0, index }), name, ...rest },
    })),
  fc
    .record({
      worker_id: uuid.map(workerId),
      name: anyText,
      hostname: anyText,
      farm_id: uuid.map(farmId),
      status: fc.constantFrom('online' as const, 'removed' as const),
    })
    .map((payload) => ({ subject: 'workers' as const, payload })),
  fc
    .record(
      {
        farm_id: uuid.map(farmId),
        status: fc.constantFrom('held' as const, 'ended' as const),
        kind: fc.constantFrom('usage pool' as const, 'compute location' as const),
        name: anyText,
        place: anyText,
        message: anyText,
        since: time,
        held_until: time,
        times: fc.nat(),
        failures: fc.nat(),
        jobs: fc.nat(),
        workers: fc.nat(),
        policy_version: fc.nat(),
        end_reason: fc.constantFrom('task passed' as const, 'turned off' as const),
        updated_at: time,
      },
      {
        requiredKeys: [
          'farm_id',
          'status',
          'kind',
          'name',
          'place',
          'message',
          'since',
          'held_until',
          'times',
          'failures',
          'jobs',
          'workers',
          'policy_version',
          'updated_at',
        ],
      },
    )
    .map((payload) => ({ subject: 'outages' as const, payload })),
  job.map((id) => ({ subject: 'tasks-lost' as const, payload: { job_id: id } })),
);

const jobOf = (each: DomainEvent | undefined): JobId | null =>
  each?.subject === 'tasks' || each?.subject === 'tasks-lost' ? each.payload.job_id : null;

const nameOf = (each: DomainEvent): string => jobOf(each) ?? each.subject;

test('each subject keeps its events, in order, formatted as by JSON.stringify', (t) => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 12, size: 'max' }), (events) => {
      const batches = batchEvents(events);
      const names = [...new Set(events.map(nameOf))];
      t.equal(batches.length, names.length);
      for (const [at, batch] of batches.entries()) {
        const own = events.filter((each) => nameOf(each) === names[at]);
        t.equal(
          batch.payloads,
          JSON.stringify(own.map(({ subject, payload }) => (subject === 'tasks-lost' ? null : payload))),
        );
        t.equal(batch.count, own.length);
        const [first] = own;
        t.equal(batch.jobId, jobOf(first));
        t.equal(JSON.stringify(eventsOf(batch)), JSON.stringify(own));
      }
    }),
  );
  t.end();
});

test('no events give no batch', (t) => {
  t.same(batchEvents([]), []);
  t.end();
});

test('progress 0 is written', (t) => {
  const [id = jobId('')] = JOBS;
  const payload = {
    job_id: id,
    task_id: taskIdOf({ jobId: id, stepOrder: 0, index: 0 }),
    name: 'n',
    status: 'running' as const,
    worker_id: '' as const,
    unschedulable_reason: '',
    updated_at: '2026-11-20T10:00:00.123Z',
    progress: 0,
  };
  const [batch] = batchEvents([{ subject: 'tasks', payload }]);
  t.equal(batch?.payloads, JSON.stringify([payload]));
  t.end();
});
