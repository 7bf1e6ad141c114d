import { test } from 'tap';
import type { FarmInput } from '../../../../actors/service/catalog/messages.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

/**
 * Five jobs of one task each, the last of which is running. The service has restarted and activated two of them. The
 * others are activated as time passes.
 */
function restarted(farm: Partial<FarmInput> = {}): TestFarm {
  const fixture = new TestFarm({ recoveryBatchSize: 2 });
  fixture.replaceFarm(farm);
  fixture.register('w1', { cpu_count: 1 });
  fixture.register('w2', { cpu_count: 8 });
  for (const name of ['A', 'B', 'C', 'D']) fixture.submit(name, [{ name: 's', tasks: 1 }]);
  fixture.submit('E', [{ name: 's', tasks: 1 }], { priority: 90 });
  fixture.lease('w1');
  fixture.report('E/0/0', 'running');
  fixture.restart();
  fixture.takeOutputs();
  return fixture;
}

test('no task is leased before every job has reported, and then all of them are', (t) => {
  const fixture = restarted();
  fixture.lease('w2');
  t.strictSame(fixture.takeOutputs(), [], 'the request waits');
  fixture.advance(0);
  fixture.expect(t, 'all jobs are known', [
    'task A/0/0 assigned w2',
    'job A running',
    'task B/0/0 assigned w2',
    'job B running',
    'task C/0/0 assigned w2',
    'job C running',
    'task D/0/0 assigned w2',
    'job D running',
    'lease w2: A/0/0#1, B/0/0#1, C/0/0#1, D/0/0#1',
  ]);
  t.end();
});

test('live tasks of the job that is activated last count against the cap', (t) => {
  const fixture = restarted({ maxConcurrentTasks: 2 });
  fixture.lease('w2');
  fixture.advance(0);
  fixture.expect(t, 'one task is live', ['task A/0/0 assigned w2', 'job A running', 'lease w2: A/0/0#1']);
  t.end();
});

test('jobs may end and arrive before they are activated', (t) => {
  const fixture = restarted();
  fixture.report('E/0/0', 'succeeded');
  fixture.cancelJob('D');
  fixture.submit('F', [{ name: 's', tasks: 1 }]);
  fixture.takeOutputs();
  fixture.lease('w2');
  fixture.advance(0);
  fixture.expect(t, 'the remaining jobs', [
    'task A/0/0 assigned w2',
    'job A running',
    'task B/0/0 assigned w2',
    'job B running',
    'task C/0/0 assigned w2',
    'job C running',
    'task F/0/0 assigned w2',
    'job F running',
    'lease w2: A/0/0#1, B/0/0#1, C/0/0#1, F/0/0#1',
  ]);
  t.end();
});

test('explaining a task activates all jobs at once', (t) => {
  const fixture = restarted();
  t.strictSame(fixture.explain('D/0/0').before, { tasks: 3, jobs: 3 });
  fixture.lease('w1');
  fixture.advance(0);
  fixture.expect(t, 'no job is activated twice', []);
  t.end();
});

test('explaining the farm covers only the known jobs and activates no others', (t) => {
  const fixture = restarted();
  const idsOf = (names: readonly string[]): readonly string[] => names.map((name) => fixture.jobId(name));
  const shows = (isPartial: boolean, names: readonly string[]): void => {
    const seen = fixture.explainFarm();
    t.equal(seen.isPartial, isPartial);
    t.strictSame(
      seen.groups.map(({ reason, jobIds }) => [reason, ...jobIds]),
      [['order', ...idsOf(names)]],
    );
  };
  shows(true, ['A', 'B']);
  fixture.advance(0);
  shows(false, ['A', 'B', 'C', 'D']);
  t.end();
});
