import { GPU_MEMORY } from '../../openjd/template/capabilities.ts';
import type { Booking, WorkerRecord } from '../records/worker.ts';
import { amountOf, gpuCountOf, totalOf } from './booked-amounts.ts';
import type { BookedAmountsSetting } from '../records/farm.ts';
import { WorkerAmounts } from './worker-amounts.ts';
import { offerOf } from './worker-offer.ts';

/** Use of one amount by the tasks of a worker. */
export interface BookedAmount {
  readonly name: string;
  readonly booked: number;
  /** Amount of the worker; for memory of GPUs, that of all its GPUs. */
  readonly total: number;
}

/** Returns what the tasks of the worker hold of each amount that its farm books, or has booked when they were assigned. */
export function bookedOn(
  worker: WorkerRecord,
  bookings: readonly Booking[],
  setting: BookedAmountsSetting | undefined,
): readonly BookedAmount[] {
  const held = bookings.flatMap(({ amounts }) => Object.keys(amounts ?? {}));
  const names = [...new Set([...(setting?.names ?? []), ...held])];
  if (names.length === 0) return [];
  const offer = offerOf(worker, 0);
  const committed = new WorkerAmounts(offer, bookings);
  return names.map((name) => ({
    name,
    booked: committed.committed(name),
    total: amountOf(totalOf(offer, name)) * (name === GPU_MEMORY ? gpuCountOf(offer) : 1),
  }));
}

/** Returns the indices of the GPUs that tasks hold, ascending, each once. */
export const gpusBookedBy = (bookings: readonly Booking[]): readonly number[] =>
  [...new Set(bookings.flatMap(({ gpus }) => gpus ?? []))].sort((a, b) => a - b);
