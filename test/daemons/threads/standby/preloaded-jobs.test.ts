import { once } from 'node:events';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { test, type Test } from 'tap';
import { loadJob, type JobState } from '../../../../actors/service/job/job-actor.ts';
import { layOutManyJobs } from '../../../../bench/kit/many-jobs.ts';
import { PreloadedJobs, type JobTimer } from '../../../../daemons/threads/standby/preloaded-jobs.ts';
import { encodeChangeSet, readChangeSet } from '../../../../src/adapters/lmdb/change-set-codec.ts';
import { openStateReader } from '../../../../src/adapters/lmdb/state-reader.ts';
import { openStateWriter } from '../../../../src/adapters/lmdb/state-writer.ts';
import { TouchedJobsPublisher } from '../../../../src/adapters/lmdb/touched-jobs.ts';
import type { StoreReader } from '../../../../src/core/ports/store.ts';
import { put, type Change } from '../../../../src/core/records/change-set.ts';
import { keys } from '../../../../src/core/records/tables.ts';
import { writerOptions } from '../../../adapters/lmdb/store-kit.ts';

const RETRY = { maxAttempts: 3, retryDelaySeconds: 10, failureLimit: 0 };
const JOBS = 25;

const load = (id: string, reader: StoreReader): JobState | null => loadJob(id, reader, RETRY, 30_000);

/** A timer that a test moves. */
class ManualTimer implements JobTimer {
  #run: (() => void) | null = null;
  #onSet: (() => void) | null = null;

  set(run: () => void): void {
    this.#run = run;
    this.#onSet?.();
  }

  clear(): void {
    this.#run = null;
  }

  /** Resolves when something is set. */
  untilSet(): Promise<void> {
    if (this.#run !== null) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onSet = resolve;
    });
  }

  fire(): void {
    const run = this.#run;
    this.#run = null;
    run?.();
  }
}

/** A store with jobs, its writer with the notices of a follower, and states that a shard in standby keeps. */
async function openStandby(t: Test, loading = load) {
  const directory = join(t.testdir(), 'state');
  await layOutManyJobs(directory, { jobs: JOBS, tasksEach: 10, signatures: 3, doneEach: 4 });
  const writer = await openStateWriter(writerOptions(directory));
  const reader = await openStateReader(directory);
  const { port1, port2 } = new MessageChannel();
  const publisher = new TouchedJobsPublisher(port1);
  const timer = new ManualTimer();
  const preloaded = new PreloadedJobs<JobState>(reader, () => true, loading, port2, timer);
  t.teardown(async () => {
    publisher.close();
    preloaded.end();
    await reader.close();
    await writer.close();
  });
  const ids = [...reader.scan('job')].map(({ key }) => key);
  let sequence = 0;
  /** Applies changes of another node, as the store thread does. */
  const apply = (...changes: readonly Change[]): void => {
    sequence++;
    const set = readChangeSet(encodeChangeSet({ version: 1, shard: 0, sequence, changes }));
    publisher.beforeApply([set]);
    writer.apply([set]);
    publisher.afterApply();
  };
  const job = (nth: number) => {
    const record = reader.get('job', ids[nth] ?? '');
    if (record === undefined) throw new Error(`there is no job ${nth}`);
    return record;
  };
  /** The first notice: from now on, changes are noticed. */
  const startLoading = async (): Promise<void> => {
    port1.postMessage({ v: 1, jobs: [], isEveryJob: true });
    await timer.untilSet();
  };
  const loadAll = (): void => {
    for (let batches = 0; batches <= JOBS; batches++) timer.fire();
  };
  return { reader, publisher, preloaded, timer, ids, apply, job, startLoading, loadAll, notices: port2 };
}

test('the states of all active jobs are kept, as a load returns them, and given away once', async (t) => {
  const { preloaded, reader, ids, startLoading, loadAll } = await openStandby(t);
  t.equal(preloaded.size, 0, 'nothing is loaded before changes are noticed');
  await startLoading();
  loadAll();
  t.equal(preloaded.size, JOBS);
  preloaded.begin();
  for (const id of ids) t.same(preloaded.take(id), load(id, reader));
  t.equal(preloaded.take(ids[0] ?? ''), undefined);
});

test('a state is dropped when a row of its job has changed, until the beginning itself', async (t) => {
  const { preloaded, publisher, reader, ids, apply, job, startLoading, loadAll } = await openStandby(t);
  await startLoading();
  loadAll();
  apply(put('job', keys.job(job(3).id), { ...job(3), priority: 70 }));
  const key = keys.step(job(4).id, 0);
  const step = reader.get('step', key);
  if (step === undefined) throw new Error('there is no step');
  apply(put('step', key, { ...step, status: 'running' }));
  publisher.flush();
  preloaded.begin();
  t.equal(preloaded.size, JOBS - 2, 'the notice was in the port, and no event had delivered it');
  t.equal(preloaded.take(ids[3] ?? ''), undefined);
  t.equal(preloaded.take(ids[4] ?? ''), undefined);
});

test('a touched job is loaded again when a search finds it untouched', async (t) => {
  const { preloaded, publisher, reader, notices, timer, ids, apply, job, startLoading, loadAll } =
    await openStandby(t);
  await startLoading();
  loadAll();
  apply(put('job', keys.job(job(3).id), { ...job(3), priority: 70 }));
  publisher.flush();
  await once(notices, 'message');
  timer.fire();
  t.equal(preloaded.size, JOBS - 1, 'it was touched since the search before');
  loadAll();
  t.equal(preloaded.size, JOBS);
  preloaded.begin();
  t.equal(preloaded.take(ids[3] ?? '')?.record.priority, 70);
  t.equal(reader.get('job', ids[3] ?? '')?.priority, 70);
});

test('settings that jobs inherit concern every state', async (t) => {
  const { preloaded, publisher, reader, apply, startLoading, loadAll } = await openStandby(t);
  await startLoading();
  loadAll();
  const [queue] = reader.scan('queue', { limit: 1 });
  if (queue === undefined) throw new Error('there is no queue');
  apply(put('queue', queue.key, { ...queue.value, retry: { maxAttempts: 9 } }));
  publisher.flush();
  preloaded.begin();
  t.equal(preloaded.size, 0);
});

test('a state that depends on rows of others is not kept', async (t) => {
  const reading = (id: string, reader: StoreReader): JobState | null => {
    const state = load(id, reader);
    if (state?.record.name.startsWith('shot_00003') === true) [...reader.scan('worker')].at(0);
    return state;
  };
  const { preloaded, ids, startLoading, loadAll } = await openStandby(t, reading);
  await startLoading();
  loadAll();
  preloaded.begin();
  t.equal(preloaded.size, JOBS - 1);
  t.equal(preloaded.take(ids[3] ?? ''), undefined);
});
