import type { JobState } from '../../actors/service/job/state.ts';
import type { LeaseState } from '../../actors/service/lease/state.ts';
import type { JobId } from '../../src/core/ids.ts';
import { stepKey, type StepKey, type StepName } from '../../src/core/lease/candidate-order.ts';
import type { StepCores } from '../../src/core/lease/worker-uses.ts';
import type { JobRecord } from '../../src/core/records/job.ts';
import type { QueuePolicySetting } from '../../src/core/records/queue-policy.ts';
import { isLeasable } from './invariant-frame.ts';

/**
 * The use of a farm by its sharers, implemented a second time from docs/policy.md#queue-policies. Simple, and without the code
 * of the lease actor.
 */

/** Usage of the sharers of a farm before a turn. */
export interface SharesBefore {
  readonly version: number;
  readonly sharers: ReadonlyMap<
    string,
    { readonly usage: number; readonly at: number; readonly cores: number }
  >;
}

/** Copies the counts of the lease actor. */
export function sharesBefore({ index, queuePolicyVersion }: LeaseState): SharesBefore {
  const sharers = (index.shares?.all() ?? []).map(
    ({ name, usage, at, cores }) => [name, { usage, at, cores }] as const,
  );
  return { version: queuePolicyVersion, sharers: new Map(sharers) };
}

type SharedJob = Pick<JobRecord, 'id' | 'owner' | 'project' | 'queueId'>;

/** Returns the name of the sharer of a job. */
export function sharerOf(job: SharedJob, { sharedBy }: QueuePolicySetting): string {
  if (sharedBy === 'job') return job.id;
  if (sharedBy === 'queue') return job.queueId;
  return sharedBy === 'owner' ? job.owner : job.project;
}

const MINUTE_MS = 60_000;
const MINUTE_SECONDS = 60;
const BRIEF_MS = 1000;
const TOLERANCE = 1e-6;

/**
 * Bounds of what decides between sharers: a sharer without a change in this turn was counted at the last full minute or
 * later, one with a change now.
 */
export interface Level {
  readonly low: number;
  readonly high: number;
}

/** Cores in use by the tasks of a sharer, and core seconds for which they count in advance. */
export interface SharerUse {
  cores: number;
  ahead: Level;
}

const NO_USE: SharerUse = { cores: 0, ahead: { low: 0, high: 0 } };

/** Bounds for a core of a step of which the lease actor may know another average than its job. */
const UNKNOWN_ADVANCE: Level = { low: 0.001, high: MINUTE_SECONDS };

/** Returns the seconds for which a core of a step counts in advance. */
export function advanceOf(job: JobState | undefined, stepOrder: number, isSteady: boolean): Level {
  if (job === undefined || !isSteady || !isLeasable(job)) return UNKNOWN_ADVANCE;
  const { count, totalMs } = job.steps[stepOrder]?.record.attemptTimes ?? { count: 0, totalMs: 0 };
  const ms = count === 0 ? BRIEF_MS : Math.round(totalMs / count);
  const seconds = ms >= BRIEF_MS ? MINUTE_SECONDS : Math.max(1, ms) / 1000;
  return { low: seconds, high: seconds };
}

/** Levels of the sharers during a turn. */
export class ShareLevels {
  private readonly setting: QueuePolicySetting;
  private readonly before: SharesBefore;
  private readonly uses: Map<string, SharerUse>;
  private readonly now: number;
  /** Sharers whose cores have changed in this turn. */
  private readonly touched = new Set<string>();

  constructor(
    setting: QueuePolicySetting,
    before: SharesBefore,
    uses: ReadonlyMap<string, SharerUse>,
    now: number,
  ) {
    this.setting = setting;
    this.before = before;
    this.uses = new Map(uses);
    this.now = now;
    for (const [name, { cores }] of uses)
      if (cores !== (before.sharers.get(name)?.cores ?? 0)) this.touched.add(name);
  }

  add(name: string, cores: number, advance: Level): void {
    this.uses.set(name, withCores(this.uses.get(name) ?? NO_USE, cores, advance));
    this.touched.add(name);
  }

  /** Returns what is compared, in this order. */
  of(name: string): readonly Level[] {
    const { cores, ahead } = this.uses.get(name) ?? NO_USE;
    const usage = this.usageOf(name, cores, ahead);
    if (this.setting.kind === 'balanced') return [{ low: cores, high: cores }, usage];
    // A turn lasts for a core second as of the begin of the half-life.
    const halves = this.now / 1000 / this.setting.halfLifeSeconds;
    const turn = 2 ** (Math.floor(halves) - halves);
    return [{ low: Math.floor(usage.low / turn), high: Math.floor(usage.high / turn) }];
  }

  private usageOf(name: string, cores: number, ahead: Level): Level {
    const known = this.before.sharers.get(name);
    if (known === undefined || known.at === 0) return this.bounds(name, [ahead.low, ahead.high]);
    const minute = Math.floor(this.now / MINUTE_MS) * MINUTE_MS;
    const counted = known.cores > 0 ? Math.max(known.at, minute) : known.at;
    const isIdle = known.cores === 0 && cores === 0;
    const times = this.touched.has(name) ? [this.now] : [Math.min(counted, this.now), this.now];
    const levels = (isIdle ? [known.at] : times).flatMap((at) =>
      [ahead.low, ahead.high].map(
        (seconds) => (this.usageAt(known, at) + seconds) * this.decay(this.now - at),
      ),
    );
    // Less than a core second may have been forgotten.
    return this.bounds(name, known.usage <= 1 ? [0, ...levels] : levels);
  }

  private bounds(name: string, levels: readonly number[]): Level {
    const { kind, weights } = this.setting;
    const weight = kind === 'balanced' ? 1 : (weights.find((each) => each.name === name)?.weight ?? 1);
    const low = Math.min(...levels) / weight;
    const high = Math.max(...levels) / weight;
    return low === 0 && high === 0
      ? { low, high }
      : { low: low * (1 - TOLERANCE), high: high * (1 + TOLERANCE) };
  }

  private usageAt(
    known: { readonly usage: number; readonly at: number; readonly cores: number },
    at: number,
  ): number {
    if (at <= known.at) return known.usage;
    const left = this.decay(at - known.at);
    return known.usage * left + (known.cores * this.setting.halfLifeSeconds * (1 - left)) / Math.LN2;
  }

  private decay(ms: number): number {
    return ms <= 0 ? 1 : 0.5 ** (ms / 1000 / this.setting.halfLifeSeconds);
  }
}

const withCores = ({ cores, ahead }: SharerUse, more: number, advance: Level): SharerUse => ({
  cores: cores + more,
  ahead: { low: ahead.low + more * advance.low, high: ahead.high + more * advance.high },
});

/** Returns the use of the farm by sharer, from the cores of each step. Null if a job is unknown. */
export function usesBySharer(
  uses: ReadonlyMap<StepKey, StepCores>,
  setting: QueuePolicySetting,
  jobOf: (id: JobId) => SharedJob | undefined,
  advance: (step: StepName) => Level,
): Map<string, SharerUse> | null {
  const bySharer = new Map<string, SharerUse>();
  for (const use of uses.values()) {
    if (use.cores === 0) continue;
    const job = jobOf(use.jobId);
    if (job === undefined) return null;
    const name = sharerOf(job, setting);
    bySharer.set(name, withCores(bySharer.get(name) ?? NO_USE, use.cores, advance(use)));
  }
  return bySharer;
}

/** Adds the cores of a step to those of others. */
export function addUse(uses: Map<StepKey, StepCores>, { jobId, stepOrder }: StepName, cores: number): void {
  const key = stepKey({ jobId, stepOrder });
  uses.set(key, { jobId, stepOrder, cores: (uses.get(key)?.cores ?? 0) + cores });
}

/** Returns the cores in use by step, as the lease actor counts them for each worker. */
export function usesOf({ workers }: LeaseState): Map<StepKey, StepCores> {
  const cores = new Map<StepKey, StepCores>();
  for (const { uses } of workers.values()) for (const use of uses.all()) addUse(cores, use, use.cores);
  return cores;
}
