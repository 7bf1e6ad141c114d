import { test } from 'tap';
import { JobLists } from '../../../http/lists/job-lists.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { JobActivity } from '../../../src/core/history/job-activity.ts';
import type { JobNotice } from '../../../src/core/ports/committed-changes.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { FARM, jobNumber, jobRecord } from '../kit/records.ts';
import { NO_CALLBACKS } from '../../kit/commit-callbacks.ts';

test('a commit announced before an earlier one is listed when it is on disk', (t) => {
  const store = createMemoryStore();
  const job = jobRecord({ status: 'pending' });
  let sequence = 0;
  const write = (status: typeof job.status): void => {
    const changes = [put('job', keys.job(job.id), { ...job, status })];
    store.commit({ version: 1, shard: 0, sequence: ++sequence, changes }, NO_CALLBACKS);
    store.flushAll();
  };
  let lastReadable = 0;
  let notices: JobNotice[] = [];
  const state = { store, renew: () => undefined };
  const changes = { lastReadable: () => lastReadable, take: () => notices.splice(0) };
  const lists = new JobLists(state, changes, new JobActivity(0));
  const running = (): number => lists.counts({ farmId: FARM, words: [] }, null).running;
  const noticeOf = (transaction: number): JobNotice => ({ transaction, keys: [jobNumber(1)], prefixes: [] });
  write('pending');
  t.equal(running(), 0);
  notices = [noticeOf(2)];
  t.equal(running(), 0, 'the second commit is not on disk');
  lastReadable = 1;
  notices = [noticeOf(1)];
  t.equal(running(), 0, 'the first one is');
  write('running');
  lastReadable = 2;
  t.equal(running(), 1);
  t.end();
});

test('a commit during the update of the lists is in the page if it is in its snapshot', (t) => {
  const store = createMemoryStore();
  const job = jobRecord({ status: 'pending' });
  const notices: JobNotice[] = [];
  let commits = 0;
  let isDue = false;
  const state = {
    store,
    renew: () => {
      // Another thread commits a job at this moment: its notice is sent before the rows can be read.
      if (!isDue) return;
      isDue = false;
      notices.push({ transaction: ++commits, keys: [jobNumber(1)], prefixes: [] });
      const changes = [put('job', keys.job(job.id), job)];
      store.commit({ version: 1, shard: 0, sequence: commits, changes }, NO_CALLBACKS);
      store.flushAll();
    },
  };
  const changes = { lastReadable: () => commits, take: () => notices.splice(0) };
  const lists = new JobLists(state, changes, new JobActivity(0));
  const pending = (): number => lists.counts({ farmId: FARM, words: [] }, null).pending;
  t.equal(pending(), 0);
  isDue = true;
  t.equal(pending(), 1);
  t.end();
});
