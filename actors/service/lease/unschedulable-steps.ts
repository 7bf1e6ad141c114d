import type { Signature } from '../../../src/core/lease/step-entry.ts';
import { stepKey, type StepKey, type StepName } from '../../../src/core/lease/candidate-order.ts';

/** What the job of a step was told last. */
interface Told extends StepName {
  readonly signature: Signature;
  readonly reason: string;
  /** It was told of tasks that were ready by then (milliseconds since the epoch): of those that became so later it was not. */
  readonly readyBefore: number;
}

/** Steps of which jobs know that no online worker may run them. */
export class UnschedulableSteps {
  private readonly steps = new Map<StepKey, Told>();
  private readonly bySignature = new Map<Signature, Set<StepKey>>();

  get size(): number {
    return this.steps.size;
  }

  get(step: StepName): Told | undefined {
    return this.steps.get(stepKey(step));
  }

  set(told: Told): void {
    this.delete(told);
    const key = stepKey(told);
    this.steps.set(key, told);
    const ofSignature = this.bySignature.get(told.signature);
    if (ofSignature === undefined) this.bySignature.set(told.signature, new Set([key]));
    else ofSignature.add(key);
  }

  delete(step: StepName): void {
    const key = stepKey(step);
    const told = this.steps.get(key);
    if (told === undefined) return;
    this.steps.delete(key);
    const ofSignature = this.bySignature.get(told.signature);
    ofSignature?.delete(key);
    if (ofSignature?.size === 0) this.bySignature.delete(told.signature);
  }

  signatures(): readonly Signature[] {
    return [...this.bySignature.keys()];
  }

  ofSignature(signature: Signature): readonly Told[] {
    return [...(this.bySignature.get(signature) ?? [])].flatMap((key) => this.steps.get(key) ?? []);
  }
}
