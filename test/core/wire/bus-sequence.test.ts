import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'tap';
import {
  afterRestore,
  busSequenceOf,
  numbered,
  rebased,
  streamFound,
} from '../../../src/core/wire/bus-sequence.ts';

test('the first stream keeps its numbers', async (t) => {
  const state = streamFound(null, { createdAt: 'monday', lastSequence: 40 });
  t.strictSame(state, {
    version: 1,
    streamCreatedAt: 'monday',
    base: 0,
    lastStreamSequence: 0,
    lastBusSequence: 0,
  });
  t.equal(busSequenceOf(state, 12), 12);
  t.strictSame(numbered(state, 12), { ...state, lastStreamSequence: 12, lastBusSequence: 12 });
  t.strictSame(
    numbered(numbered(state, 12), 7),
    numbered(state, 12),
    'a late message does not decrease the number',
  );
});

test('the same stream continues after a reconnect', async (t) => {
  const state = numbered(streamFound(null, { createdAt: 'monday', lastSequence: 40 }), 40);
  t.equal(streamFound(state, { createdAt: 'monday', lastSequence: 40 }), state);
  t.equal(streamFound(state, { createdAt: 'monday', lastSequence: 55 }), state);
});

test('a stream that was re-created or reset gets higher numbers than all before', async (t) => {
  const state = numbered(streamFound(null, { createdAt: 'monday', lastSequence: 40 }), 40);
  const again = streamFound(state, { createdAt: 'tuesday', lastSequence: 3 });
  t.strictSame(again, {
    version: 1,
    streamCreatedAt: 'tuesday',
    base: 40,
    lastStreamSequence: 0,
    lastBusSequence: 40,
  });
  t.equal(busSequenceOf(again, 1), 41);
  const putBack = streamFound(state, { createdAt: 'monday', lastSequence: 39 });
  t.strictSame(putBack, { ...state, base: 40, lastStreamSequence: 0 });
  t.strictSame(putBack, rebased(state));
});

test('numbers of messages in order increase, whatever happens to the stream', async () => {
  const life = fc.array(
    fc.tuple(fc.constantFrom('same', 'again', 'put back'), fc.array(fc.integer({ min: 1, max: 5 }))),
  );
  fc.assert(
    fc.property(life, (phases) => {
      let state = streamFound(null, { createdAt: '0', lastSequence: 0 });
      let at = 0;
      let last = 0;
      phases.forEach(([what, steps], phase) => {
        if (what === 'again') at = 0;
        if (what === 'put back') at = Math.floor(at / 2);
        const createdAt = what === 'again' ? String(phase + 1) : state.streamCreatedAt;
        state = streamFound(state, { createdAt, lastSequence: at });
        for (const step of steps) {
          at += step;
          assert.ok(busSequenceOf(state, at) > last);
          last = busSequenceOf(state, at);
          state = numbered(state, at);
        }
      });
    }),
  );
});

const NOW = Date.parse('2026-11-21T10:00:00Z');

test('after a restore numbers are higher than all that were assigned since the backup', async (t) => {
  const backedUp = numbered(streamFound(null, { createdAt: 'monday', lastSequence: 40 }), 40);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(null, backedUp),
      fc.integer({ min: 1, max: 1_000_000_000 }),
      fc.constantFrom('monday', 'tuesday'),
      fc.integer({ min: 1, max: 1_000_000_000 }),
      async (saved, givenSince, createdAt, next) => {
        const lost = (saved?.lastBusSequence ?? 0) + givenSince;
        const found = streamFound(afterRestore(saved, NOW), { createdAt, lastSequence: next });
        const number = busSequenceOf(found, next);
        return Promise.resolve(number > lost && Number.isSafeInteger(number));
      },
    ),
  );
  const first = afterRestore(backedUp, NOW);
  const number = (at: number): number =>
    busSequenceOf(streamFound(afterRestore(backedUp, at), { createdAt: 'monday', lastSequence: 0 }), 1);
  t.equal(number(NOW), NOW * 1000 + 1);
  t.equal(number(NOW + 60_000) - number(NOW), 60_000_000, 'the same backup, restored again later');
  const early = afterRestore(first, NOW - 1);
  t.equal(
    early.lastBusSequence,
    first.lastBusSequence,
    'a clock that was set back does not decrease the number',
  );
});
