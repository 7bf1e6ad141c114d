import { test } from 'tap';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { ShardMeter } from '../../../daemons/threads/shard-meter.ts';
import { farmId } from '../../../src/core/ids.ts';
import { NO_TASKS } from '../../../src/core/lifecycle/task-counts.ts';
import { put, type Change } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { farmRecord, jobRecord, uuid, workerRecord } from '../../http/kit/records.ts';
import { NO_CALLBACKS } from '../../kit/commit-callbacks.ts';

const OWN = farmId(uuid('f', 1));
const OTHER = farmId(uuid('f', 2));

test('a shard measures its own farms, starting with the stored state', (t) => {
  const store = createMemoryStore();
  const job = jobRecord({
    farmId: OWN,
    status: 'running',
    taskCounts: { ...NO_TASKS, total: 3, ready: 2, running: 1 },
  });
  const worker = workerRecord({ farmId: OWN, status: 'online' });
  const changes: Change[] = [
    put('farm', OWN, farmRecord({ id: OWN })),
    put('farm', OTHER, farmRecord({ id: OTHER })),
    put('job', job.id, job),
    put('activeJob', keys.activeJob(OWN, job.id), { version: 1 }),
    put('activeJob', keys.activeJob(OTHER, job.id), { version: 1 }),
    put('worker', worker.id, worker),
    put('worker', 'other', { ...worker, farmId: OTHER }),
  ];
  store.commit({ version: 1, shard: 0, sequence: 1, changes }, NO_CALLBACKS);
  store.flushAll();
  const meter = new ShardMeter(store, (farm) => farm === OWN);
  const { state } = meter.take();
  t.equal(state.jobs.running, 1);
  t.strictSame(state.tasks, { pending: 0, ready: 2, assigned: 0, running: 1, unschedulable: 0 });
  t.strictSame(state.workers, { online: 1, offline: 0, disabled: 0 });

  const committed = meter.committing([put('job', job.id, { ...job, status: 'canceled' })]);
  t.equal(meter.take().state.jobs.running, 1, 'not yet durable');
  committed();
  const after = meter.take();
  t.equal(after.state.jobs.running, 0);
  t.equal(
    after.commits.counts.reduce((sum, count) => sum + count, 0),
    1,
  );
  t.end();
});

test('redeliveries and parked lease requests are counted', (t) => {
  const meter = new ShardMeter(createMemoryStore(), () => true);
  for (const deliveryNumber of [1, 1, 2, 3]) meter.delivered('status', deliveryNumber);
  meter.delivered('presence', 2);
  const asked = (inbox: string) => ({ inbox, wait: meter.leaseRequested() });
  const [a, b] = [asked('a'), asked('b')];
  for (const { inbox, wait } of [a, b]) meter.leaseSettled(inbox, wait);
  meter.leaseAnswered(b, { v: 1, type: 'leases', assignments: [], steps: {} }, 0);
  meter.leaseAnswered(asked('c'), { v: 1, type: 'unknown' }, 0);
  const { redeliveries, leases, parkedRequests } = meter.take();
  t.strictSame(redeliveries, { status: 2, presence: 1 });
  t.strictSame(leases.answered, { leased: 0, empty: 1, unknown: 1 });
  t.equal(parkedRequests, 1);
  t.strictSame(meter.take().redeliveries, { status: 0, presence: 0 });
  t.end();
});
