import { parseAttemptId, type AttemptAddress, type AttemptId } from '../../../src/core/ids.ts';
import type { Booking } from '../../../src/core/records/worker.ts';
import type { AttemptBooking } from './messages.ts';

/**
 * The open attempts that hold cores of one worker, in the order in which they were booked. They are as many as the worker has cores at the
 * most, and are found by the numbers of their addresses: a map by their ids costs a lease and its end more than all else that a worker does
 * for them, and one that is emptied and filled again is made anew each time (docs/performance.md).
 */
export class Bookings {
  private readonly held: AttemptBooking[] = [];

  /** Those that were written. Throws for one that is of no attempt. */
  constructor(written: readonly Booking[] = []) {
    for (const { attemptId, cores } of written) {
      const attempt = parseAttemptId(attemptId);
      if (attempt === null) throw new Error(`the store books the attempt ${attemptId}, which is no attempt`);
      this.held.push({ attempt, booking: { attemptId, cores } });
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
    return attempt !== null && this.placeOf(attempt) >= 0;
  }

  /** Takes out what the attempt holds; null when it holds nothing. */
  take(attempt: AttemptAddress): Booking | null {
    const place = this.placeOf(attempt);
    if (place < 0) return null;
    const booking = this.held[place]?.booking ?? null;
    if (place === this.held.length - 1) this.held.pop();
    else this.held.splice(place, 1);
    return booking;
  }

  all(): Booking[] {
    return this.held.map(({ booking }) => booking);
  }

  ids(): AttemptId[] {
    return this.held.map(({ booking }) => booking.attemptId);
  }

  private placeOf({ jobId, stepOrder, index, attemptNumber }: AttemptAddress): number {
    for (let place = 0; place < this.held.length; place++) {
      const attempt = this.held[place]?.attempt;
      if (attempt?.index !== index || attempt.attemptNumber !== attemptNumber) continue;
      if (attempt.stepOrder === stepOrder && attempt.jobId === jobId) return place;
    }
    return -1;
  }
}
