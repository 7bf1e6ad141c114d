import type { StepPlan } from '../../../src/openjd/template/plan.ts';

/** Returns the steps so that each follows its dependencies, otherwise in the order of the template. */
export function stepsInOrder(steps: readonly StepPlan[]): StepPlan[] {
  const ordered: StepPlan[] = [];
  const done = new Set<number>();
  let waiting = [...steps];
  while (waiting.length > 0) {
    const left: StepPlan[] = [];
    for (const step of waiting) {
      if (step.dependsOn.every((order) => done.has(order))) {
        ordered.push(step);
        done.add(step.order);
      } else left.push(step);
    }
    if (left.length === waiting.length) throw new Error('the steps of a checked template form a cycle');
    waiting = left;
  }
  return ordered;
}
