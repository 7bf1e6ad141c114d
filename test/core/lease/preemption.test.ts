import fc from 'fast-check';
import { test } from 'tap';
import { attemptIdOf, jobId, workerId, type AttemptId } from '../../../src/core/ids.ts';
import { BookedAmounts } from '../../../src/core/lease/booked-amounts.ts';
import {
  choosePreemption,
  mayPreempt,
  PREEMPTION_PAUSE_MS,
  victimsOn,
  type Candidate,
  type WorkerInUse,
} from '../../../src/core/lease/preemption.ts';
import { requirements, workerOffer } from '../../kit/lease-parts.ts';

const NOW = 10_000_000;
const MINUTE = 60_000;
const MEMORY = 'amount.worker.memory';
const BOOKED = new BookedAmounts({ names: [MEMORY], byDefault: 'none', version: 1 });

const idOf = (index: number): AttemptId =>
  attemptIdOf({ jobId: jobId('j'), stepOrder: 0, index, attemptNumber: 1 });

const candidate = (index: number, ranMs: number, cores = 1, memory = 0): Candidate => ({
  attemptId: idOf(index),
  cores,
  startedAt: NOW - ranMs,
  ...(memory > 0 && { amounts: { [MEMORY]: memory } }),
});

const inUse = (name: string, ordinal: number, some: Partial<WorkerInUse> = {}): WorkerInUse => ({
  offer: workerOffer({ id: workerId(name), ordinal, cpuCount: 4, memoryMib: 1000 }),
  kept: [],
  candidates: [],
  isEnding: false,
  ...some,
});

const victims = (worker: WorkerInUse, cores: number | null, memory = 0): readonly AttemptId[] | null => {
  const amounts = memory > 0 ? [{ name: MEMORY, min: memory }] : [];
  const found = victimsOn(requirements({ cores, amounts }), worker, BOOKED, NOW);
  return found === null ? null : found.victims.map(({ attemptId }) => attemptId);
};

test('the newest attempts are taken back, as few as are needed', (t) => {
  const full = inUse('w', 1, {
    candidates: [
      candidate(0, 40 * MINUTE),
      candidate(1, 10 * MINUTE),
      candidate(2, MINUTE),
      candidate(3, 30 * MINUTE),
    ],
  });
  t.strictSame(victims(full, 1), [idOf(2)]);
  t.strictSame(victims(full, 2), [idOf(2), idOf(1)]);
  t.strictSame(victims(full, null), [idOf(2), idOf(1), idOf(3), idOf(0)], 'a whole machine');
  t.strictSame(victims(inUse('w', 1), 4), [], 'it has room');
  t.equal(victims(inUse('w', 1, { kept: [candidate(9, 0)], candidates: [candidate(0, 1, 3)] }), 4), null);
  t.end();
});

test('attempts that free too little of a booked amount are spared', (t) => {
  const worker = inUse('w', 1, {
    candidates: [
      candidate(0, 3 * MINUTE, 1, 800),
      candidate(1, MINUTE, 1, 100),
      candidate(2, 2 * MINUTE, 1, 100),
    ],
  });
  t.strictSame(victims(worker, 1, 600), [idOf(0)], 'only the oldest has the memory');
  t.strictSame(victims(worker, 1, 150), [idOf(1), idOf(2)], 'the newest two are enough');
  t.strictSame(victims(worker, 1, 900), [idOf(1), idOf(0)], 'the younger of two equal ones');
  t.end();
});

test('the worker on which the least work is lost is chosen, in core time', (t) => {
  const needs = requirements({ cores: 4 });
  const workers = [
    inUse('long', 1, { candidates: [candidate(0, 10 * MINUTE, 4)] }),
    inUse('short', 2, { candidates: [candidate(1, MINUTE, 2), candidate(2, MINUTE, 2)] }),
    inUse('same', 3, { candidates: [candidate(3, MINUTE, 4)] }),
    inUse('same too', 4, { candidates: [candidate(4, MINUTE, 4)] }),
    inUse('kept', 5, { kept: [candidate(5, 0, 1)], candidates: [candidate(6, 0, 3)] }),
  ];
  const expected = { workerId: 'same', victims: [idOf(3)] };
  t.strictSame(choosePreemption(needs, workers, null, NOW), expected, 'fewest attempts, then lowest ordinal');
  t.strictSame(choosePreemption(needs, workers.toReversed(), null, NOW), expected, 'in any order');
  const [, , , , kept] = workers;
  t.equal(choosePreemption(needs, kept === undefined ? [] : [kept], null, NOW), null, 'nothing helps');
  t.end();
});

test('nothing is taken back while a worker has room, or where enough is ending already', (t) => {
  const needs = requirements({ cores: 2 });
  const full = inUse('full', 1, { candidates: [candidate(0, 0, 4)] });
  t.equal(choosePreemption(needs, [full, inUse('idle', 2)], null, NOW), null);
  t.strictSame(choosePreemption(needs, [full, inUse('ending', 2, { isEnding: true })], null, NOW), {
    workerId: 'ending',
    victims: [],
  });
  t.end();
});

test('a task is taken back at most three times, and not again within an hour', (t) => {
  t.equal(mayPreempt(null, NOW), true);
  t.equal(mayPreempt({ times: 2, lastAt: NOW - PREEMPTION_PAUSE_MS }, NOW), true);
  t.equal(mayPreempt({ times: 2, lastAt: NOW - PREEMPTION_PAUSE_MS + 1 }, NOW), false);
  t.equal(mayPreempt({ times: 3, lastAt: NOW - 9 * PREEMPTION_PAUSE_MS }, NOW), false);
  t.equal(mayPreempt({ times: 1, lastAt: NOW + MINUTE }, NOW), false, 'the clock was set back');
  t.end();
});

/** A worker as plain numbers. */
interface Plain {
  readonly kept: readonly { readonly cores: number; readonly memory: number }[];
  readonly candidates: readonly { readonly cores: number; readonly memory: number; readonly age: number }[];
}

const size = { cores: fc.integer({ min: 1, max: 3 }), memory: fc.constantFrom(0, 100, 300, 500) };
const plainWorker: fc.Arbitrary<Plain> = fc.record({
  kept: fc.array(fc.record(size), { maxLength: 2 }),
  candidates: fc.array(fc.record({ ...size, age: fc.integer({ min: 0, max: 5 }) }), { maxLength: 6 }),
});

/** All sets of positions. */
const subsetsOf = (count: number): number[][] =>
  Array.from({ length: 2 ** count }, (_, bits) =>
    Array.from({ length: count }, (_each, at) => at).filter((at) => ((bits >> at) & 1) === 1),
  );

test('a brute-force search finds no set with newer attempts, and no smaller one within the chosen set', (t) => {
  fc.assert(
    fc.property(
      fc.array(plainWorker, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 4 }),
      fc.constantFrom<number>(0, 200, 600, 1000),
      (plain, cores, memory) => {
        const amounts = memory > 0 ? [{ name: MEMORY, min: memory }] : [];
        const needs = requirements({ cores, amounts });
        const fitsWithout = ({ kept, candidates }: Plain, gone: readonly number[]): boolean => {
          const left = [...kept, ...candidates.filter((_each, at) => !gone.includes(at))];
          const usedCores = left.reduce((sum, each) => sum + each.cores, 0);
          const usedMemory = left.reduce((sum, each) => sum + each.memory, 0);
          return usedCores + cores <= 4 && (memory === 0 || usedMemory + memory <= 1000);
        };
        const lostBy = ({ candidates }: Plain, gone: readonly number[]): number =>
          gone.reduce((sum, at) => sum + (candidates[at]?.cores ?? 0) * (candidates[at]?.age ?? 0), 0);
        const oldestOf = ({ candidates }: Plain, gone: readonly number[]): number =>
          Math.max(-1, ...gone.map((at) => candidates[at]?.age ?? 0));
        const workers = plain.map((each, place) =>
          inUse(`w${place}`, place, {
            kept: each.kept.map((held, at) => candidate(100 + at, 0, held.cores, held.memory)),
            candidates: each.candidates.map((held, at) => candidate(at, held.age, held.cores, held.memory)),
          }),
        );
        const losses: number[] = [];
        for (const [place, each] of plain.entries()) {
          const worker = workers[place];
          if (worker === undefined) return;
          const found = victimsOn(needs, worker, BOOKED, NOW);
          const sets = subsetsOf(each.candidates.length).filter((gone) => fitsWithout(each, gone));
          t.equal(found !== null, sets.length > 0, 'a set is found if there is one');
          if (found === null) continue;
          const chosen = found.victims.map(({ attemptId }) =>
            worker.candidates.findIndex((known) => known.attemptId === attemptId),
          );
          t.ok(fitsWithout(each, chosen), 'the task fits');
          for (const spared of chosen)
            t.notOk(
              fitsWithout(
                each,
                chosen.filter((at) => at !== spared),
              ),
              'each attempt is needed',
            );
          const newest = Math.min(...sets.map((gone) => oldestOf(each, gone)));
          t.equal(oldestOf(each, chosen), newest, 'no other set spares an older attempt');
          t.equal(found.lost, lostBy(each, chosen));
          losses.push(found.lost);
        }
        const choice = choosePreemption(needs, workers, BOOKED, NOW);
        const hasRoom = plain.some((each) => fitsWithout(each, []));
        t.equal(choice === null, hasRoom || losses.length === 0);
        if (choice === null) return;
        const place = workers.findIndex(({ offer }) => offer.workerId === choice.workerId);
        const best = workers[place];
        t.equal(
          best && victimsOn(needs, best, BOOKED, NOW)?.lost,
          Math.min(...losses),
          'the least work is lost',
        );
        t.strictSame(choosePreemption(needs, workers.toReversed(), BOOKED, NOW), choice, 'in any order');
      },
    ),
  );
  t.end();
});
