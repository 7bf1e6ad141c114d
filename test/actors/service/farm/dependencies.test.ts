import { test } from 'tap';
import { jobId } from '../../../../src/core/ids.ts';
import { TestHouse } from '../../../kit/test-house.ts';

const one = [{ name: 's', tasks: 1 }];

test('a job that depends on others is blocked until the last of them has completed', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.submit('A', one);
  house.submit('B', one);
  house.heard();
  house.submit(
    'C',
    [
      { name: 's', tasks: 2 },
      { name: 'after', tasks: 1, after: ['s'] },
    ],
    { after: ['A', 'B'] },
  );
  house.expect(t, 'submitted', ['job C blocked', 'submit C: ok']);
  t.match(house.job('C'), {
    dependsOn: [house.jobId('A'), house.jobId('B')],
    taskCounts: { pending: 3, ready: 0 },
  });
  house.lease('w1');
  house.report('A/0/0', 'succeeded');
  house.lease('w1');
  house.heard();
  house.report('B/0/0', 'succeeded');
  house.expect(t, 'released: the tasks of its first step are ready', [
    'task B/0/0 succeeded',
    'job B completed',
    'job C pending',
    'task C/0/0 assigned w1',
    'task C/0/1 assigned w1',
    'job C running',
    'lease w1: C/0/0#1, C/0/1#1',
  ]);
  t.end();
});

test('a job whose upstreams have completed already is not blocked', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.submit('A', one);
  house.lease('w1');
  house.report('A/0/0', 'succeeded');
  house.heard();
  house.submit('B', one, { after: ['A'] });
  house.expect(t, 'blocked for the moment of its submission', [
    'job B blocked',
    'submit B: ok',
    'job B pending',
  ]);
  house.lease('w1');
  house.expect(t, 'it can be leased', ['task B/0/0 assigned w1', 'job B running', 'lease w1: B/0/0#1']);
  t.end();
});

test('when an upstream fails or is canceled, all that wait for it are canceled, in a chain', (t) => {
  const house = new TestHouse();
  house.submit('A', one);
  house.submit('other', one);
  house.submit('B', one, { after: ['A', 'other'] });
  house.submit('C', one, { after: ['B'] });
  house.submit('D', one, { after: ['C', 'A'] });
  house.submit('E', one, { after: ['other'] });
  house.heard();
  house.cancelJob('A');
  house.expect(t, 'the chain', [
    'job A canceled',
    'cancel A: ok',
    'job B canceled',
    'job D canceled',
    'job C canceled',
  ]);
  for (const name of ['B', 'C', 'D']) {
    t.match(house.job(name), { status: 'canceled', cancelReason: 'canceled: upstream job failed' }, name);
    t.equal(house.reason(`${name}/0/0`), 'canceled: upstream job failed', name);
  }
  t.equal(house.job('A').cancelReason, '');
  t.equal(house.job('E').status, 'blocked');
  t.end();
});

test('a job that depends on one that has failed already is canceled at once', (t) => {
  const house = new TestHouse();
  house.submit('A', one);
  house.cancelJob('A');
  house.heard();
  house.submit('B', one, { after: ['A'] });
  house.expect(t, 'canceled', ['job B blocked', 'submit B: ok', 'job B canceled']);
  t.end();
});

test('a blocked job that is canceled leaves its upstream alone', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.submit('A', one);
  house.submit('B', one, { after: ['A'] });
  house.heard();
  house.cancelJob('B');
  house.expect(t, 'canceled by a user', ['job B canceled', 'cancel B: ok']);
  t.equal(house.reason('B/0/0'), 'canceled by user');
  house.lease('w1');
  house.report('A/0/0', 'succeeded');
  house.expect(t, 'the upstream completes', [
    'task A/0/0 assigned w1',
    'job A running',
    'lease w1: A/0/0#1',
    'task A/0/0 succeeded',
    'job A completed',
  ]);
  t.end();
});

test('an upstream that is named twice counts once', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.submit('A', one);
  house.submit('B', one, { after: ['A', 'A'] });
  t.strictSame(house.job('B').dependsOn, [house.jobId('A')]);
  house.lease('w1');
  house.report('A/0/0', 'succeeded');
  t.equal(house.job('B').status, 'pending');
  t.end();
});

test('an upstream that ends between the look at the store and the submission', (t) => {
  const house = new TestHouse();
  house.submit('A', one);
  house.submit('X', one);
  const before = [{ jobId: house.jobId('A'), status: house.job('A').status }];
  house.cancelJob('A');
  house.heard();
  house.submitAfter('B', one, before);
  house.expect(t, 'the farm remembers how it ended', ['job B blocked', 'submit B: ok', 'job B canceled']);
  house.restart();
  house.heard();
  house.submitAfter('C', one, before);
  house.expect(t, 'and when it does not, the client is to look again', [
    `submit C: unavailable, the job ${house.jobId('A')} is just ending; try again`,
  ]);
  house.submitAfter('D', one, [{ jobId: jobId(house.jobId('A')), status: 'canceled' }]);
  house.expect(t, 'with a new look', ['job D blocked', 'submit D: ok', 'job D canceled']);
  t.end();
});

test('dependencies are kept through a restart of the service', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.submit('A', one);
  house.submit('B', one);
  house.submit('C', one, { after: ['A', 'B'] });
  house.lease('w1');
  house.report('A/0/0', 'succeeded');
  house.restart();
  house.heard();
  house.report('B/0/0', 'succeeded');
  house.expect(t, 'released', ['task B/0/0 succeeded', 'job B completed', 'job C pending']);
  t.end();
});
