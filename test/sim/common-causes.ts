import { parseTaskId, type JobId, type TaskId } from '../../src/core/ids.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import { keys } from '../../src/core/records/tables.ts';
import { POOL_NAMES } from './job-plans.ts';
import type { SimulationOptions } from './options.ts';
import { Random } from './random.ts';

/** Why a task process fails, whatever its exit status would be: the time until then, and its last line of output. */
export interface Mishap {
  readonly afterMs: number;
  readonly line: string;
}

/** A time in which all tasks with the pool, or in the location, fail. */
interface Outage {
  readonly pool: string | null;
  readonly location: string;
  readonly from: number;
  readonly until: number;
}

const MISHAP_MS_MAX = 1_500;
const OUTAGES_MAX = 3;
const OUTAGE_MS_MAX = 60_000;
const BAD_NODE = 'w0';
/** One job in this number cannot be read by any worker. */
const BAD_SCENE_EACH = 3;
const LETTERS = 'abcdefghij';

/** Causes that failures of a farm share: a node that fails all tasks, scenes that fail on all nodes, and outages. */
export class CommonCauses {
  readonly #options: SimulationOptions;
  readonly #random: Random;
  readonly #outages: readonly Outage[];
  readonly #store: () => StoreReader;

  constructor(options: SimulationOptions, seed: number, store: () => StoreReader) {
    this.#options = options;
    this.#random = new Random(seed);
    this.#store = store;
    const { safetyMs } = options;
    this.#outages = Array.from({ length: options.outages ? this.#random.between(1, OUTAGES_MAX) : 0 }, () => {
      const from = this.#random.between(0, safetyMs);
      const until = Math.min(safetyMs, from + this.#random.between(0, OUTAGE_MS_MAX));
      const pool = options.pools && this.#random.chance(0.5) ? this.#random.pick(POOL_NAMES) : null;
      return { pool: pool?.toLowerCase() ?? null, location: this.#random.pick(['', 'north']), from, until };
    });
  }

  /** Returns why a task that starts on a machine fails; null if nothing common makes it fail. */
  mishapOf(taskId: TaskId, machine: string, location: string, now: number): Mishap | null {
    const task = parseTaskId(taskId);
    if (task === null) return null;
    const afterMs = (): number => this.#random.between(10, MISHAP_MS_MAX);
    const pools = this.#store().get('plan', keys.plan(task.jobId))?.steps[task.stepOrder]?.requirements.pools;
    for (const outage of this.#outages) {
      if (now < outage.from || now > outage.until) continue;
      const isHit = outage.pool === null ? outage.location === location : pools?.includes(outage.pool);
      if (isHit === true)
        return { afterMs: afterMs(), line: `FAILED no answer of ${outage.pool ?? 'storage'}` };
    }
    const { quarantine, canaries, workers } = this.#options;
    if (canaries && isBadScene(task.jobId))
      return { afterMs: afterMs(), line: `FAILED cannot read scene ${wordOf(task.jobId)}` };
    if (quarantine && workers > 2 && machine === BAD_NODE)
      return { afterMs: afterMs(), line: 'FAILED no driver for the device' };
    return null;
  }
}

const numberOf = (job: JobId): number => Number.parseInt(job.slice(-6), 16);

const isBadScene = (job: JobId): boolean => numberOf(job) % BAD_SCENE_EACH === 0;

/** Digits of messages do not tell two causes apart, letters do (docs/outages.md). */
const wordOf = (job: JobId): string =>
  [...String(numberOf(job))].map((digit) => LETTERS[Number(digit)] ?? '').join('');
