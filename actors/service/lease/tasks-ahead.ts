import type { JobId } from '../../../src/core/ids.ts';
import { compareCandidates } from '../../../src/core/lease/candidate-order.ts';
import {
  SHARERS_NAMED_MAX,
  type ShareExplanation,
  type SharerAhead,
  type TasksAhead,
} from '../../../src/core/lease/explanation.ts';
import type { Shares } from '../../../src/core/lease/shares.ts';
import type { Sharer, Signature, StepEntry } from '../../../src/core/lease/step-entry.ts';
import { partitionPoint } from '../../../src/openjd/primitives/partition-point.ts';
import type { LeaseState } from './state.ts';

/** Maximum number of steps that are counted for one message, which takes a few milliseconds of the shard. */
const STEPS_COUNTED_MAX = 100_000;

/** Tasks that are served before a step. */
export interface StepPlace {
  readonly before: TasksAhead;
  /** Absent if tasks are taken in the order of the contract. */
  readonly share?: ShareExplanation;
}

/** Tasks and jobs of one sharer, or of all. */
interface Crowd {
  tasks: number;
  readonly jobs: Set<JobId>;
}

/** Tasks and jobs that are served between one step and the next. */
interface Gap extends Crowd {
  readonly bySharer: Map<Sharer, Crowd>;
}

/**
 * Counts the ready tasks ahead of each step, in all steps that compete with it for a worker. Steps with the same demand
 * are counted in one pass.
 */
export function placesOf(
  state: LeaseState,
  entries: readonly StepEntry[],
): ReadonlyMap<StepEntry, StepPlace> {
  const places = new Map<StepEntry, StepPlace>();
  const groups = new Map<Signature, StepEntry[]>();
  for (const entry of entries) {
    const group = groups.get(entry.signature);
    if (group === undefined) groups.set(entry.signature, [entry]);
    else group.push(entry);
  }
  const { shares } = state.index;
  const meanLevel = shares === null ? 0 : meanLevelOf(shares);
  let remaining = STEPS_COUNTED_MAX;
  for (const group of groups.values()) {
    const own = [...new Set(group)].sort(shares?.order.compare ?? compareCandidates);
    const gaps = own.map((): Gap => ({ tasks: 0, jobs: new Set(), bySharer: new Map() }));
    for (const { steps } of rivalSignatures(state, group))
      remaining = fillGaps(gaps, own, steps, shares, remaining);
    const all: Gap = { tasks: 0, jobs: new Set(), bySharer: new Map() };
    for (const [at, entry] of own.entries()) {
      const gap = gaps[at];
      if (gap !== undefined) addGap(all, gap);
      const before = {
        tasks: all.tasks,
        jobs: all.jobs.size - (all.jobs.has(entry.jobId) ? 1 : 0),
        ...(remaining < 0 && { isLowerBound: true }),
      };
      const share = shares === null ? null : shareOf(shares, entry, meanLevel, all);
      places.set(entry, share === null ? { before } : { before, share });
    }
  }
  return places;
}

/** Adds each step to the gap before the first own step that it precedes. Returns how many may still be counted. */
function fillGaps(
  gaps: readonly Gap[],
  own: readonly StepEntry[],
  steps: readonly StepEntry[],
  shares: Shares | null,
  most: number,
): number {
  let remaining = most;
  let at = 0;
  for (const step of steps) {
    if (shares === null) {
      // The steps are in the order of the gaps.
      for (let next = own[at]; next !== undefined && compareCandidates(step, next) >= 0; next = own[at]) at++;
      if (at >= own.length) break;
    } else {
      const { compare } = shares.order;
      at = partitionPoint(own.length, (place) => {
        const next = own[place];
        return next !== undefined && compare(step, next) >= 0;
      });
    }
    if (remaining-- <= 0) break;
    const gap = gaps[at];
    if (gap === undefined) continue;
    addTasks(gap, step);
    if (shares === null || step.sharer === null) continue;
    const crowd = gap.bySharer.get(step.sharer) ?? { tasks: 0, jobs: new Set<JobId>() };
    gap.bySharer.set(step.sharer, crowd);
    addTasks(crowd, step);
  }
  return remaining;
}

function addTasks(crowd: Crowd, { ready, jobId }: StepEntry): void {
  crowd.tasks += ready.size;
  crowd.jobs.add(jobId);
}

function addGap(all: Gap, gap: Gap): void {
  addCrowd(all, gap);
  for (const [sharer, crowd] of gap.bySharer) {
    const known = all.bySharer.get(sharer) ?? { tasks: 0, jobs: new Set<JobId>() };
    all.bySharer.set(sharer, known);
    addCrowd(known, crowd);
  }
}

function addCrowd(to: Crowd, { tasks, jobs }: Crowd): void {
  to.tasks += tasks;
  for (const job of jobs) to.jobs.add(job);
}

/** Returns what all sharers with tasks use together, by their weights together. */
function meanLevelOf(shares: Shares): number {
  let used = 0;
  let weights = 0;
  for (const sharer of shares.active()) {
    used += shares.levelOf(sharer) * sharer.weight;
    weights += sharer.weight;
  }
  return weights === 0 ? 0 : used / weights;
}

function shareOf(
  shares: Shares,
  { sharer }: StepEntry,
  meanLevel: number,
  { bySharer }: Gap,
): ShareExplanation | null {
  if (sharer === null) return null;
  const { kind, sharedBy, version } = shares.reasonFor(sharer);
  const ahead = [...bySharer].filter(([other]) => other !== sharer);
  ahead.sort(([a], [b]) => a.rank - b.rank || (a.name < b.name ? -1 : 1));
  return {
    kind,
    sharedBy,
    sharer: sharer.name,
    cores: sharer.cores,
    ratio: meanLevel === 0 ? null : shares.levelOf(sharer) / meanLevel,
    ahead: ahead
      .slice(0, SHARERS_NAMED_MAX)
      .map(([{ name }, { jobs, tasks }]): SharerAhead => ({ sharer: name, jobs: jobs.size, tasks })),
    version,
  };
}

/** Returns the signatures of the steps that compete for a worker with steps of one signature. */
function rivalSignatures(state: LeaseState, [own]: readonly StepEntry[]): ReadonlySet<Signature> {
  if (own === undefined) return new Set();
  const signatures = new Set<Signature>([own.signature]);
  for (const offer of state.kinds.eligibleOffers(own)) {
    for (const signature of state.index.eligibleSignatures(offer)) signatures.add(signature);
  }
  return signatures;
}
