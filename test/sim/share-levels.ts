import type { LeaseState } from '../../actors/service/lease/state.ts';
import type { JobId } from '../../src/core/ids.ts';
import type { JobRecord } from '../../src/core/records/job.ts';
import type { QueuePolicySetting } from '../../src/core/records/queue-policy.ts';

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
const TOLERANCE = 1e-6;

/**
 * Bounds of what decides between sharers: a sharer without a change in this turn was counted at the last full minute or
 * later, one with a change now.
 */
export interface Level {
  readonly low: number;
  readonly high: number;
}

/** Levels of the sharers during a turn. */
export class ShareLevels {
  private readonly setting: QueuePolicySetting;
  private readonly before: SharesBefore;
  private readonly cores: Map<string, number>;
  private readonly now: number;
  /** Sharers whose cores have changed in this turn. */
  private readonly touched = new Set<string>();

  constructor(
    setting: QueuePolicySetting,
    before: SharesBefore,
    cores: ReadonlyMap<string, number>,
    now: number,
  ) {
    this.setting = setting;
    this.before = before;
    this.cores = new Map(cores);
    this.now = now;
    for (const [name, used] of cores)
      if (used !== (before.sharers.get(name)?.cores ?? 0)) this.touched.add(name);
  }

  add(name: string, cores: number): void {
    this.cores.set(name, (this.cores.get(name) ?? 0) + cores);
    this.touched.add(name);
  }

  /** Returns what is compared, in this order. */
  of(name: string): readonly Level[] {
    const cores = this.cores.get(name) ?? 0;
    const usage = this.usageOf(name, cores);
    return this.setting.kind === 'balanced' ? [{ low: cores, high: cores }, usage] : [usage];
  }

  private usageOf(name: string, cores: number): Level {
    const known = this.before.sharers.get(name);
    if (known === undefined || known.at === 0) return this.bounds(name, [cores * MINUTE_SECONDS]);
    const minute = Math.floor(this.now / MINUTE_MS) * MINUTE_MS;
    const counted = known.cores > 0 ? Math.max(known.at, minute) : known.at;
    const isIdle = known.cores === 0 && cores === 0;
    const times = this.touched.has(name) ? [this.now] : [Math.min(counted, this.now), this.now];
    const levels = (isIdle ? [known.at] : times).map(
      (at) => (this.usageAt(known, at) + cores * MINUTE_SECONDS) * this.decay(this.now - at),
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

/** Returns the cores in use by sharer, from those of each worker by job. Null if a job is unknown. */
export function coresBySharer(
  uses: ReadonlyMap<JobId, number>,
  setting: QueuePolicySetting,
  jobOf: (id: JobId) => SharedJob | undefined,
): Map<string, number> | null {
  const cores = new Map<string, number>();
  for (const [id, used] of uses) {
    if (used === 0) continue;
    const job = jobOf(id);
    if (job === undefined) return null;
    const name = sharerOf(job, setting);
    cores.set(name, (cores.get(name) ?? 0) + used);
  }
  return cores;
}

/** Returns the cores in use by job, as the lease actor counts them for each worker. */
export function usesOf({ workers }: LeaseState): Map<JobId, number> {
  const cores = new Map<JobId, number>();
  for (const { uses } of workers.values())
    for (const use of uses.all()) cores.set(use.jobId, (cores.get(use.jobId) ?? 0) + use.cores);
  return cores;
}
