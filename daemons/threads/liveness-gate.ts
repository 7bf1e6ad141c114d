/** The liveness checks of a kernel. */
interface Liveness {
  suspendLiveness(): void;
  resumeLiveness(): void;
}

/** Conditions under which the silence of a worker proves something. */
export interface LivenessConditions {
  /** Messages of workers arrive. */
  readonly isBusReady: boolean;
  /** This node may answer them: always on a single node, and in a cluster while it is certain to own the farms. */
  readonly mayAnswer: boolean;
}

/** Suspends the liveness checks of a shard until messages of workers arrive and may be answered. */
export class LivenessGate {
  readonly #liveness: Liveness;
  #conditions: LivenessConditions = { isBusReady: false, mayAnswer: true };

  constructor(liveness: Liveness) {
    this.#liveness = liveness;
    liveness.suspendLiveness();
  }

  /** Each time that all conditions hold after a change, silence counts from then on. */
  changed(change: Partial<LivenessConditions>): void {
    this.#conditions = { ...this.#conditions, ...change };
    const { isBusReady, mayAnswer } = this.#conditions;
    if (isBusReady && mayAnswer) this.#liveness.resumeLiveness();
    else this.#liveness.suspendLiveness();
  }
}
