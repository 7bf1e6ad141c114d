import { test } from 'tap';
import type { FarmInput } from '../../../../actors/service/farm/messages.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

/**
 * Five jobs of one task each, of which the last is at work; the service has been started again and has asked two of them what
 * they offer. The others are asked while time passes.
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

test('nothing is handed out before every job has said what it offers, and then all of it', (t) => {
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

test('what the job that is asked last has at work counts under the cap', (t) => {
  const fixture = restarted({ maxConcurrentTasks: 2 });
  fixture.lease('w2');
  fixture.advance(0);
  fixture.expect(t, 'one is at work', ['task A/0/0 assigned w2', 'job A running', 'lease w2: A/0/0#1']);
  t.end();
});

test('a job may end, and another come, before they are asked', (t) => {
  const fixture = restarted();
  fixture.report('E/0/0', 'succeeded');
  fixture.cancelJob('D');
  fixture.submit('F', [{ name: 's', tasks: 1 }]);
  fixture.takeOutputs();
  fixture.lease('w2');
  fixture.advance(0);
  fixture.expect(t, 'those that are left', [
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

test('who wants to know why a task waits has all jobs asked at once', (t) => {
  const fixture = restarted();
  t.strictSame(fixture.explain('D/0/0').before, { tasks: 3, jobs: 3 });
  fixture.lease('w1');
  fixture.advance(0);
  fixture.expect(t, 'nothing is asked twice', []);
  t.end();
});

test('who looks at what waits is told of the jobs that are known, and has no others asked', (t) => {
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
