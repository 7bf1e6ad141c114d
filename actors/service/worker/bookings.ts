import { parseAttemptId, type AttemptAddress, type AttemptId } from '../../../src/core/ids.ts';
import { holdingOf } from '../../../src/core/records/holding.ts';
import type { Booking } from '../../../src/core/records/worker.ts';
import type { AttemptBooking } from './messages.ts';

/**
 * The open attempts that hold cores of one worker, in the order of booking. At most as many as the worker has cores. A
 * list searched by address, because a map by attempt id costs more per lease than all other work of the worker actor,
 * and a map that is emptied and refilled is reallocated each time (docs/performance.md).
 */
export class Bookings {
  private readonly held: AttemptBooking[] = [];

  /** Loads stored bookings. Throws for an invalid attempt id. */
  constructor(written: readonly Booking[] = []) {
    for (const row of written) {
      const { attemptId, cores, reason } = row;
      const attempt = parseAttemptId(attemptId);
      if (attempt === null)
        throw new Error(`the store has a booking with the invalid attempt id ${attemptId}`);
      const booking = { attemptId, cores, ...holdingOf(row), ...(reason !== undefined && { reason }) };
      this.held.push({ attempt, booking });
    }
  }

  get size(): number {
    return this.held.length;
  }

  add(booking: AttemptBooking): void {
    this.held.push(booking);
  }

  has(attemptId: AttemptId): boolean {
    const attempt = parseAttemptId(attemptId);
    return attempt !== null && this.positionOf(attempt) >= 0;
  }

  /** Removes and returns the booking of an attempt, or null if there is none. */
  take(attempt: AttemptAddress): Booking | null {
    const position = this.positionOf(attempt);
    if (position < 0) return null;
    const booking = this.held[position]?.booking ?? null;
    if (position === this.held.length - 1) this.held.pop();
    else this.held.splice(position, 1);
    return booking;
  }

  all(): Booking[] {
    return this.held.map(({ booking }) => booking);
  }

  ids(): AttemptId[] {
    return this.held.map(({ booking }) => booking.attemptId);
  }

  private positionOf({ jobId, stepOrder, index, attemptNumber }: AttemptAddress): number {
    for (let position = 0; position < this.held.length; position++) {
      const attempt = this.held[position]?.attempt;
      if (attempt?.index !== index || attempt.attemptNumber !== attemptNumber) continue;
      if (attempt.stepOrder === stepOrder && attempt.jobId === jobId) return position;
    }
    return -1;
  }
}
