import fc from 'fast-check';
import { test } from 'tap';
import { Bookings } from '../../../../actors/service/worker/bookings.ts';
import { attemptIdOf, jobId, type AttemptAddress, type AttemptId } from '../../../../src/core/ids.ts';
import type { Booking } from '../../../../src/core/records/worker.ts';

const JOBS = ['0190b2d8-3c4f-7000-8000-000000000001', '0190b2d8-3c4f-7000-8000-000000000002'];

const attempts = fc.record({
  jobId: fc.constantFrom(...JOBS.map(jobId)),
  stepOrder: fc.nat(1),
  index: fc.nat(2),
  attemptNumber: fc.integer({ min: 1, max: 2 }),
});

const bookingOf = (attempt: AttemptAddress, cores = 1): Booking => ({
  attemptId: attemptIdOf(attempt),
  cores,
});

test('bookings are found by their attempts and keep their order', (t) => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), attempts, fc.integer({ min: 1, max: 9 }))), (steps) => {
      const bookings = new Bookings();
      const model = new Map<AttemptId, Booking>();
      for (const [books, attempt, cores] of steps) {
        const booking = bookingOf(attempt, cores);
        const { attemptId } = booking;
        const before = model.get(attemptId);
        t.equal(bookings.has(attemptId), before !== undefined);
        if (!books) {
          t.strictSame(bookings.take({ ...attempt }), before ?? null);
          model.delete(attemptId);
        } else if (before === undefined) {
          bookings.add({ attempt, booking });
          model.set(attemptId, booking);
        }
        t.strictSame(bookings.all(), [...model.values()]);
        t.strictSame(bookings.ids(), [...model.keys()]);
        t.equal(bookings.size, model.size);
      }
    }),
    { numRuns: 200 },
  );
  t.end();
});

test('stored bookings are loaded', (t) => {
  const attempt = { jobId: jobId(JOBS[0] ?? ''), stepOrder: 3, index: 7, attemptNumber: 2 };
  const bookings = new Bookings([bookingOf(attempt, 4)]);
  t.strictSame(bookings.all(), [bookingOf(attempt, 4)]);
  t.equal(
    bookings.take({ ...attempt, attemptNumber: 1 }),
    null,
    'an earlier attempt of the task has no booking',
  );
  t.strictSame(bookings.take(attempt), bookingOf(attempt, 4));
  const wrong = { attemptId: 'no attempt' as AttemptId, cores: 1 };
  t.throws(() => new Bookings([wrong]), /invalid attempt id no attempt/);
  t.notOk(bookings.has(wrong.attemptId));
  t.end();
});
