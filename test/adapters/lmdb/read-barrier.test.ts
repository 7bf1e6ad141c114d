import fc from 'fast-check';
import { test } from 'tap';
import { ReadBarrier } from '../../../src/adapters/lmdb/read-barrier.ts';
import { WATERMARKS } from '../../../src/adapters/lmdb/store-protocol.ts';

/** A barrier over watermarks that the test raises as the store thread does. */
class Gate {
  readonly watermarks = new BigInt64Array(new SharedArrayBuffer(Object.keys(WATERMARKS).length * 8));
  asked = 0;
  readonly barrier = new ReadBarrier(this.watermarks, () => this.asked++);

  /** Makes a change set durable: the next transaction makes it readable. */
  harden(): void {
    Atomics.store(this.watermarks, WATERMARKS.durable, BigInt(this.readable + 1));
  }

  applyJournal(): void {
    Atomics.store(this.watermarks, WATERMARKS.readable, BigInt(this.durable));
  }

  get durable(): number {
    return Number(this.watermarks[WATERMARKS.durable]);
  }

  get readable(): number {
    return Number(this.watermarks[WATERMARKS.readable]);
  }
}

test('there is no wait when all durable sets are readable', (t) => {
  const gate = new Gate();
  t.equal(gate.barrier.untilReadable(), null);
  gate.harden();
  gate.applyJournal();
  t.equal(gate.barrier.untilReadable(), null);
  t.equal(gate.asked, 0);
  gate.barrier.answered();
  t.equal(gate.asked, 0, 'an answer without waiters sends no request');
  t.end();
});

test('waiters are released when all sets that were durable are readable, and share one request', async (t) => {
  const gate = new Gate();
  gate.harden();
  let isReleased = false;
  const first = gate.barrier.untilReadable()?.then(() => (isReleased = true));
  const second = gate.barrier.untilReadable();
  t.equal(gate.asked, 1);
  await Promise.resolve();
  t.equal(isReleased, false);
  gate.applyJournal();
  gate.barrier.answered();
  await Promise.all([first, second]);
  t.equal(isReleased, true);
  t.equal(gate.asked, 1);
  t.equal(gate.barrier.untilReadable(), null);
});

test('a request that arrives after the transaction asks again', async (t) => {
  const gate = new Gate();
  gate.harden();
  const first = gate.barrier.untilReadable();
  gate.applyJournal();
  gate.harden();
  let isReleased = false;
  const second = gate.barrier.untilReadable()?.then(() => (isReleased = true));
  t.equal(gate.asked, 1, 'one request is open');
  gate.barrier.answered();
  await first;
  t.equal(isReleased, false);
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
        size: 'max',
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
          if (step === 'harden') gate.harden();
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
