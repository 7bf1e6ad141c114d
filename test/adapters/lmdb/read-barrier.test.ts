import fc from 'fast-check';
import { test } from 'tap';
import { ReadBarrier } from '../../../src/adapters/lmdb/read-barrier.ts';
import { WATERMARKS } from '../../../src/adapters/lmdb/store-protocol.ts';

/** A barrier over counts that the test moves as the store thread does. */
class Gate {
  readonly settled = new BigInt64Array(new SharedArrayBuffer(Object.keys(WATERMARKS).length * 8));
  asked = 0;
  readonly barrier = new ReadBarrier(this.settled, () => this.asked++);

  harden(sets: number): void {
    Atomics.add(this.settled, WATERMARKS.durableSets, BigInt(sets));
  }

  applyJournal(): void {
    Atomics.store(this.settled, WATERMARKS.readableSets, Atomics.load(this.settled, WATERMARKS.durableSets));
  }

  get durable(): number {
    return Number(this.settled[WATERMARKS.durableSets]);
  }

  get readable(): number {
    return Number(this.settled[WATERMARKS.readableSets]);
  }
}

test('there is no wait when all durable sets are readable', (t) => {
  const gate = new Gate();
  t.equal(gate.barrier.untilReadable(), null);
  gate.harden(3);
  gate.applyJournal();
  t.equal(gate.barrier.untilReadable(), null);
  t.equal(gate.asked, 0);
  gate.barrier.answered();
  t.equal(gate.asked, 0, 'an answer without waiters sends no request');
  t.end();
});

test('waiters are released when all sets that were durable are readable, and share one request', async (t) => {
  const gate = new Gate();
  gate.harden(2);
  let let1 = false;
  const first = gate.barrier.untilReadable()?.then(() => (let1 = true));
  const second = gate.barrier.untilReadable();
  t.equal(gate.asked, 1);
  await Promise.resolve();
  t.equal(let1, false);
  gate.applyJournal();
  gate.barrier.answered();
  await Promise.all([first, second]);
  t.equal(let1, true);
  t.equal(gate.asked, 1);
  t.equal(gate.barrier.untilReadable(), null);
});

test('who came after the answer was made asks again', async (t) => {
  const gate = new Gate();
  gate.harden(1);
  const first = gate.barrier.untilReadable();
  gate.applyJournal();
  gate.harden(1);
  let isLet = false;
  const second = gate.barrier.untilReadable()?.then(() => (isLet = true));
  t.equal(gate.asked, 1, 'one question is under way');
  gate.barrier.answered();
  await first;
  t.equal(isLet, false);
  t.equal(gate.asked, 2);
  gate.applyJournal();
  gate.barrier.answered();
  await second;
  t.equal(gate.asked, 2);
});

type Step = 'harden' | 'read' | 'answer' | 'ask';

test('in any order of events no waiter is released too early, and none waits forever', async (t) => {
  let waited = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom<Step>('harden', 'harden', 'read', 'answer', 'ask', 'ask'), {
        minLength: 10,
        maxLength: 40,
      }),
      async (steps) => {
        const gate = new Gate();
        const waiting: Promise<void>[] = [];
        let tooEarly = 0;
        let answered = 0;
        const ask = (): void => {
          const durable = gate.durable;
          const promise = gate.barrier.untilReadable();
          if (promise === null) {
            if (gate.readable < durable) tooEarly++;
            return;
          }
          waited++;
          waiting.push(
            promise.then(() => {
              if (gate.readable < durable) tooEarly++;
            }),
          );
        };
        /** The store thread answers what it was asked. */
        const answer = (): void => {
          if (answered === gate.asked) return;
          answered++;
          gate.barrier.answered();
        };
        for (const step of steps) {
          if (step === 'harden') gate.harden(1);
          if (step === 'read') gate.applyJournal();
          if (step === 'answer') answer();
          if (step === 'ask') ask();
          await Promise.resolve();
        }
        gate.applyJournal();
        for (let rounds = 0; rounds < 3 && answered < gate.asked; rounds++) answer();
        await Promise.all(waiting);
        return tooEarly === 0 && answered === gate.asked;
      },
    ),
    { numRuns: 500 },
  );
  t.ok(waited > 200, `${waited} waited`);
});
