import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { test } from 'tap';
import { SharedTallies, tallyMemory } from '../../../src/adapters/system/shared-tallies.ts';
import { farmId } from '../../../src/core/ids.ts';
import type { ClaimOptions } from './programs/claim-slots.ts';

const F = farmId('f');
const G = farmId('g');

test('shares of farms are added up, and a claim stops at the limit', (t) => {
  const shares = [
    { farmId: F, slot: 1, count: 2 },
    { farmId: G, slot: 1, count: 1 },
    { farmId: G, slot: 7, count: 4 },
  ];
  const tallies = new SharedTallies(tallyMemory(shares), 0, shares, () => undefined);
  t.strictSame([tallies.total(1), tallies.total(7), tallies.total(2)], [3, 4, 0]);
  t.equal(tallies.claim(F, 1, 4, 5), 2);
  t.equal(tallies.claim(F, 1, 4, 5), 0);
  t.equal(tallies.claim(F, 1, 1, 4), 0, 'the limit was set below the current claims');
  t.equal(tallies.total(1), 5);
  tallies.setShare(G, 1, 0);
  t.equal(tallies.total(1), 4);
  tallies.release(F, 1, 9);
  t.equal(tallies.total(1), 0, 'not more than the farm holds');
  t.end();
});

test('a farm that waits for freed capacity is notified once, on any shard', (t) => {
  const memory = tallyMemory([]);
  const told: [number, bigint][] = [];
  const shards = [0, 1, 63].map(
    (shard) => new SharedTallies(memory, shard, [], (slot, waiting) => told.push([slot, waiting])),
  );
  const [first, second, last] = shards;
  if (first === undefined || second === undefined || last === undefined) throw new Error('three shards');
  first.claim(F, 3, 2, 2);
  second.notifyWhenFreed(G, 3);
  last.notifyWhenFreed(F, 3);
  last.notifyWhenFreed(G, 4);
  first.setShare(F, 3, 5);
  t.strictSame(told, [], 'the limit was raised');
  first.release(F, 3, 1);
  first.release(F, 3, 1);
  t.strictSame(told, [[3, (1n << 1n) | (1n << 63n)]]);
  t.strictSame(second.drainWaitingFarms(3), [G]);
  t.strictSame(second.drainWaitingFarms(3), [], 'farms claim again if they still wait');
  t.strictSame(last.drainWaitingFarms(4), [G]);
  t.end();
});

test('threads that claim in parallel never exceed the limit', async (t) => {
  const max = 4;
  const options: Omit<ClaimOptions, 'shard'> = {
    memory: tallyMemory([]),
    slot: 9,
    max,
    rounds: 100_000,
    held: new Int32Array(new SharedArrayBuffer(4)),
  };
  const mosts = await Promise.all(
    [0, 1, 2].map(async (shard) => {
      const program = new URL('./programs/claim-slots.js', import.meta.url);
      const worker = new Worker(program, { workerData: { ...options, shard } });
      const [most] = (await once(worker, 'message')) as [number];
      return most;
    }),
  );
  t.ok(Math.max(...mosts) <= max, `at most ${Math.max(...mosts)} of ${max} were held`);
  t.equal(Atomics.load(options.memory.totals, 9), 0);
});
