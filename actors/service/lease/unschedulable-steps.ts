import type { Signature } from '../../../src/core/lease/step-entry.ts';
import { stepKey, type StepKey, type StepName } from '../../../src/core/lease/candidate-order.ts';

/** The last notification of a step's job. */
interface ReportedStep extends StepName {
  readonly signature: Signature;
  readonly reason: string;
  /** The notification covers tasks that were ready by this time (milliseconds since the epoch), not later ones. */
  readonly readyBefore: number;
}

/** Steps whose jobs were notified that no online worker can run them. */
export class UnschedulableSteps {
  private readonly steps = new Map<StepKey, ReportedStep>();
  private readonly bySignature = new Map<Signature, Set<StepKey>>();

  get size(): number {
    return this.steps.size;
  }

  get(step: StepName): ReportedStep | undefined {
    return this.steps.get(stepKey(step));
  }

  set(reported: ReportedStep): void {
    this.delete(reported);
    const key = stepKey(reported);
    this.steps.set(key, reported);
    const ofSignature = this.bySignature.get(reported.signature);
    if (ofSignature === undefined) this.bySignature.set(reported.signature, new Set([key]));
    else ofSignature.add(key);
  }

  delete(step: StepName): void {
    const key = stepKey(step);
    const reported = this.steps.get(key);
    if (reported === undefined) return;
    this.steps.delete(key);
    const ofSignature = this.bySignature.get(reported.signature);
    ofSignature?.delete(key);
    if (ofSignature?.size === 0) this.bySignature.delete(reported.signature);
  }

  signatures(): readonly Signature[] {
    return [...this.bySignature.keys()];
  }

  ofSignature(signature: Signature): readonly ReportedStep[] {
    return [...(this.bySignature.get(signature) ?? [])].flatMap((key) => this.steps.get(key) ?? []);
  }
}
