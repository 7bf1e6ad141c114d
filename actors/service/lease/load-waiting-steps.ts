import type { FarmId } from '../../../src/core/ids.ts';
import { stepKey, type StepKey, type StepName } from '../../../src/core/lease/candidate-order.ts';
import type { Reservations } from '../../../src/core/lease/reservations.ts';
import type { StoreReader } from '../../../src/core/ports/store.ts';
import { keys, stepOfWaitingKey } from '../../../src/core/records/tables.ts';

/** Loads the reservations of a farm. Returns the steps that were overtaken. */
export function loadWaitingSteps(
  farm: FarmId,
  reservations: Reservations,
  reader: StoreReader,
): Map<StepKey, StepName> {
  const overtaken = new Map<StepKey, StepName>();
  for (const { key, value } of reader.scan('waitingStep', { prefix: keys.waitingStepsOf(farm) })) {
    const step = stepOfWaitingKey(key);
    if (value.isOvertaken) overtaken.set(stepKey(step), step);
    if (value.reservation === null) continue;
    const { workerId, ...reservation } = value.reservation;
    reservations.set(workerId, { ...step, ...reservation });
  }
  reservations.takeChanged();
  return overtaken;
}
