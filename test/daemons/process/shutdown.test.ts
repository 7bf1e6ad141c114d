import { test } from 'tap';
import { Shutdown, SHUTDOWN_STEPS } from '../../../daemons/process/shutdown.ts';

interface Line {
  readonly text: string;
  readonly facts: unknown;
}

function recorded(): { shutdown: Shutdown; lines: Line[]; stopped: string[]; clock: { now: number } } {
  const lines: Line[] = [];
  const clock = { now: 0 };
  const info = (facts: unknown, text?: string): void => {
    lines.push({ facts, text: text ?? '' });
  };
  return { shutdown: new Shutdown({ info }, () => clock.now), lines, stopped: [], clock };
}

test('the shutdown steps are those of the contract, in order', async (t) => {
  t.strictSame(SHUTDOWN_STEPS, ['discovery', 'http', 'scheduler', 'bus', 'store']);
});

test('parts are stopped step by step, the last started part of a step first', async (t) => {
  const { shutdown, lines, stopped, clock } = recorded();
  const add = (step: 'store' | 'bus' | 'http', name: string): void =>
    shutdown.add(step, async () => {
      await Promise.resolve();
      clock.now += 10;
      stopped.push(name);
    });
  add('store', 'store');
  add('bus', 'bus');
  add('store', 'reader');
  add('http', 'front');
  await shutdown.run();
  t.strictSame(stopped, ['front', 'bus', 'reader', 'store']);
  t.strictSame(lines, [
    { facts: { step: 'discovery' }, text: 'stopping: nothing to stop' },
    { facts: { step: 'http', milliseconds: 10 }, text: 'stopping: done' },
    { facts: { step: 'scheduler' }, text: 'stopping: nothing to stop' },
    { facts: { step: 'bus', milliseconds: 10 }, text: 'stopping: done' },
    { facts: { step: 'store', milliseconds: 20 }, text: 'stopping: done' },
  ]);
});

test('a part that fails to stop ends the shutdown with its error', async (t) => {
  const { shutdown, stopped } = recorded();
  shutdown.add('store', () => stopped.push('store'));
  shutdown.add('http', () => Promise.reject(new Error('stuck')));
  await t.rejects(shutdown.run(), { message: 'stuck' });
  t.strictSame(stopped, []);
});
