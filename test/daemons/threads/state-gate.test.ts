import { test } from 'tap';
import { StateGate } from '../../../daemons/threads/state-gate.ts';
import { SharedStanding, standingMemory, steadyMs } from '../../../src/adapters/cluster/standing.ts';
import { until } from '../../kit/until.ts';

void test('a message of an unknown attempt waits until the attempt is known or the node is current', async (t) => {
  const memory = standingMemory();
  const standing = new SharedStanding(memory);
  const gate = new StateGate(memory);
  t.teardown(() => gate.stop());
  const released: string[] = [];
  const known = new Set<string>(['known']);
  const pass = (key: string): void =>
    gate.pass(
      key,
      () => known.has(key),
      () => released.push(key),
    );
  standing.setCurrent(steadyMs() - 1);
  pass('known');
  t.same(released, ['known'], 'at once');
  pass('applied later');
  pass('of a deleted job');
  t.same(released, ['known'], 'a time before the message proves nothing');
  known.add('applied later');
  await until('the attempt is applied', () => released.length === 2);
  t.same(released, ['known', 'applied later']);
  pass('of a deleted job');
  standing.setCurrent(steadyMs() + 1);
  await until('the node is current', () => released.length === 3);
  t.same(released[2], 'of a deleted job', 'once, although it was delivered again');
});
