import { test } from 'tap';
import { workerId } from '../../../../src/core/ids.ts';
import type { QueuePolicySetting } from '../../../../src/core/records/queue-policy.ts';
import { keys } from '../../../../src/core/records/tables.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

type Policy = Omit<QueuePolicySetting, 'version'>;

const BALANCED: Policy = {
  kind: 'balanced',
  sharedBy: 'owner',
  weights: [],
  halfLifeSeconds: 3600,
  priorityFirst: true,
};
const WEIGHTED: Policy = { ...BALANCED, kind: 'weighted' };

const ONE_CORE = { needs: { cores: 1 } };

/** A farm with this policy, and workers of 4 cores each. */
function sharedFarm(queuePolicy: Policy | null, workers = 1, farm = new TestFarm()): TestFarm {
  if (queuePolicy !== null) farm.replaceFarm({ queuePolicy });
  for (let at = 1; at <= workers; at++) farm.register(`w${at}`, { cpu_count: 4 });
  farm.takeOutputs();
  return farm;
}

const submit = (
  farm: TestFarm,
  name: string,
  owner: string,
  some: { priority?: number; tasks?: number } = {},
) =>
  farm.submit(name, [{ name: 's', tasks: some.tasks ?? 9, ...ONE_CORE }], {
    owner,
    priority: some.priority ?? 50,
  });

/** Returns the tasks of the lease, or an empty text if the request waits. */
function leaseOf(farm: TestFarm, worker = 'w1'): string {
  farm.takeOutputs();
  farm.lease(worker);
  const prefix = `lease ${worker}: `;
  return (
    farm
      .takeOutputs()
      .find((text) => text.startsWith(prefix))
      ?.slice(prefix.length) ?? ''
  );
}

test('balanced gives owners equal numbers of cores', (t) => {
  const farm = sharedFarm(BALANCED);
  submit(farm, 'A', 'ana');
  submit(farm, 'B', 'ana');
  submit(farm, 'C', 'tomas');
  t.equal(leaseOf(farm), 'A/0/0#1, A/0/1#1, C/0/0#1, C/0/1#1');
  farm.report('A/0/0', 'succeeded');
  t.equal(leaseOf(farm), 'A/0/2#1', 'ana has one core less');
  t.end();
});

test('without a policy, the oldest job takes all', (t) => {
  const farm = sharedFarm(null);
  submit(farm, 'A', 'ana');
  submit(farm, 'C', 'tomas');
  t.equal(leaseOf(farm), 'A/0/0#1, A/0/1#1, A/0/2#1, A/0/3#1');
  const [booking] = farm.store.get('booking', keys.booking(workerId('id-of-w1')))?.bookings ?? [];
  t.strictSame(Object.keys(booking ?? {}), ['attemptId', 'cores'], 'the rows are as before');
  t.strictSame([...farm.store.scan('shareUsage')], [], 'no usage is stored');
  t.end();
});

test('priority comes before shares, unless the policy says otherwise', (t) => {
  const first = sharedFarm(BALANCED);
  submit(first, 'A', 'ana', { priority: 80 });
  submit(first, 'C', 'tomas');
  t.equal(leaseOf(first), 'A/0/0#1, A/0/1#1, A/0/2#1, A/0/3#1');
  const shared = sharedFarm({ ...BALANCED, priorityFirst: false });
  submit(shared, 'A', 'ana', { priority: 80 });
  submit(shared, 'C', 'tomas');
  t.equal(leaseOf(shared), 'A/0/0#1, A/0/1#1, C/0/0#1, C/0/1#1');
  t.end();
});

test('jobs and projects share a farm too', (t) => {
  const byJob = sharedFarm({ ...BALANCED, sharedBy: 'job' });
  for (const name of ['A', 'B', 'C', 'D']) submit(byJob, name, 'ana');
  t.equal(leaseOf(byJob), 'A/0/0#1, B/0/0#1, C/0/0#1, D/0/0#1');
  const byProject = sharedFarm({ ...BALANCED, sharedBy: 'project' });
  byProject.submit('A', [{ name: 's', tasks: 9, ...ONE_CORE }], { project: 'film' });
  byProject.submit('B', [{ name: 's', tasks: 9, ...ONE_CORE }]);
  t.equal(leaseOf(byProject), 'A/0/0#1, A/0/1#1, B/0/0#1, B/0/1#1');
  t.end();
});

test('weighted shares by queue, and remembers usage', (t) => {
  const farm = sharedFarm(null);
  const night = farm.createQueue({ name: 'night' });
  farm.replaceFarm({
    queuePolicy: { ...WEIGHTED, sharedBy: 'queue', weights: [{ name: night, weight: 3 }] },
  });
  farm.submit('A', [{ name: 's', tasks: 9, ...ONE_CORE }]);
  farm.submit('N', [{ name: 's', tasks: 9, ...ONE_CORE }], { queueId: night });
  t.equal(leaseOf(farm), 'A/0/0#1, N/0/0#1, N/0/1#1, N/0/2#1', 'three of four cores');
  const tasks = ['A/0/0', 'N/0/0', 'N/0/1', 'N/0/2'];
  for (const task of tasks) farm.report(task, 'running');
  farm.beating.add('w1');
  farm.advance(600_000);
  for (const task of tasks) farm.report(task, 'succeeded');
  farm.submit('X', [{ name: 's', tasks: 9, ...ONE_CORE }], { queueId: farm.createQueue({ name: 'new' }) });
  t.match(
    leaseOf(farm),
    /^X\/0\/0#1, X\/0\/1#1, X\/0\/2#1, X\/0\/3#1$/,
    'a queue without usage makes up for it',
  );
  t.end();
});

test('the usage is stored with the tasks, and a restarted service decides by it', (t) => {
  const farm = sharedFarm(WEIGHTED);
  submit(farm, 'A', 'ana');
  t.equal(leaseOf(farm), 'A/0/0#1, A/0/1#1, A/0/2#1, A/0/3#1');
  farm.report('A/0/0', 'running');
  farm.advance(20_000);
  farm.report('A/0/0', 'succeeded');
  const row = farm.store.get('shareUsage', keys.shareUsage(farm.farm, 'ana'));
  t.equal(Math.round(row?.usage ?? 0), 80, 'four cores for 20 seconds');
  submit(farm, 'C', 'tomas');
  farm.restart();
  t.match(farm.explain('A/0/4').share, {
    sharer: 'ana',
    cores: 3,
    ahead: [{ sharer: 'tomas', jobs: 1, tasks: 9 }],
  });
  t.equal(leaseOf(farm), 'C/0/0#1', 'tomas has used nothing');
  t.end();
});

test('usage of minutes that a clock set back takes away is stored', (t) => {
  const farm = sharedFarm(WEIGHTED);
  submit(farm, 'A', 'ana');
  leaseOf(farm);
  for (const task of ['A/0/0', 'A/0/1', 'A/0/2', 'A/0/3']) farm.report(task, 'running');
  farm.beating.add('w1');
  farm.advance(600_000);
  const rowOf = () => farm.store.get('shareUsage', keys.shareUsage(farm.farm, 'ana'));
  const before = rowOf()?.usage ?? 0;
  farm.now -= 300_000;
  submit(farm, 'C', 'tomas');
  t.ok((rowOf()?.usage ?? 0) > before + 2000, 'four cores for about ten minutes');
  const known = farm.explain('A/0/4').share;
  farm.restart();
  t.strictSame(farm.explain('A/0/4').share, known, 'a restarted service knows the same usage');
  t.end();
});

test('each assigned task has the reason and the version of the policy', (t) => {
  const farm = sharedFarm(BALANCED);
  submit(farm, 'A', 'ana');
  submit(farm, 'C', 'tomas');
  leaseOf(farm);
  const stored = farm.store.get('booking', keys.booking(workerId('id-of-w1')))?.bookings ?? [];
  const reason = { version: 1, kind: 'balanced', sharedBy: 'owner' };
  t.match(
    stored.map((booking) => booking.reason),
    [
      { ...reason, sharer: 'ana', cores: 0 },
      { ...reason, sharer: 'ana', cores: 0 },
      { ...reason, sharer: 'tomas', cores: 0 },
      { ...reason, sharer: 'tomas', cores: 0 },
    ],
  );
  farm.restart();
  t.match(farm.explain('A/0/2').share, { version: 1, kind: 'balanced', cores: 2, ratio: 1 });
  t.end();
});

test('weights that an earlier policy has left do not count in an equal share', (t) => {
  const farm = sharedFarm({ ...BALANCED, weights: [{ name: 'ana', weight: 3 }] });
  submit(farm, 'A', 'ana');
  leaseOf(farm);
  submit(farm, 'C', 'tomas');
  t.match(farm.explain('A/0/8').share, { kind: 'balanced', sharer: 'ana', ratio: 2 });
  t.match(farm.explain('C/0/2').share, { kind: 'balanced', sharer: 'tomas', ratio: 0 });
  t.end();
});

test('a change of the policy counts for the next lease, and forgets usage of other shares', (t) => {
  const farm = sharedFarm(WEIGHTED);
  submit(farm, 'A', 'ana');
  leaseOf(farm);
  t.equal([...farm.store.scan('shareUsage')].length, 1);
  farm.replaceFarm({ queuePolicy: { ...WEIGHTED, weights: [{ name: 'ana', weight: 2 }] } });
  t.equal([...farm.store.scan('shareUsage')].length, 1, 'other weights keep it');
  t.equal(farm.explain('A/0/4').share?.version, 2);
  farm.replaceFarm({ queuePolicy: { ...WEIGHTED, sharedBy: 'project' } });
  t.strictSame(
    [...farm.store.scan('shareUsage')].map(({ value }) => [value.name, value.usage]),
    [['', 0]],
    'cores in use count for projects from now on',
  );
  farm.replaceFarm({ queuePolicy: { ...BALANCED, kind: 'fifo' } });
  t.strictSame([...farm.store.scan('shareUsage')], []);
  t.equal(farm.explain('A/0/4').share, undefined);
  farm.replaceFarm({ queuePolicy: WEIGHTED });
  t.equal([...farm.store.scan('shareUsage')].length, 1);
  farm.cancelJob('A');
  farm.deleteFarm();
  t.strictSame([...farm.store.scan('shareUsage')], [], 'a deleted farm leaves none');
  t.end();
});

test('the cores of a worker that goes offline are no longer in use', (t) => {
  const farm = sharedFarm(BALANCED, 2);
  submit(farm, 'A', 'ana');
  leaseOf(farm);
  t.equal(farm.explain('A/0/5').share?.cores, 4);
  farm.beating.add('w2');
  farm.advance(300_000);
  t.equal(farm.explain('A/0/5').share?.cores, 0);
  t.end();
});
