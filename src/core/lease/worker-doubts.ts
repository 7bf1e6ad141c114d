/**
 * Invariants: a worker without doubts has no entry; `byStep` has exactly the doubts of all entries about steps. Exits:
 * `set` with no doubts.
 */

import type { JobId, WorkerId } from '../ids.ts';
import type { Doubt, DoubtedWorker, StepDoubt, WorkerDoubts } from '../records/worker-evidence.ts';
import { stepKey, type StepName } from './candidate-order.ts';

/** Share of the online workers that may be doubted as a whole. At least one may be. */
const DOUBTED_SHARE_MAX = 0.1;

const NONE: readonly WorkerId[] = [];
export const NO_DOUBTS: WorkerDoubts = { whole: null, steps: [] };

/** The workers of a farm that are kept from tasks because of their failures (docs/quarantine.md). */
export class FarmDoubts {
  readonly #byWorker = new Map<WorkerId, WorkerDoubts>();
  readonly #byStep = new Map<string, Map<WorkerId, StepDoubt>>();

  /** Number of workers with doubts. */
  get size(): number {
    return this.#byWorker.size;
  }

  /** Replaces the doubts about a worker. */
  set(workerId: WorkerId, doubts: WorkerDoubts): void {
    for (const { jobId, stepOrder } of this.#byWorker.get(workerId)?.steps ?? []) {
      const key = stepKey({ jobId, stepOrder });
      const ofStep = this.#byStep.get(key);
      ofStep?.delete(workerId);
      if (ofStep?.size === 0) this.#byStep.delete(key);
    }
    if (doubts.whole === null && doubts.steps.length === 0) {
      this.#byWorker.delete(workerId);
      return;
    }
    this.#byWorker.set(workerId, doubts);
    for (const doubt of doubts.steps) {
      const key = stepKey(doubt);
      const ofStep = this.#byStep.get(key);
      if (ofStep === undefined) this.#byStep.set(key, new Map([[workerId, doubt]]));
      else ofStep.set(workerId, doubt);
    }
  }

  /** Reports whether the worker is in quarantine as a whole: it gets no tasks. */
  isQuarantined(workerId: WorkerId): boolean {
    return this.#byWorker.get(workerId)?.whole?.kind === 'quarantined';
  }

  /** Returns the workers that are suspected as a whole. */
  suspects(): readonly WorkerId[] {
    if (this.#byWorker.size === 0) return NONE;
    return [...this.#byWorker].flatMap(([id, { whole }]) => (whole?.kind === 'suspected' ? [id] : []));
  }

  /**
   * Returns the suspected workers that are kept from all steps. If there are more than a tenth of the online workers,
   * something that they share is the cause, and none is kept from anything.
   */
  suspectsInForce(online: number): readonly WorkerId[] {
    const suspects = this.suspects();
    return suspects.length > mostDoubted(online) ? NONE : suspects;
  }

  /** Returns the workers that are passed over for the step while another one may run it. */
  against(step: StepName, online: number): readonly WorkerId[] {
    if (this.#byWorker.size === 0) return NONE;
    const ofStep = this.#byStep.get(stepKey(step));
    const suspects = this.suspectsInForce(online);
    if (ofStep === undefined) return suspects;
    return [...new Set([...ofStep.keys(), ...suspects])];
  }

  /** Returns the doubts that keep workers from the step, those as a whole included. */
  about(jobId: JobId, stepOrder: number, online: number): readonly DoubtedWorker[] {
    const found: DoubtedWorker[] = [];
    const inForce = new Set(this.suspectsInForce(online));
    for (const [workerId, { whole, steps }] of this.#byWorker) {
      const isWhole = whole !== null && (whole.kind === 'quarantined' || inForce.has(workerId));
      const doubt: Doubt | undefined = isWhole
        ? whole
        : steps.find((each) => each.jobId === jobId && each.stepOrder === stepOrder);
      if (doubt === undefined) continue;
      const { kind, since, reason } = doubt;
      found.push({ workerId, kind, since, reason, isWhole });
    }
    return found;
  }
}

/** Returns how many workers may be doubted as a whole at the same time. */
export const mostDoubted = (online: number): number => Math.max(1, Math.floor(online * DOUBTED_SHARE_MAX));
