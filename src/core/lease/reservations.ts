/**
 * Invariants: a worker is reserved for at most one step, and a step has at most one reserved worker; `inOrder` has the
 * reserved workers in the order of their ids. Exits: `delete`, or `set` for the same worker or the same step.
 */

import { partitionPoint } from '../../openjd/primitives/partition-point.ts';
import type { WorkerId } from '../ids.ts';
import { stepKey, type StepKey, type StepName } from './candidate-order.ts';

/** The step that a worker is reserved for, and the start of the reservation (milliseconds since the epoch). */
export interface Reservation extends StepName {
  readonly since: number;
  /** Set if tasks were taken back on the worker for the step. Absent is false. */
  readonly isPreemption?: true;
}

/** A reserved worker with its reservation. */
export type ReservedWorker = readonly [WorkerId, Reservation];

/**
 * The reserved workers of a farm, each with its step (docs/decisions/reservation.md). They are iterated in the order of
 * their ids, however they came to be reserved.
 */
export class Reservations {
  readonly #byWorker = new Map<WorkerId, Reservation>();
  readonly #byStep = new Map<StepKey, WorkerId>();
  readonly #inOrder: WorkerId[] = [];
  /** Steps whose reservations have changed since the last call of `takeChanged`. */
  readonly #changed = new Map<StepKey, StepName>();

  get size(): number {
    return this.#byWorker.size;
  }

  has(workerId: WorkerId): boolean {
    return this.#byWorker.has(workerId);
  }

  get(workerId: WorkerId): Reservation | undefined {
    return this.#byWorker.get(workerId);
  }

  /** Returns the worker that is reserved for the step. */
  workerFor(step: StepName): WorkerId | undefined {
    return this.#byWorker.size === 0 ? undefined : this.#byStep.get(stepKey(step));
  }

  /** Reserves a worker. Replaces an earlier reservation of the worker or for the step. */
  set(workerId: WorkerId, reservation: Reservation): void {
    const other = this.workerFor(reservation);
    if (other !== undefined) this.delete(other);
    this.delete(workerId);
    this.#byWorker.set(workerId, reservation);
    this.#byStep.set(stepKey(reservation), workerId);
    this.#inOrder.splice(this.#placeOf(workerId), 0, workerId);
    this.#note(reservation);
  }

  delete(workerId: WorkerId): void {
    const reservation = this.#byWorker.get(workerId);
    if (reservation === undefined) return;
    this.#byWorker.delete(workerId);
    this.#byStep.delete(stepKey(reservation));
    this.#inOrder.splice(this.#placeOf(workerId), 1);
    this.#note(reservation);
  }

  /** Returns the reserved workers in the order of their ids. Later changes do not affect the list. */
  list(): readonly ReservedWorker[] {
    return this.#inOrder.flatMap((workerId) => {
      const reservation = this.#byWorker.get(workerId);
      return reservation === undefined ? [] : [[workerId, reservation] as const];
    });
  }

  get hasChanged(): boolean {
    return this.#changed.size > 0;
  }

  /** Returns the steps whose reservations have changed since the previous call. */
  takeChanged(): readonly StepName[] {
    const changed = [...this.#changed.values()];
    this.#changed.clear();
    return changed;
  }

  #note({ jobId, stepOrder }: StepName): void {
    const step = { jobId, stepOrder };
    this.#changed.set(stepKey(step), step);
  }

  #placeOf(workerId: WorkerId): number {
    return partitionPoint(this.#inOrder.length, (at) => (this.#inOrder[at] ?? '') < workerId);
  }
}
