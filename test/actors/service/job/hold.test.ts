import { test } from 'tap';
import { TestFarm } from '../../../kit/test-farm.ts';

const two = [
  { name: 'render', tasks: 4 },
  { name: 'encode', tasks: 2, after: ['render'] },
];

function started(): TestFarm {
  const farm = new TestFarm();
  farm.register('w1', { cpu_count: 2 });
  farm.submit('A', two, { retry: { maxAttempts: 2, retryDelaySeconds: 0 } });
  farm.lease('w1');
  farm.takeOutputs();
  return farm;
}

test('the tasks of a held step are not leased until it is released; live ones continue', (t) => {
  const farm = started();
  farm.hold('A', 0);
  farm.expect(t, 'held', ['job A running', 'hold A/0: ok']);
  t.match(farm.answer('hold A/0'), { ok: true, value: { hold: { by: 'ann', reason: 'wait for plates' } } });
  farm.report('A/0/0', 'succeeded');
  farm.takeOutputs();
  farm.lease('w1');
  farm.expect(t, 'the request is parked', []);
  farm.report('A/0/1', 'failed', { exitCode: 1 });
  farm.expect(t, 'the retry is held back too', ['task A/0/1 ready', 'count task-retries of Q']);
  farm.restart();
  farm.heartbeat('w1');
  farm.takeOutputs();
  farm.lease('w1', { client: 'again' });
  farm.expect(t, 'also after a restart', []);
  farm.hold('A', 0, false);
  t.match(farm.takeOutputs().join(), /again: A\/0\/1#2, A\/0\/2#1/, 'released');
  farm.expectInvariants(t, 'released');
  t.end();
});

test('a pending step can be held; a step that has ended cannot', (t) => {
  const farm = started();
  farm.hold('A', 1);
  farm.skip('A', { stepOrder: 0 });
  t.match(farm.job('A').taskCounts, { succeeded: 4, ready: 2 });
  farm.takeOutputs();
  farm.lease('w1', { client: 'again' });
  farm.expectInvariants(t, 'ready, and held');
  farm.hold('A', 0);
  t.match(farm.takeOutputs().at(-1), /^hold A\/0: conflict, the step is completed already/);
  farm.hold('A', 7);
  t.match(farm.takeOutputs().at(-1), /^hold A\/7: not-found/);
  farm.hold('A', 0, false);
  t.match(farm.takeOutputs().at(-1), 'hold A/0: ok', 'a release changes nothing');
  farm.cancelJob('A');
  t.equal(farm.job('A').status, 'canceled');
  farm.retryJob('A');
  farm.expectInvariants(t, 'a retry keeps the hold');
  farm.hold('A', 1, false);
  farm.expectInvariants(t, 'released');
  t.end();
});

test('a hold, a release and leases in one window leave the job consistent', (t) => {
  const farm = new TestFarm();
  farm.register('w1', { cpu_count: 3 });
  farm.submit('A', two);
  farm.inOneWindow(() => {
    farm.lease('w1');
    farm.hold('A', 0);
    farm.lease('w1', { client: 'again' });
    farm.hold('A', 0, false);
    farm.hold('A', 0);
  });
  farm.expectInvariants(t, 'held');
  farm.hold('A', 0, false);
  farm.expectInvariants(t, 'released');
  t.end();
});
