import { test } from 'tap';
import { keys } from '../../../../src/core/records/tables.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

test('a step records the time of its succeeded attempts', (t) => {
  const farm = new TestFarm({ retry: { maxAttempts: 3, retryDelaySeconds: 0, failureLimit: 0 } });
  const times = (): unknown => farm.store.get('step', keys.step(farm.jobId('A'), 0))?.attemptTimes;
  farm.register('w1', { cpu_count: 8 });
  farm.submit('A', [{ name: 'render', tasks: 4 }]);
  farm.lease('w1');
  t.equal(times(), undefined);
  farm.advance(2000);
  farm.report('A/0/0', 'running');
  farm.advance(1000);
  farm.report('A/0/0', 'succeeded');
  t.strictSame(times(), { count: 1, totalMs: 3000 }, 'counted from the assignment');
  farm.report('A/0/0', 'succeeded');
  farm.report('A/0/1', 'failed', { exitCode: 1 });
  farm.cancelTask('A/0/2');
  t.strictSame(times(), { count: 1, totalMs: 3000 }, 'repetitions, failures and cancels are not counted');
  farm.advance(500);
  farm.report('A/0/3', 'succeeded');
  t.strictSame(times(), { count: 2, totalMs: 6500 });
  t.end();
});
