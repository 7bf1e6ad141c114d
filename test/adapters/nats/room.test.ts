import { test } from 'tap';
import { InFlightLimit } from '../../../src/adapters/nats/in-flight-limit.ts';

test('callers wait in order when no capacity is left', async (t) => {
  const room = new InFlightLimit(2, 100);
  const entered: string[] = [];
  const enter = async (name: string, bytes: number): Promise<void> => {
    await room.enter(bytes);
    entered.push(name);
  };
  const all = [enter('a', 60), enter('b', 30), enter('c', 10), enter('d', 100), enter('e', 1)];
  await Promise.all(all.slice(0, 2));
  t.same(entered, ['a', 'b'], 'two at a time');
  room.leave(60);
  await all[2];
  t.same(entered, ['a', 'b', 'c']);
  room.leave(30);
  t.same(entered, ['a', 'b', 'c'], 'd is too large while c holds its share, and e does not overtake d');
  room.leave(10);
  await all[3];
  t.same(entered, ['a', 'b', 'c', 'd']);
  room.leave(100);
  await all[4];
  t.same(entered, ['a', 'b', 'c', 'd', 'e']);
});
