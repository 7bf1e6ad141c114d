import { test } from 'tap';
import { KERNEL_LIMITS } from '../../../actors/kernel/ports.ts';
import { KernelHarness } from '../../kit/kernel-harness.ts';
import { MISSING_ACTOR, type ScriptMessage, type Step } from '../../kit/script-actors.ts';

const write = (value: number): Step => ({ do: 'write', value });
const remember = (value: number): Step => ({ do: 'remember', value });
const say = (label: string): Step => ({ do: 'say', label });
const reply = (answer: string): Step => ({ do: 'reply', answer });
const send = (to: string, ...steps: Step[]): Step => ({ do: 'send', to, steps });
const after = (name: string, ms: number, ...steps: Step[]): Step => ({ do: 'after', name, ms, steps });
const fail = (label: string, times = Infinity): Step => ({ do: 'throw', label, times });
const end: Step = { do: 'end', isOver: true };

const INTERNAL = JSON.stringify({
  ok: false,
  problem: { kind: 'internal', detail: 'the request could not be handled; the diagnostics have the reason' },
});
const LOADED_AGAIN = 'warn: a handler threw; its actors are reloaded and the message is retried';
const POISONED = 'error: message poisoned: its handler threw twice';

test('outputs are published only after the commit of their window', (t) => {
  const bench = new KernelHarness();
  bench.post('a', [say('before'), write(1), reply('done'), say('after')], 'client');
  t.equal(bench.kernel.hasWork, true);
  t.strictSame(bench.commits, [], 'no turn runs before the pump');
  bench.kernel.pump();
  t.strictSame(
    bench.commits.map((commit) => commit.changes),
    [[{ id: 'a', value: 1 }]],
  );
  t.strictSame(bench.takeOutputs(), [], 'the window is not durable yet');
  t.equal(bench.kernel.isIdle, false);
  bench.flush(0);
  t.strictSame(bench.takeOutputs(), ['a before 0', 'to client: done', 'a after 1', 'settled client']);
  t.equal(bench.wakes, 2, 'the host is woken at each stage of the commit');
  t.equal(bench.kernel.isIdle, true);
  t.end();
});

test('a message and all messages it causes form one unit of work, in order, in one commit', (t) => {
  const bench = new KernelHarness();
  bench.post('a', [
    write(1),
    send('b', write(2), say('second'), send('a', say('fourth'))),
    send('c', say('third')),
    say('first'),
  ]);
  bench.post('c', [write(9), say('fifth')]);
  bench.kernel.pump();
  t.strictSame(
    bench.commits.map((commit) => commit.changes),
    [
      [
        { id: 'a', value: 1 },
        { id: 'b', value: 2 },
        { id: 'c', value: 9 },
      ],
    ],
    'messages queued together are committed together',
  );
  bench.flush(0);
  t.strictSame(bench.takeOutputs(), ['a first 1', 'b second 2', 'c third 0', 'a fourth 1', 'c fifth 9']);
  t.end();
});

test('a window without changes is flushed at once, but never before an earlier window', (t) => {
  const bench = new KernelHarness();
  bench.post('a', [say('alone')], 'first');
  bench.kernel.pump();
  t.strictSame(bench.takeOutputs(), ['a alone 0', 'settled first']);
  bench.post('a', [write(1), say('written')]);
  bench.kernel.pump();
  bench.post('a', [say('reads 1')], 'second');
  bench.kernel.pump();
  t.strictSame(bench.takeOutputs(), [], 'the window has read changes that are not durable yet');
  bench.flush(0);
  t.strictSame(bench.takeOutputs(), ['a written 1', 'a reads 1 1', 'settled second']);
  t.equal(bench.commits.length, 1);
  t.end();
});

test('the flush of a window is prepared during its commit and published in two parts', (t) => {
  const bench = new KernelHarness();
  bench.post('a', [write(1), say('has')], 'first');
  bench.kernel.pump();
  t.strictSame(bench.prepared.splice(0), ['a has 1']);
  bench.post('a', [say('reads')]);
  bench.kernel.pump();
  t.strictSame(bench.prepared.splice(0), ['a reads 1'], 'also without its own commit');
  t.strictSame([bench.takeOutputs(), bench.told], [[], []], 'nothing is durable');
  bench.makeDurable(0);
  t.strictSame(bench.takeOutputs(), ['a has 1', 'settled first', 'a reads 1']);
  t.strictSame(bench.told, [], 'durable, but not readable');
  t.notOk(bench.kernel.isIdle);
  bench.read(0);
  t.strictSame([bench.takeOutputs(), bench.told], [[], ['a has 1', 'a reads 1']]);
  t.ok(bench.kernel.isIdle);
  t.end();
});

test('windows that are durable but not readable do not delay others', (t) => {
  const bench = new KernelHarness();
  for (let value = 1; value <= 5; value++) {
    bench.post('a', [write(value), say('has')]);
    bench.kernel.pump();
    bench.makeDurable(value - 1);
  }
  t.strictSame(bench.takeOutputs(), ['a has 1', 'a has 2', 'a has 3', 'a has 4', 'a has 5']);
  bench.read(1);
  t.strictSame(bench.told, [], 'the second window waits for the first');
  bench.read(0);
  t.strictSame(bench.told, ['a has 1', 'a has 2']);
  t.end();
});

test('an actor is reloaded after a throw only when all windows are readable', (t) => {
  const bench = new KernelHarness();
  bench.post('a', [write(1)]);
  bench.kernel.pump();
  bench.makeDurable(0);
  bench.post('a', [write(2), fail('once', 1)], 'client');
  bench.kernel.pump();
  t.notOk(bench.kernel.hasWork, 'the store does not have the first write yet');
  bench.read(0);
  t.ok(bench.kernel.hasWork);
  bench.settle();
  t.end();
});

test('a host may let more windows be in flight', (t) => {
  const bench = new KernelHarness(4);
  for (const value of [1, 2, 3, 4, 5]) {
    bench.post('a', [write(value)]);
    bench.kernel.pump();
  }
  t.equal(bench.commits.length, 4);
  t.notOk(bench.kernel.hasWork);
  bench.makeDurable(0);
  t.ok(bench.kernel.hasWork);
  t.end();
});

test('up to two windows are in flight while others run, and they are flushed in order', (t) => {
  t.equal(KERNEL_LIMITS.windowsInFlight, 2);
  const bench = new KernelHarness();
  for (const value of [1, 2, 3]) {
    bench.post('a', [write(value), say('has')]);
    bench.kernel.pump();
  }
  t.equal(bench.commits.length, 2, 'the third window waits');
  t.equal(bench.kernel.hasWork, false, 'nothing can run before a commit has finished');
  t.equal(bench.kernel.queuedMessages, 1);
  bench.kernel.pump();
  t.equal(bench.commits.length, 2);
  bench.flush(1);
  t.strictSame(bench.takeOutputs(), [], 'the first window is not durable');
  t.equal(bench.kernel.hasWork, false);
  bench.flush(0);
  t.strictSame(bench.takeOutputs(), ['a has 1', 'a has 2']);
  t.equal(bench.kernel.hasWork, true);
  bench.kernel.pump();
  bench.flush(2);
  t.strictSame(bench.takeOutputs(), ['a has 3']);
  t.equal(bench.kernel.isIdle, true);
  t.end();
});

test('the number of messages and of changes in a window is limited', (t) => {
  const bench = new KernelHarness();
  // Without changes, whose number has the same limit as messages.
  for (let each = 0; each < KERNEL_LIMITS.unitsPerWindow + 1; each++)
    bench.post('a', [reply('read')], 'client');
  bench.kernel.pump();
  const answers = bench.takeOutputs().filter((said) => said === 'to client: read');
  t.equal(answers.length, KERNEL_LIMITS.unitsPerWindow);
  t.equal(bench.kernel.queuedMessages, 1);
  bench.settle();

  const many = Array.from({ length: KERNEL_LIMITS.changesPerWindow }, (_, value) => write(value));
  bench.post('b', many);
  bench.post('b', [write(7)]);
  bench.kernel.pump();
  t.equal(bench.commits[0]?.changes.length, KERNEL_LIMITS.changesPerWindow, 'the window is closed early');
  bench.settle();
  t.equal(bench.disk.get('b'), 7);
  t.end();
});

test('a message queue of any length is handled in order', (t) => {
  const bench = new KernelHarness();
  for (let each = 0; each < 10_000; each++) bench.post('a', [say(String(each))]);
  bench.settle();
  t.strictSame(
    bench.takeOutputs(),
    Array.from({ length: 10_000 }, (_, each) => `a ${each} 0`),
  );
  t.end();
});

test('a unit of work whose handler throws is rolled back and retried once', (t) => {
  const bench = new KernelHarness();
  bench.disk.set('b', 20);
  bench.post('a', [write(1), say('kept')], 'first');
  bench.post(
    'a',
    [
      write(2),
      say('tried'),
      after('timer', 10, say('late')),
      send('b', remember(21), write(22), say('tried'), fail('once', 1), say('continued')),
    ],
    'second',
  );
  bench.post('c', [write(3), say('waits')]);
  bench.kernel.pump();
  t.strictSame(
    bench.commits.map((commit) => commit.changes),
    [[{ id: 'a', value: 1 }]],
    'earlier units of the window are kept, without any part of the failed unit',
  );
  t.strictSame(bench.logs, [LOADED_AGAIN]);
  t.equal(bench.stateOf('a'), undefined, 'touched actors are dropped');
  t.equal(bench.stateOf('b'), undefined);
  t.equal(bench.kernel.nextTimerAt(), null, 'no timer of the failed unit is left');
  t.equal(bench.kernel.hasWork, false, 'no retry before all windows are readable');
  bench.kernel.pump();
  t.equal(bench.commits.length, 1);

  bench.flush(0);
  t.strictSame(bench.takeOutputs(), ['a kept 1', 'settled first']);
  t.equal(bench.kernel.hasWork, true);
  bench.actors.loads.length = 0;
  bench.kernel.pump();
  t.strictSame(bench.actors.loads.sort(), ['a', 'b', 'c'], 'their state is loaded from the store');
  t.strictSame(bench.commits[1]?.changes, [
    { id: 'a', value: 2 },
    { id: 'b', value: 22 },
    { id: 'c', value: 3 },
  ]);
  bench.flush(1);
  t.strictSame(bench.takeOutputs(), [
    'a tried 2',
    'b tried 22',
    'b continued 22',
    'c waits 3',
    'settled second',
  ]);
  t.strictSame(bench.logs, [LOADED_AGAIN]);
  t.equal(bench.kernel.nextTimerAt(), bench.monotonic + 10, 'the timer is set once');
  t.equal(bench.kernel.isIdle, true);
  t.end();
});

test('a throw discards the unsaved memory of touched actors only', (t) => {
  const bench = new KernelHarness();
  bench.disk.set('a', 1);
  bench.post('a', [remember(100)]);
  bench.post('other', [remember(200)]);
  bench.settle();
  bench.post('a', [say('before'), remember(300), fail('once', 1)]);
  bench.settle();
  t.strictSame(bench.takeOutputs(), ['a before 1'], 'the retry sees the stored state');
  bench.post('other', [say('still')]);
  bench.settle();
  t.strictSame(bench.takeOutputs(), ['other still 200']);
  t.end();
});

test('a message whose handler throws twice is poisoned: its sender gets an error and other messages continue', (t) => {
  const bench = new KernelHarness();
  bench.post('a', [write(1), say('first')], 'one');
  bench.post(
    'a',
    [write(2), say('lost'), after('timer', 5, say('lost')), reply('lost'), fail('always')],
    'two',
  );
  bench.post('a', [write(3), say('third')], 'three');
  bench.settle();
  t.strictSame(bench.takeOutputs(), [
    'a first 1',
    'settled one',
    `to two: ${INTERNAL}`,
    'settled two',
    'a third 3',
    'settled three',
  ]);
  t.strictSame(
    bench.commits.flatMap((commit) => commit.changes),
    [
      { id: 'a', value: 1 },
      { id: 'a', value: 3 },
    ],
  );
  t.strictSame(bench.logs, [LOADED_AGAIN, POISONED]);
  t.equal(bench.kernel.nextTimerAt(), null);
  t.strictSame(bench.fatal, []);
  t.end();
});

test('a poisoned message without a sender gets no reply', (t) => {
  const bench = new KernelHarness();
  bench.kernel.post({ actor: 'script', id: 'a', message: { type: 'run', steps: [fail('always')] } }, () =>
    bench.said.push('settled'),
  );
  bench.settle();
  t.strictSame(bench.takeOutputs(), ['settled']);
  t.end();
});

test('the actors of a poisoned message are reloaded from the store, with their timers', (t) => {
  const bench = new KernelHarness();
  bench.disk.set('a', 1);
  bench.actors.onStart.set('a', [after('watch', 50, say('watched'))]);
  bench.post('a', [remember(5)]);
  bench.settle();
  bench.post('a', [write(6), { do: 'cancelTimer', name: 'watch' }, fail('always')], 'client');
  bench.settle();
  t.strictSame(bench.takeOutputs(), [`to client: ${INTERNAL}`, 'settled client']);
  t.strictSame(
    bench.stateOf('a'),
    { id: 'a', value: 1, isOver: false, isRemoved: false },
    'reloaded without a message',
  );
  bench.advance(50);
  bench.settle();
  t.strictSame(bench.takeOutputs(), ['a watched 1']);
  t.end();
});

test('a message of an unknown type is poisoned', (t) => {
  const bench = new KernelHarness();
  const stray: unknown = { type: 'unheard of' };
  bench.kernel.post({ actor: 'script', id: 'a', message: stray as ScriptMessage });
  bench.post('a', [say('next')]);
  bench.settle();
  t.strictSame(bench.takeOutputs(), ['a next 0']);
  t.strictSame(bench.logs, [LOADED_AGAIN, POISONED]);
  t.end();
});

test('an actor runs onActivated once, before its first message', (t) => {
  const bench = new KernelHarness();
  bench.disk.set('a', 4);
  bench.actors.onStart.set('a', [say('started'), send('b', say('told'))]);
  bench.post('a', [say('handles')]);
  bench.post('a', [say('handles')]);
  bench.settle();
  t.strictSame(bench.takeOutputs(), ['a started 4', 'a handles 4', 'b told 0', 'a handles 4'], 'only once');
  t.strictSame(bench.actors.loads, ['a', 'b']);
  t.end();
});

test('a message for a missing actor is handled by onMissing', (t) => {
  const bench = new KernelHarness();
  bench.post(MISSING_ACTOR, [write(1), say('never')], 'client');
  bench.settle();
  t.strictSame(bench.takeOutputs(), ['to client: there is no actor', 'settled client']);
  t.strictSame(bench.commits, []);
  t.equal(bench.stateOf(MISSING_ACTOR), undefined);
  t.end();
});

test('timers fire when due, in order, as separate messages', (t) => {
  const bench = new KernelHarness();
  bench.post('a', [
    after('late', 30, say('late')),
    after('soon', 10, say('soon')),
    after('also soon', 10, say('also soon')),
  ]);
  bench.settle();
  t.equal(bench.kernel.nextTimerAt(), bench.monotonic + 10);
  bench.advance(9);
  bench.settle();
  t.strictSame(bench.takeOutputs(), []);
  bench.advance(1);
  bench.settle();
  t.strictSame(bench.takeOutputs(), ['a soon 0', 'a also soon 0']);
  bench.advance(100);
  bench.settle();
  t.strictSame(bench.takeOutputs(), ['a late 0']);
  t.equal(bench.kernel.nextTimerAt(), null, 'each fires once');
  t.end();
});

test('a timer uses the monotonic clock', (t) => {
  const bench = new KernelHarness();
  bench.post('a', [after('timer', 10, say('due'))]);
  bench.settle();
  bench.wall += 1_000_000;
  bench.settle();
  t.strictSame(bench.takeOutputs(), [], 'a step of the wall clock fires no timer');
  bench.wall -= 9_000_000;
  bench.monotonic += 10;
  bench.settle();
  t.strictSame(bench.takeOutputs(), ['a due 0'], 'a step of the wall clock delays no timer');
  t.end();
});

test('a timer is replaced or canceled only by its actor and name', (t) => {
  const bench = new KernelHarness();
  bench.post('a', [after('x', 10, say('old')), after('y', 10, say('y')), after('z', 10, say('z'))]);
  bench.post('b', [after('x', 10, say('x of b'))]);
  bench.settle();
  bench.post('a', [
    after('x', 20, say('new')),
    { do: 'cancelTimer', name: 'y' },
    { do: 'cancelTimer', name: 'unknown' },
  ]);
  bench.settle();
  bench.advance(10);
  bench.settle();
  t.strictSame(bench.takeOutputs(), ['a z 0', 'b x of b 0']);
  bench.advance(10);
  bench.settle();
  t.strictSame(bench.takeOutputs(), ['a new 0']);
  t.end();
});

test('a timer can be set again by its own message', (t) => {
  const bench = new KernelHarness();
  const twice = after('beat', 10, say('beat'), after('beat', 10, say('beat again')));
  bench.post('a', [twice]);
  bench.settle();
  bench.advance(10);
  bench.settle();
  bench.advance(10);
  bench.settle();
  t.strictSame(bench.takeOutputs(), ['a beat 0', 'a beat again 0']);
  t.end();
});

test('after a throw only onActivated sets the timers of a reloaded actor', (t) => {
  const bench = new KernelHarness();
  bench.disk.set('a', 1);
  bench.actors.onStart.set('a', [after('start', 10, say('start'))]);
  bench.post('a', [after('own', 10, say('own'))]);
  bench.settle();
  bench.post('a', [fail('once', 1)]);
  bench.settle();
  bench.advance(10);
  bench.settle();
  t.strictSame(bench.takeOutputs(), ['a start 1'], 'an unsaved timer is lost');
  t.end();
});

test('an evictable actor is dropped with its timers once its changes are readable', (t) => {
  const bench = new KernelHarness();
  bench.post('a', [write(1), after('timer', 10, say('never')), end]);
  bench.kernel.pump();
  t.not(bench.stateOf('a'), undefined, 'not readable yet');
  bench.flush(0);
  t.equal(bench.stateOf('a'), undefined);
  t.equal(bench.kernel.nextTimerAt(), null);
  bench.post('a', [say('loaded')]);
  bench.settle();
  t.strictSame(bench.takeOutputs(), ['a loaded 1'], 'a later message loads it from the store');
  t.end();
});

test('an evictable actor stays in memory if a message makes it busy before it is dropped', (t) => {
  const bench = new KernelHarness();
  bench.post('a', [write(1), remember(2), end]);
  bench.kernel.pump();
  bench.post('a', [{ do: 'end', isOver: false }, say('revived')]);
  bench.kernel.pump();
  bench.flush(0);
  t.strictSame(bench.stateOf('a'), { id: 'a', value: 2, isOver: false, isRemoved: false });
  t.strictSame(bench.takeOutputs(), ['a revived 2'], 'its memory is kept');
  t.end();
});

test('an actor with a later turn is dropped only after the window of that turn', (t) => {
  const bench = new KernelHarness();
  bench.post('a', [write(1), end]);
  bench.kernel.pump();
  bench.post('a', [write(2)]);
  bench.kernel.pump();
  bench.flush(0);
  t.not(bench.stateOf('a'), undefined, 'its second change is not readable yet');
  bench.flush(1);
  t.equal(bench.stateOf('a'), undefined);
  t.end();
});

test('an actor that is evictable after its first message and writes nothing is dropped', (t) => {
  const bench = new KernelHarness();
  bench.disk.set('a', 1);
  bench.post('a', [say('asked'), end]);
  bench.kernel.pump();
  t.strictSame(bench.takeOutputs(), ['a asked 1']);
  t.equal(bench.stateOf('a'), undefined);
  t.end();
});

test('messages for a deleted actor go to onMissing at once, and it is dropped when the deletion is readable', (t) => {
  const bench = new KernelHarness();
  bench.disk.set('a', 5);
  bench.disk.set(`${MISSING_ACTOR} else`, 6);
  bench.actors.onStart.set('a', [say('started')]);
  bench.post('a', [{ do: 'remove' }, after('timer', 10, say('never'))]);
  bench.post(`${MISSING_ACTOR} else`, [{ do: 'remove' }]);
  bench.kernel.pump();
  bench.post(`${MISSING_ACTOR} else`, [say('never')], 'client');
  bench.kernel.pump();
  t.strictSame(
    bench.actors.loads,
    ['a', `${MISSING_ACTOR} else`],
    'the store, which still has it, is not read',
  );
  bench.flush(0);
  t.strictSame(bench.takeOutputs(), ['a started 5', 'to client: there is no actor', 'settled client']);
  t.equal(bench.stateOf('a'), undefined);
  t.equal(bench.stateOf(`${MISSING_ACTOR} else`), undefined);
  t.equal(bench.kernel.nextTimerAt(), null);
  t.equal(bench.disk.size, 0);
  t.end();
});

test('a deleted actor can be created again before its deletion is durable', (t) => {
  const bench = new KernelHarness();
  bench.disk.set('a', 5);
  bench.post('a', [{ do: 'remove' }]);
  bench.kernel.pump();
  bench.post('a', [say('new'), write(1)]);
  bench.kernel.pump();
  bench.flush(0);
  bench.flush(1);
  t.strictSame(bench.takeOutputs(), ['a new 0']);
  t.strictSame(bench.stateOf('a'), { id: 'a', value: 1, isOver: false, isRemoved: false });
  t.equal(bench.disk.get('a'), 1);
  t.end();
});

test('a failed load is fatal', (t) => {
  const bench = new KernelHarness();
  bench.actors.broken.add('a');
  bench.post('a', [say('never')]);
  bench.kernel.pump();
  t.strictSame(bench.fatal, ['the store cannot be read for a']);
  t.strictSame(bench.takeOutputs(), []);
  t.end();
});

test('a failed reload after a poisoned message is fatal', (t) => {
  const bench = new KernelHarness();
  bench.disk.set('a', 1);
  bench.post('a', [say('runs')]);
  bench.settle();
  bench.actors.onStart.set('a', [fail('at the start')]);
  bench.post('a', [fail('always')]);
  bench.settle();
  t.strictSame(bench.fatal, ['at the start']);
  t.end();
});

test('the time is constant during a turn, and a stall restarts receivingSince', (t) => {
  const bench = new KernelHarness();
  bench.post('a', [{ do: 'sayTime' }, send('b', { do: 'sayTime' })]);
  bench.settle();
  t.strictSame(bench.takeOutputs(), [
    'now 1000000, listening since 1000000',
    'now 1000000, listening since 1000000',
  ]);
  bench.advance(60_000);
  bench.kernel.resumeLiveness();
  bench.advance(1000);
  bench.post('a', [{ do: 'sayTime' }]);
  bench.settle();
  t.strictSame(
    bench.takeOutputs(),
    ['now 1061000, listening since 1060000'],
    'after a stall silence counts from zero',
  );
  t.end();
});
