import { stepKey, type StepKey, type StepName } from '../../../src/core/lease/candidate-order.ts';
import type { StepEntry } from '../../../src/core/lease/step-entry.ts';
import { put, remove, type Change } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { WaitingStepReservation } from '../../../src/core/records/waiting-step.ts';
import type { ServiceContext } from '../service-system.ts';
import type { LeaseState } from './state.ts';

/*
 * Which steps were overtaken, and which workers are reserved for them, follows from earlier leases and sweeps only. It is
 * stored with them, so that an actor that is loaded again decides like one in memory (docs/decisions/reservation.md).
 */

type LeaseContext = ServiceContext<'lease'>;

/** Marks a step that its job reports to an actor that was loaded again. */
export function restoreMark({ index, overtakenBefore }: LeaseState, step: StepEntry): void {
  if (overtakenBefore.size > 0 && overtakenBefore.has(stepKey(step))) index.markOvertaken(step);
}

/** Removes the rows of steps that no longer wait. All jobs have reported theirs. */
export function endRestoring(state: LeaseState, context: LeaseContext): void {
  for (const step of state.overtakenBefore.values()) context.change(rowOf(state, step));
  state.overtakenBefore.clear();
}

/** Reports whether rows are to be written. */
export const areWaitingStepsUnsaved = ({ index, reservations }: LeaseState): boolean =>
  index.hasChangedMarks || reservations.hasChanged;

/** Writes the rows of steps whose mark or reservation has changed, once per commit window. */
export function saveWaitingSteps(state: LeaseState, context: LeaseContext): void {
  if (state.isDeleted) return;
  const changed = new Map<StepKey, StepName>();
  for (const step of [...state.index.takeChangedMarks(), ...state.reservations.takeChanged()])
    changed.set(stepKey(step), step);
  for (const step of changed.values()) context.change(rowOf(state, step));
}

function rowOf(state: LeaseState, step: StepName): Change {
  const { farmId, index, overtakenBefore } = state;
  const entry = index.entry(step.jobId, step.stepOrder);
  // The job of a step without an entry may not have reported it yet.
  const isOvertaken =
    entry?.isOvertaken ?? (state.recovery !== 'ready' && overtakenBefore.has(stepKey(step)));
  const reservation = reservationOf(state, step);
  const key = keys.waitingStep(farmId, step.jobId, step.stepOrder);
  return isOvertaken || reservation !== null
    ? put('waitingStep', key, { version: 1, isOvertaken, reservation })
    : remove('waitingStep', key);
}

function reservationOf({ reservations }: LeaseState, step: StepName): WaitingStepReservation | null {
  const workerId = reservations.workerFor(step);
  const reservation = workerId === undefined ? undefined : reservations.get(workerId);
  if (workerId === undefined || reservation === undefined) return null;
  const { since, isPreemption } = reservation;
  return isPreemption === true ? { workerId, since, isPreemption } : { workerId, since };
}
