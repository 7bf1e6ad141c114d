import { compareCandidates } from '../../../src/core/lease/candidate-order.ts';
import type { LeaseBounds, ReadyIndex, TakenTasks } from '../../../src/core/lease/ready-index.ts';
import type { StepEntry } from '../../../src/core/lease/step-entry.ts';
import { roomIn } from '../../../src/core/outages/decide.ts';
import {
  isSamePlace,
  lastingOutages,
  NO_OUTAGES,
  placeOf,
  type Outage,
  type OutagePlace,
  type OutageSetting,
  type OutagesRecord,
} from '../../../src/core/outages/outage.ts';

/**
 * Outages in the lease actor (docs/outages.md). States of a place: src/core/outages/outage.ts; `probing` has those of which
 * a task was selected, until its job has assigned it. Invariant: `record` is the stored row, except while `isUnsaved`. Exit: an
 * entry of `probing` ends within the unit of work of its lease.
 */

/** Number of steps that are tried before the usual order. */
const TRIED_MAX = 20;

/** The outages of a farm, with the places that are tried right now. */
export interface OutageState {
  setting: OutageSetting | null;
  record: OutagesRecord;
  /** Whether the record differs from the stored row. */
  isUnsaved: boolean;
  /** Places whose probe was selected and is not assigned yet, by lease. */
  readonly probing: Map<number, readonly OutagePlace[]>;
  /** How many tasks may start in locations with an outage: none or one. Others are not listed. */
  locations: Map<string, 0 | 1>;
}

export const newOutages = (
  setting: OutageSetting | null = null,
  record: OutagesRecord = NO_OUTAGES,
): OutageState => ({ setting, record, isUnsaved: false, probing: new Map(), locations: new Map() });

/** The parts of the lease actor that outages need. */
interface OutageGate {
  readonly outages: OutageState;
  readonly index: ReadyIndex;
}

/** Returns the bounds of a lease for a worker: null if its location is held, one task if it is tried. */
export function boundsIn(
  { outages: { locations } }: OutageGate,
  location: string,
  bounds: LeaseBounds,
): LeaseBounds | null {
  const room = locations.get(location);
  if (room === undefined) return bounds;
  return room === 0 ? null : { tasks: 1, steps: 1 };
}

/**
 * Returns the steps that a worker should try first: those of an outage of which a task may be tried, of jobs whose probes
 * have not failed. Empty if that makes no difference.
 */
export function stepsToTry(state: OutageGate, location: string, now: number): readonly StepEntry[] {
  const { outages, index } = state;
  if (outages.record.outages.length === 0) return [];
  const open = lastingOutages(outages.record, now).filter(
    (outage) =>
      outage.probed.length > 0 &&
      roomOf(outages, outage, now) === 1 &&
      (outage.kind === 'usage pool' || outage.name === location),
  );
  return open.flatMap(({ kind, name, probed }) =>
    index
      .waitingSignatures()
      .filter(({ requirements }) => kind !== 'usage pool' || requirements.pools.includes(name))
      .flatMap(({ steps }) => steps.filter(({ jobId }) => !probed.includes(jobId)))
      .sort(index.shares?.order.compare ?? compareCandidates)
      .slice(0, TRIED_MAX),
  );
}
/** Notes which places the selected tasks try. No other tasks start there until they are assigned. */
export function noteProbes(
  state: OutageGate,
  leaseId: number,
  taken: readonly TakenTasks[],
  location: string,
  now: number,
): void {
  const { outages, index } = state;
  if (outages.record.outages.length === 0) return;
  const pools = new Set(
    taken.flatMap(({ jobId, stepOrder }) => index.entry(jobId, stepOrder)?.requirements.pools ?? []),
  );
  const places = lastingOutages(outages.record, now)
    .filter(({ kind, name }) => (kind === 'usage pool' ? pools.has(name) : name === location))
    .filter((outage) => roomOf(outages, outage, now) === 1)
    .map(placeOf);
  if (places.length === 0) return;
  outages.probing.set(leaseId, places);
  if (outages.locations.has(location)) outages.locations.set(location, 0);
}

/** Returns how many tasks of the place of an outage may start. */
export const roomOf = (outages: OutageState, outage: Outage, now: number): 0 | 1 =>
  [...outages.probing.values()].some((places) => places.some((each) => isSamePlace(each, outage)))
    ? 0
    : roomIn(outage, now);
