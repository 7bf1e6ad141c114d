import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'tap';
import { Channel } from '../../../http/ws/channel.ts';
import { Pump } from '../../../http/ws/pump.ts';

const DEPTH = 100;
/** More followers than are served at once when a ring fills up. */
const MANY = 17;

interface Stage {
  readonly pump: Pump;
  readonly channel: Channel;
  /** Numbers of the newest events at the deliveries to one follower. */
  readonly delivered: number[];
  now: number;
  /** Adds an event. */
  push(): void;
}

/** A channel with followers, the first of which records its deliveries and can act on them. */
function stage(followers: number, onDelivered: (stage: Stage) => void = () => undefined): Stage {
  const channel = new Channel('jobs', 0, DEPTH);
  const it: Stage = {
    pump: new Pump(DEPTH, () => it.now),
    channel,
    delivered: [],
    now: 1000,
    push: () => {
      channel.ring.push({});
      it.pump.changed(channel);
    },
  };
  channel.followers.add({
    deliver: () => {
      it.delivered.push(channel.ring.last);
      onDelivered(it);
    },
  });
  for (let n = 1; n < followers; n++) channel.followers.add({ deliver: () => undefined });
  return it;
}

/** Waits until the condition holds; the pump works between turns of the event loop. */
async function turnsUntil(isDone: () => boolean): Promise<void> {
  while (!isDone()) await nextTurn();
}

void test('an event that arrives during a round is delivered in the next one', async (t) => {
  let isFirst = true;
  const it = stage(MANY, (each) => {
    if (!isFirst) return;
    isFirst = false;
    each.push();
  });
  it.push();
  await turnsUntil(() => it.delivered.length === 2);
  t.strictSame(it.delivered, [1, 2]);
});

void test('an event that arrives between two slices of a round is delivered in the next one', async (t) => {
  const it = stage(MANY * 10, (each) => {
    // The slice is over after the first followers.
    each.now += 5;
  });
  it.push();
  await turnsUntil(() => it.delivered.length === 1);
  it.push();
  await turnsUntil(() => it.delivered.length === 2);
  t.strictSame(it.delivered, [1, 2]);
});

void test('events of one turn share a delivery', async (t) => {
  const it = stage(1);
  for (let n = 0; n < 5; n++) it.push();
  t.strictSame(it.delivered, []);
  await turnsUntil(() => it.delivered.length > 0);
  t.strictSame(it.delivered, [5]);
});

void test('a ring that is half full is delivered to few followers at once, and to many in the next round', async (t) => {
  const few = stage(16);
  for (let n = 0; n < DEPTH; n++) few.push();
  t.strictSame(few.delivered, [50, 100]);
  const many = stage(MANY);
  for (let n = 0; n < DEPTH; n++) many.push();
  t.strictSame(many.delivered, []);
  await turnsUntil(() => many.delivered.length > 0);
  t.strictSame(many.delivered, [100]);
});

void test('a follower of a later slice gets the events of the round', async (t) => {
  const it = stage(1);
  const last: number[] = [];
  for (let n = 0; n < 100; n++)
    it.channel.followers.add({
      deliver: () => {
        it.now += 1;
      },
    });
  it.channel.followers.add({ deliver: () => last.push(it.channel.ring.last) });
  it.push();
  await turnsUntil(() => last.length > 0);
  t.strictSame(last, [1]);
});
