import { stepKey } from '../../src/core/lease/candidate-order.ts';
import { keys, stepOfWaitingKey } from '../../src/core/records/tables.ts';
import type { Invariant } from './invariant-frame.ts';
import type { FarmView, ServiceView } from './service-view.ts';

/** When all commits are durable, a lease actor that is loaded from the store knows what the one in memory knows. */
export const waitingStepsAreStored: Invariant = {
  name: 'overtaken steps and reservations are stored',
  check: (view) => {
    for (const farm of view.farms) {
      const wrong = storedDiffers(farm, view);
      if (wrong !== null) return wrong;
    }
    return null;
  },
};

function storedDiffers({ lease }: FarmView, { store }: ServiceView): string | null {
  if (lease.recovery !== 'ready' || lease.isDeleted) return null;
  const expected = new Map<string, string>();
  const add = (key: string, text: string): void => {
    expected.set(key, `${expected.get(key) ?? ''}${text}`);
  };
  for (const step of lease.index.overtakenSteps()) add(stepKey(step), 'overtaken ');
  for (const [workerId, { since, isPreemption = false, ...step }] of lease.reservations.list())
    add(stepKey(step), `${workerId} since ${since} ${isPreemption}`);
  for (const { key, value } of store.scan('waitingStep', { prefix: keys.waitingStepsOf(lease.farmId) })) {
    const step = stepKey(stepOfWaitingKey(key));
    const { isOvertaken, reservation } = value;
    const mark = isOvertaken ? 'overtaken ' : '';
    const stored =
      reservation === null
        ? mark
        : `${mark}${reservation.workerId} since ${reservation.since} ${reservation.isPreemption ?? false}`;
    if (expected.get(step) !== stored) return `${step} is stored as ${stored}, not ${expected.get(step)}`;
    expected.delete(step);
  }
  for (const [step, text] of expected) return `${step} is not stored: ${text}`;
  return null;
}
