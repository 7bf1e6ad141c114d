import * as fc from 'fast-check';
import { test } from 'tap';
import { createMemoryStore, type MemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { attemptIdOf, jobId, workerId, type AttemptAddress } from '../../../src/core/ids.ts';
import type { Change } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { indexAttempts, indexedAttempts } from '../../../src/core/records/attempts-of-worker.ts';
import { NO_CALLBACKS } from '../../kit/commit-callbacks.ts';

const WORKER = workerId('0191c0de-0000-7000-8000-0000000000e1');
const OTHER = workerId('0191c0de-0000-7000-8000-0000000000e2');
const JOBS = [1, 2].map((number) => jobId(`0191c0de-0000-7000-8000-00000000000${number}`));

function storeOf(changes: readonly Change[]): MemoryStore {
  const store = createMemoryStore();
  store.commit({ version: 1, shard: 0, sequence: 1, changes }, NO_CALLBACKS);
  store.flushAll();
  return store;
}

const arbitraryAddress = (job: number): fc.Arbitrary<AttemptAddress> =>
  fc
    .tuple(
      fc.integer({ min: 0, max: 3 }),
      fc.integer({ min: 0, max: 1_000_000 }),
      fc.integer({ min: 1, max: 99 }),
    )
    .map(([stepOrder, index, attemptNumber]) => ({
      jobId: JOBS[job] ?? jobId(''),
      stepOrder,
      index,
      attemptNumber,
    }));

/** Attempts that were closed in one turn, with their end. */
const arbitraryEntry = fc.tuple(
  fc.integer({ min: 0, max: 4_000_000_000_000 }),
  fc
    .integer({ min: 0, max: 1 })
    .chain((job) =>
      fc.uniqueArray(arbitraryAddress(job), { minLength: 1, maxLength: 4, selector: attemptIdOf }),
    ),
);

test('the index returns every attempt once, the latest end first, whatever the pages', (t) => {
  fc.assert(
    fc.property(
      fc.uniqueArray(arbitraryEntry, {
        maxLength: 8,
        selector: ([endedAt, [first]]) => keys.workerAttempt(WORKER, endedAt, first ?? fail()),
      }),
      fc.integer({ min: 1, max: 5 }),
      (entries, pageSize) => {
        const store = storeOf([
          ...entries.map(([endedAt, attempts]) => indexAttempts(WORKER, endedAt, attempts)),
          ...entries.map(([endedAt, attempts]) => indexAttempts(OTHER, endedAt, attempts)),
        ]);
        const expected = [...entries]
          .sort(([one, [a]], [other, [b]]) =>
            keys.workerAttempt(WORKER, one, a ?? fail()) < keys.workerAttempt(WORKER, other, b ?? fail())
              ? 1
              : -1,
          )
          .flatMap(([endedAt, attempts]) => attempts.map((attempt) => `${endedAt} ${attemptIdOf(attempt)}`));
        const found: string[] = [];
        let before: string | null = null;
        for (;;) {
          let read = 0;
          for (const { attempt, endedAt, place } of indexedAttempts(store, WORKER, before)) {
            found.push(`${endedAt} ${attemptIdOf(attempt)}`);
            before = place;
            if (++read === pageSize) break;
          }
          if (read < pageSize) break;
        }
        t.strictSame(found, expected);
      },
    ),
  );
  t.end();
});

function fail(): never {
  throw new Error('an entry without an attempt');
}

test('a page continues where the one before ended, also if its entry was removed meanwhile', (t) => {
  const at = (index: number): AttemptAddress => ({
    jobId: JOBS[0] ?? jobId(''),
    stepOrder: 0,
    index,
    attemptNumber: 1,
  });
  const all = storeOf([
    indexAttempts(WORKER, 10, [at(0)]),
    indexAttempts(WORKER, 20, [at(1), at(2)]),
    indexAttempts(WORKER, 30, [at(3)]),
  ]);
  const [, second] = [...indexedAttempts(all, WORKER, null)];
  t.equal(second?.attempt.index, 1);
  const rest = [...indexedAttempts(all, WORKER, second?.place ?? null)];
  t.strictSame(
    rest.map(({ attempt }) => attempt.index),
    [2, 0],
  );
  const without = storeOf([indexAttempts(WORKER, 10, [at(0)])]);
  t.strictSame(
    [...indexedAttempts(without, WORKER, second?.place ?? null)].map(({ attempt }) => attempt.index),
    [0],
  );
  t.throws(() => indexAttempts(WORKER, 10, []), RangeError);
  t.end();
});
