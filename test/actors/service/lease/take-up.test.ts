import { test } from 'tap';
import type { FarmInput } from '../../../../actors/service/farm/messages.ts';
import { TestHouse } from '../../../kit/test-house.ts';

/**
 * Five jobs of one task each, of which the last is at work; the service has been started again and has asked two of them what
 * they offer. The others are asked while time passes.
 */
function restarted(farm: Partial<FarmInput> = {}): TestHouse {
  const house = new TestHouse({ jobsAskedAtOnce: 2 });
  house.replaceFarm(farm);
  house.register('w1', { cpu_count: 1 });
  house.register('w2', { cpu_count: 8 });
  for (const name of ['A', 'B', 'C', 'D']) house.submit(name, [{ name: 's', tasks: 1 }]);
  house.submit('E', [{ name: 's', tasks: 1 }], { priority: 90 });
  house.lease('w1');
  house.report('E/0/0', 'running');
  house.restart();
  house.heard();
  return house;
}

test('nothing is handed out before every job has said what it offers, and then all of it', (t) => {
  const house = restarted();
  house.lease('w2');
  t.strictSame(house.heard(), [], 'the request waits');
  house.advance(0);
  house.expect(t, 'all jobs are known', [
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
  const house = restarted({ maxConcurrentTasks: 2 });
  house.lease('w2');
  house.advance(0);
  house.expect(t, 'one is at work', ['task A/0/0 assigned w2', 'job A running', 'lease w2: A/0/0#1']);
  t.end();
});

test('a job may end, and another come, before they are asked', (t) => {
  const house = restarted();
  house.report('E/0/0', 'succeeded');
  house.cancelJob('D');
  house.submit('F', [{ name: 's', tasks: 1 }]);
  house.heard();
  house.lease('w2');
  house.advance(0);
  house.expect(t, 'those that are left', [
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
  const house = restarted();
  t.strictSame(house.explain('D/0/0').before, { tasks: 3, jobs: 3 });
  house.lease('w1');
  house.advance(0);
  house.expect(t, 'nothing is asked twice', []);
  t.end();
});

test('who looks at what waits is told of the jobs that are known, and has no others asked', (t) => {
  const house = restarted();
  const idsOf = (names: readonly string[]): readonly string[] => names.map((name) => house.jobId(name));
  const shows = (isPartial: boolean, names: readonly string[]): void => {
    const seen = house.explainFarm();
    t.equal(seen.isPartial, isPartial);
    t.strictSame(
      seen.groups.map(({ reason, jobIds }) => [reason, ...jobIds]),
      [['order', ...idsOf(names)]],
    );
  };
  shows(true, ['A', 'B']);
  house.advance(0);
  shows(false, ['A', 'B', 'C', 'D']);
  t.end();
});
