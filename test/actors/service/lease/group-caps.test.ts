import { test } from 'tap';
import type { FarmInput } from '../../../../actors/service/catalog/messages.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

const ONE_CORE = { needs: { cores: 1 } };

/** A farm with these settings and a worker of 8 cores. */
function cappedFarm(settings: Partial<FarmInput> = {}): TestFarm {
  const fixture = new TestFarm();
  fixture.replaceFarm(settings);
  fixture.register('w1', { cpu_count: 8 });
  fixture.takeOutputs();
  return fixture;
}

const submit = (fixture: TestFarm, name: string, owner: string, project = '') =>
  fixture.submit(name, [{ name: 's', tasks: 9, ...ONE_CORE }], { owner, project });

/** The tasks of the last lease. */
const leased = (fixture: TestFarm): string | undefined =>
  fixture
    .takeOutputs()
    .findLast((line) => line.startsWith('lease w1'))
    ?.replace('lease w1: ', '');

test('an owner at the cap is passed over, and a task that ends makes room for any job of the owner', (t) => {
  const fixture = cappedFarm({ ownerCaps: { ana: 2 } });
  submit(fixture, 'A', 'ana');
  submit(fixture, 'B', 'ana');
  submit(fixture, 'C', 'tomas');
  fixture.lease('w1');
  t.match(leased(fixture), /^A\/0\/0#1, A\/0\/1#1, C\/0\/0#1/, 'two of ana, then the next owner');
  fixture.lease('w1');
  t.equal(leased(fixture), undefined, 'the worker is full');
  fixture.report('A/0/0', 'succeeded', { exitCode: 0 });
  t.equal(leased(fixture), 'A/0/2#1', 'one task of ana has ended');
  fixture.lease('w1');
  fixture.report('C/0/0', 'succeeded', { exitCode: 0 });
  t.equal(leased(fixture), 'C/0/6#1', 'ana is at her cap');
  fixture.expectInvariants(t, 'capped owner');
  t.end();
});

test('a task of a full owner that ends lets a worker with a parked request take the next one', (t) => {
  const fixture = new TestFarm();
  fixture.replaceFarm({ ownerCaps: { ana: 1 } });
  for (const worker of ['w1', 'w2']) fixture.register(worker, { cpu_count: 1 });
  submit(fixture, 'A', 'ana');
  submit(fixture, 'B', 'ana');
  fixture.lease('w1');
  fixture.lease('w2');
  fixture.takeOutputs();
  fixture.report('A/0/0', 'succeeded', { exitCode: 0 });
  t.match(fixture.takeOutputs().at(-1), 'lease w2: A/0/1#1', 'w1 has not asked again');
  fixture.expectInvariants(t, 'another worker');
  t.end();
});

test('a star caps each owner that is not named, 0 exempts one, and jobs without an owner count together', (t) => {
  const fixture = cappedFarm({ ownerCaps: { '*': 1, tomas: 0 } });
  submit(fixture, 'A', 'ana');
  submit(fixture, 'B', 'bo');
  submit(fixture, 'N', '');
  submit(fixture, 'M', '');
  submit(fixture, 'C', 'tomas');
  fixture.lease('w1');
  t.equal(leased(fixture), 'A/0/0#1, B/0/0#1, N/0/0#1, C/0/0#1, C/0/1#1, C/0/2#1, C/0/3#1, C/0/4#1');
  t.end();
});

test('caps of projects and of queues hold besides those of the farm', (t) => {
  const fixture = cappedFarm({ projectCaps: { film: 3 } });
  fixture.replaceQueue({ ownerCaps: { ana: 1 } });
  const other = fixture.createQueue({ name: 'other' });
  submit(fixture, 'A', 'ana', 'film');
  fixture.submit('B', [{ name: 's', tasks: 9, ...ONE_CORE }], {
    owner: 'ana',
    project: 'film',
    queueId: other,
  });
  submit(fixture, 'C', 'tomas', 'film');
  fixture.lease('w1');
  t.equal(leased(fixture), 'A/0/0#1, B/0/0#1, B/0/1#1', 'one of ana in the queue, three of the project');
  fixture.expectInvariants(t, 'two caps');
  t.end();
});

test('changes apply at once, and running tasks continue', (t) => {
  const fixture = cappedFarm({ ownerCaps: { ana: 1 } });
  submit(fixture, 'A', 'ana');
  fixture.lease('w1');
  t.equal(leased(fixture), 'A/0/0#1');
  fixture.lease('w1');
  fixture.replaceFarm({ ownerCaps: { ana: 3 } });
  t.equal(leased(fixture), 'A/0/1#1, A/0/2#1', 'a raised cap serves the parked request');
  fixture.lease('w1');
  fixture.replaceFarm({ ownerCaps: { ana: 1 } });
  fixture.report('A/0/0', 'succeeded', { exitCode: 0 });
  t.equal(leased(fixture), undefined, 'two are live, one is allowed');
  fixture.replaceFarm({});
  t.equal(leased(fixture), undefined, 'settings without the field keep the caps');
  fixture.replaceFarm({ projectCaps: { '': 4 } });
  t.equal(leased(fixture), undefined, 'a cap of projects keeps those of owners');
  fixture.replaceFarm({ ownerCaps: {} });
  t.equal(leased(fixture), 'A/0/3#1, A/0/4#1', 'the live tasks count under the new cap of the project');
  fixture.lease('w1');
  fixture.replaceFarm({ projectCaps: {} });
  t.match(leased(fixture), /^A\/0\/5#1/);
  fixture.expectInvariants(t, 'removed');
  t.end();
});

test('after a restart of the service the caps count as before, also in a shared farm', (t) => {
  for (const queuePolicy of [{}, { kind: 'balanced' as const, sharedBy: 'owner' as const }]) {
    const fixture = cappedFarm({ ownerCaps: { ana: 2 }, queuePolicy });
    submit(fixture, 'A', 'ana');
    fixture.lease('w1');
    t.equal(leased(fixture), 'A/0/0#1, A/0/1#1');
    fixture.restart();
    fixture.heartbeat('w1', { open: ['A/0/0#1', 'A/0/1#1'] });
    submit(fixture, 'C', 'tomas');
    fixture.takeOutputs();
    fixture.lease('w1');
    t.match(leased(fixture), /^C\/0\/0#1/, 'ana is at her cap');
    fixture.expectInvariants(t, 'restarted');
  }
  t.end();
});

test('explain names the cap and its holders, and the farm counts what waits for it', (t) => {
  const fixture = cappedFarm({ ownerCaps: { ana: 2 } });
  fixture.replaceQueue({ projectCaps: { film: 1 } });
  submit(fixture, 'A', 'ana');
  submit(fixture, 'P', 'bo', 'film');
  fixture.lease('w1');
  fixture.takeOutputs();
  t.match(fixture.explain('A/0/2').groupCaps, [
    { by: 'owner', name: 'ana', queueId: null, maxConcurrentTasks: 2, live: 2, holders: [{ live: 2 }] },
  ]);
  t.match(fixture.explain('P/0/1').groupCaps, [
    {
      by: 'project',
      name: 'film',
      queueId: fixture.queue,
      maxConcurrentTasks: 1,
      live: 1,
      holders: [{ live: 1 }],
    },
  ]);
  t.match(fixture.explainFarm().groups, [
    { reason: 'project_cap', project: 'film', queueId: fixture.queue, tasks: 8, jobs: 1 },
    { reason: 'owner_cap', owner: 'ana', tasks: 7, jobs: 1 },
  ]);
  t.end();
});
