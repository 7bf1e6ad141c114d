import { test } from 'tap';
import { keys } from '../../../../src/core/records/tables.ts';
import { TestHouse } from '../../../kit/test-house.ts';

test('a step knows how long its attempts took that have succeeded', (t) => {
  const house = new TestHouse({ retry: { maxAttempts: 3, retryDelaySeconds: 0, failureLimit: 0 } });
  const times = (): unknown => house.store.get('step', keys.step(house.jobId('A'), 0))?.attemptTimes;
  house.register('w1', { cpu_count: 8 });
  house.submit('A', [{ name: 'render', tasks: 4 }]);
  house.lease('w1');
  t.equal(times(), undefined);
  house.advance(2000);
  house.report('A/0/0', 'running');
  house.advance(1000);
  house.report('A/0/0', 'succeeded');
  t.strictSame(times(), { count: 1, totalMs: 3000 }, 'from when it was handed out');
  house.report('A/0/0', 'succeeded');
  house.report('A/0/1', 'failed', { exitCode: 1 });
  house.cancelTask('A/0/2');
  t.strictSame(times(), { count: 1, totalMs: 3000 }, 'repetitions, failures and cancels are not counted');
  house.advance(500);
  house.report('A/0/3', 'succeeded');
  t.strictSame(times(), { count: 2, totalMs: 6500 });
  t.end();
});
