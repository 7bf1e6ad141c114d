import { test } from 'tap';
import { createMemoryStore } from '../../../../src/adapters/memory/memory-store.ts';
import { jobId } from '../../../../src/core/ids.ts';
import { put } from '../../../../src/core/records/change-set.ts';
import { keys } from '../../../../src/core/records/tables.ts';
import { jobPlan } from '../../../kit/plans.ts';
import { TestFarm } from '../../../kit/test-farm.ts';
import { NO_CALLBACKS } from '../../../kit/commit-callbacks.ts';

const JOB = jobId('01890a5d-ac96-774b-bcce-b302099a8057');
const STEPS = [{ name: 's', tasks: 2 }];

test('a job with a stored plan and template gets their id and leaves them unchanged', (t) => {
  const store = createMemoryStore();
  const farm = new TestFarm({}, store);
  const plan = { ...jobPlan('large', STEPS), jobName: 'as it was stored' };
  const template = { version: 1, format: 'yaml', text: 'large' } as const;
  const changes = [
    put('comingJob', keys.comingJob(JOB), { version: 1 }),
    put('plan', keys.plan(JOB), plan),
    put('template', keys.template(JOB), template),
  ];
  store.commit({ version: 1, shard: 7, sequence: 1, changes }, NO_CALLBACKS);
  store.flushAll();
  farm.submit('large', STEPS, { template: { provisionalJobId: JOB } });
  t.equal(farm.jobId('large'), JOB);
  t.match(store.get('job', keys.job(JOB)), { id: JOB, name: 'large', taskCounts: { ready: 2 } });
  t.strictSame(store.get('plan', keys.plan(JOB)), plan);
  t.strictSame(store.get('template', keys.template(JOB)), template);
  t.strictSame([...store.scan('comingJob')], []);
  farm.expect(t, 'submitted', ['job large pending', 'submit large: ok']);
  t.end();
});
