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
  let lastApplied = 0;
  let notices: JobNotice[] = [];
  const state = { store, renew: () => undefined };
  const changes = { lastAppliedNotice: () => lastApplied, take: () => notices.splice(0) };
  const lists = new JobLists(state, changes, new JobActivity(0));
  const running = (): number => lists.counts({ farmId: FARM, words: [] }).running;
  const noticeOf = (number: number): JobNotice => ({ number, keys: [jobNumber(1)], prefixes: [] });
  write('pending');
  t.equal(running(), 0);
  notices = [noticeOf(2)];
  t.equal(running(), 0, 'the second commit is not on disk');
  lastApplied = 1;
  notices = [noticeOf(1)];
  t.equal(running(), 0, 'the first one is');
  write('running');
  lastApplied = 2;
  t.equal(running(), 1);
  t.end();
});
