import { t as tap, test } from 'tap';
import { openStateReader, type StateReader } from '../../../src/adapters/lmdb/state-reader.ts';
import { encodeValue } from '../../../src/adapters/lmdb/value-encoder.ts';
import { jobId, type JobId } from '../../../src/core/ids.ts';
import type { LargeRows } from '../../../src/core/ports/large-jobs.ts';
import { put, remove, type Change, type ChangeSet } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { TemplateRecord } from '../../../src/core/records/job.ts';
import { jobNumber, jobPlan, jobRecord } from '../../http/kit/records.ts';
import { farmNamed } from './fixed-rows.ts';
import { attach, committed, startStore, threadOptions } from './store-kit.ts';

/** In milliseconds: the test starts threads. */
tap.setTimeout(60_000);

const TEMPLATE: TemplateRecord = { version: 1, format: 'json', text: 'x'.repeat(300_000) };
const PLAN = { ...jobPlan([]), jobName: 'y'.repeat(300_000) };

const rowsOfLargeJob = (): LargeRows => ({
  template: new Uint8Array(encodeValue('template', TEMPLATE)),
  plan: new Uint8Array(encodeValue('plan', PLAN)),
});

const idOf = (number: number): JobId => jobId(jobNumber(number));

const setOf = (sequence: number, ...changes: Change[]): ChangeSet => ({
  version: 1,
  shard: 0,
  sequence,
  changes,
});

/** Rows that the shard writes when it creates the job. */
const made = (sequence: number, id: JobId): ChangeSet =>
  setOf(sequence, remove('comingJob', keys.comingJob(id)), put('job', keys.job(id), jobRecord({ id })));

function storedOf(reader: StateReader, id: JobId): object {
  reader.refresh();
  return {
    template: reader.get('template', keys.template(id)),
    plan: reader.get('plan', keys.plan(id)),
    isComing: reader.get('comingJob', keys.comingJob(id)) !== undefined,
    isThere: reader.get('job', keys.job(id)) !== undefined,
  };
}

const NOTHING = { template: undefined, plan: undefined, isComing: false, isThere: false };

test('rows of a provisional job are complete, and are kept when the job is created', async (t) => {
  const directory = t.testdir();
  const thread = await startStore(threadOptions(directory));
  const client = attach(thread);
  const reader = await openStateReader(directory);
  const id = idOf(1);
  await thread.storeProvisionalJob(id, rowsOfLargeJob());
  t.strictSame(storedOf(reader, id), { template: TEMPLATE, plan: PLAN, isComing: true, isThere: false });
  await committed(client, made(1, id));
  const whole = { template: TEMPLATE, plan: PLAN, isComing: false, isThere: true };
  t.strictSame(storedOf(reader, id), whole);
  thread.discardProvisionalJob(id);
  await thread.storeProvisionalJob(idOf(2), rowsOfLargeJob());
  t.strictSame(storedOf(reader, id), whole, 'the rows of an existing job are kept');
  await reader.close();
  await thread.stop();
});

test('several provisional jobs are stored between the commits of a shard', async (t) => {
  const directory = t.testdir();
  const thread = await startStore(threadOptions(directory));
  const client = attach(thread);
  const reader = await openStateReader(directory);
  const ids = [1, 2, 3].map(idOf);
  const order: string[] = [];
  await Promise.all([
    ...ids.map((id, nth) =>
      thread.storeProvisionalJob(id, rowsOfLargeJob()).then(() => order.push(`ahead ${nth}`)),
    ),
    ...[1, 2, 3].map((nth) => committed(client, setOf(nth, put('farm', `f${nth}`, farmNamed('x'))))),
  ]);
  t.strictSame(order, ['ahead 0', 'ahead 1', 'ahead 2']);
  t.equal([...reader.scan('farm')].length, 3);
  for (const id of ids) t.match(storedOf(reader, id), { template: TEMPLATE, plan: PLAN, isComing: true });
  await reader.close();
  await thread.stop();
});

test('the rows of an abandoned provisional job are removed', async (t) => {
  const directory = t.testdir();
  const thread = await startStore(threadOptions(directory));
  const client = attach(thread);
  const reader = await openStateReader(directory);
  await thread.storeProvisionalJob(idOf(1), rowsOfLargeJob());
  thread.discardProvisionalJob(idOf(1));
  thread.discardProvisionalJob(idOf(2));
  await thread.storeProvisionalJob(idOf(3), rowsOfLargeJob());
  t.strictSame(storedOf(reader, idOf(1)), NOTHING);
  t.match(storedOf(reader, idOf(3)), { template: TEMPLATE, plan: PLAN, isComing: true });
  await committed(client, made(1, idOf(3)));
  await reader.close();
  await thread.stop();
});

test('a start removes only the rows of provisional jobs', async (t) => {
  const directory = t.testdir();
  const first = await startStore(threadOptions(directory));
  const client = attach(first);
  await first.storeProvisionalJob(idOf(1), rowsOfLargeJob());
  await first.storeProvisionalJob(idOf(2), rowsOfLargeJob());
  await committed(client, made(1, idOf(2)));
  // At most the first piece of this job is stored before the stop.
  void first.storeProvisionalJob(idOf(3), rowsOfLargeJob());
  await first.stop();
  const second = await startStore(threadOptions(directory));
  const reader = await openStateReader(directory);
  t.strictSame(storedOf(reader, idOf(1)), NOTHING);
  t.strictSame(storedOf(reader, idOf(2)), {
    template: TEMPLATE,
    plan: PLAN,
    isComing: false,
    isThere: true,
  });
  t.strictSame(storedOf(reader, idOf(3)), NOTHING);
  await reader.close();
  await second.stop();
});
