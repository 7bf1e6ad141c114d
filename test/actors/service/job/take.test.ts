import { test } from 'tap';
import { TestFarm } from '../../../kit/test-farm.ts';

/** A farm in which the only task has failed and is delayed for 10 s. A request of the worker waits for it. */
function withDelayedTask(): TestFarm {
  const farm = new TestFarm();
  farm.register('w1');
  farm.submit('A', [{ name: 'render', tasks: 1 }]);
  farm.lease('w1');
  farm.report('A/0/0', 'failed');
  farm.lease('w1');
  farm.takeOutputs();
  farm.takeWarnings();
  return farm;
}

test('a task that is still delayed when it is taken is held back, and returns when the delay ends', (t) => {
  const farm = withDelayedTask();
  farm.advance(3_000);
  // The timer of the lease actor now runs 2 s before the delay has ended.
  farm.now -= 2_000;
  farm.stall(0);
  farm.takeOutputs();
  farm.advance(7_000);
  farm.expect(t, 'the timer', []);
  farm.advance(1_999);
  farm.expect(t, 'not before its time', []);
  farm.advance(1);
  farm.expect(t, 'at its time', ['task A/0/0 assigned w1', 'lease w1: A/0/0#2']);
  t.end();
});

test('after a restore, attempts have numbers above the floor', (t) => {
  const farm = new TestFarm();
  farm.register('w1', { cpu_count: 1 });
  farm.submit('A', [{ name: 'render', tasks: 2 }], { retry: { retryDelaySeconds: 0 } });
  farm.lease('w1');
  farm.report('A/0/0', 'failed');
  farm.restartWith({ attemptFloor: 7 });
  const leased = (): readonly string[] => {
    farm.takeOutputs();
    farm.lease('w1');
    return farm.takeOutputs();
  };
  t.strictSame(leased(), ['task A/0/0 assigned w1', 'lease w1: A/0/0#7'], 'a task that has run before');
  farm.report('A/0/0', 'failed');
  t.strictSame(leased(), ['task A/0/0 assigned w1', 'lease w1: A/0/0#8'], 'numbers continue from there');
  farm.report('A/0/0', 'succeeded');
  t.strictSame(leased(), ['task A/0/1 assigned w1', 'lease w1: A/0/1#7'], 'each task has its own');
  t.end();
});

test('a task that is canceled while it is selected is refused', (t) => {
  const farm = new TestFarm();
  farm.register('w1');
  farm.submit('A', [{ name: 'render', tasks: 2 }]);
  farm.takeOutputs();
  farm.inOneWindow(() => {
    farm.cancelTask('A/0/0');
    farm.lease('w1');
  });
  farm.expect(t, 'the other task', [
    'task A/0/0 canceled',
    'cancel A/0/0: ok',
    'task A/0/1 assigned w1',
    'job A running',
    'lease w1: A/0/1#1',
  ]);
  t.equal(farm.bookedCores('w1'), 1);
  t.end();
});
