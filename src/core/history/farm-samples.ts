import { isInScope } from '../access/owner-scope.ts';

/** Share of one queue, owner or project in one sample. */
export interface SampleShare {
  /** Id of the queue, the owner, or the project (empty for jobs without one); null for all others together. */
  readonly key: string | null;
  readonly coresBooked: number;
  readonly succeeded: number;
  readonly failed: number;
}

/** A farm at the end of a minute. */
export interface FarmSample {
  /** The end of the minute, in milliseconds since the epoch. */
  readonly at: number;
  /** Cores of online workers. */
  readonly coresTotal: number;
  readonly coresBooked: number;
  readonly workersOnline: number;
  readonly ready: number;
  readonly live: number;
  /** Tasks that ended in the minute. */
  readonly succeeded: number;
  readonly failed: number;
  /** The busiest queues, and the sum of the others. */
  readonly queues: readonly SampleShare[];
  readonly owners: readonly SampleShare[];
  /** Absent in samples of earlier versions: none. */
  readonly projects?: readonly SampleShare[];
}

export const MINUTE_MS = 60_000;
/** A day of minutes. */
export const SAMPLES_MAX = 1440;
/** Number of queues and owners in a sample. */
export const SHARES_KEPT = 16;
/** Number of queues and owners in a reply. */
const SHARES_SHOWN = 8;

/** Reports whether nothing happened on the farm in the minute, and no worker was online. */
export const isEmptySample = ({
  coresTotal,
  workersOnline,
  queues,
  owners,
  ...counts
}: FarmSample): boolean =>
  coresTotal + workersOnline + queues.length + owners.length === 0 &&
  counts.coresBooked + counts.ready + counts.live + counts.succeeded + counts.failed === 0;

/** The samples of one farm of the last day. */
export class FarmSamples {
  readonly #samples: FarmSample[];

  /** `stored` are samples of an earlier process, in any order. Samples are kept if they end in the day until `now`. */
  constructor(stored: Iterable<FarmSample> = [], now = 0) {
    this.#samples = [...stored]
      .filter(({ at }) => at <= now && at > now - SAMPLES_MAX * MINUTE_MS)
      .sort((a, b) => a.at - b.at);
  }

  /** Adds a sample that is later than all others. */
  push(sample: FarmSample): void {
    this.#samples.push(sample);
    if (this.#samples.length > SAMPLES_MAX) this.#samples.shift();
  }

  /** Returns the samples since a time. */
  since(from: number): readonly FarmSample[] {
    return this.#samples.filter(({ at }) => at > from);
  }
}

/**
 * Returns the busiest shares, by cores, then by tasks, and the sum of all others at the end. Empty shares are left out.
 */
export function busiest(shares: readonly SampleShare[], howMany: number): readonly SampleShare[] {
  const busy = shares.filter((share) => share.coresBooked + share.succeeded + share.failed > 0);
  const named = busy.filter(({ key }) => key !== null).sort(compareBusy);
  const shown = named.slice(0, howMany);
  const rest = [...named.slice(howMany), ...busy.filter(({ key }) => key === null)];
  if (rest.length === 0) return shown;
  const others = { key: null, coresBooked: 0, succeeded: 0, failed: 0 };
  for (const share of rest) addTo(others, share);
  return [...shown, others];
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

function addTo(sum: Mutable<SampleShare>, share: SampleShare): void {
  sum.coresBooked += share.coresBooked;
  sum.succeeded += share.succeeded;
  sum.failed += share.failed;
}

const compareBusy = (a: SampleShare, b: SampleShare): number =>
  b.coresBooked - a.coresBooked ||
  b.succeeded + b.failed - (a.succeeded + a.failed) ||
  ((a.key ?? '') < (b.key ?? '') ? -1 : 1);

/**
 * Returns a sample as the reader with a scope may see it: cores and workers of the farm, and of tasks only the reader's
 * own share, if it was among the busiest (docs/decisions/owner-scope.md). Ready and live tasks are not kept by owner, and
 * are 0.
 */
export function sampleInScope(sample: FarmSample, scope: string): FarmSample {
  const owners = sample.owners.filter(({ key }) => key !== null && isInScope(scope, key));
  const sum = (value: (share: SampleShare) => number): number =>
    owners.reduce((total, share) => total + value(share), 0);
  return {
    ...sample,
    ready: 0,
    live: 0,
    succeeded: sum(({ succeeded }) => succeeded),
    failed: sum(({ failed }) => failed),
    queues: [],
    owners,
    projects: [],
  };
}

/** Columns of equal length: the same index is the same point in all of them. */
export interface SeriesColumns {
  readonly key: string | null;
  readonly coresBooked: readonly number[];
  readonly succeeded: readonly number[];
  readonly failed: readonly number[];
}

export interface FarmColumns {
  readonly times: readonly number[];
  readonly coresTotal: readonly number[];
  readonly coresBooked: readonly number[];
  readonly workersOnline: readonly number[];
  readonly ready: readonly number[];
  readonly live: readonly number[];
  readonly succeeded: readonly number[];
  readonly failed: readonly number[];
  readonly queues: readonly SeriesColumns[];
  readonly owners: readonly SeriesColumns[];
  readonly projects: readonly SeriesColumns[];
}

/**
 * Returns samples as columns, with one point per `stepMinutes`: numbers of ended tasks are added up, the others
 * averaged. The time of a point is the time of its last sample.
 */
export function columnsOf(samples: readonly FarmSample[], stepMinutes: number): FarmColumns {
  const points = pointsOf(samples, stepMinutes);
  const mean = (value: (sample: FarmSample) => number): number[] =>
    points.map((point) => rounded(sumOf(point, value) / point.length));
  const sum = (value: (sample: FarmSample) => number): number[] => points.map((point) => sumOf(point, value));
  return {
    times: points.map((point) => point.at(-1)?.at ?? 0),
    coresTotal: mean((sample) => sample.coresTotal),
    coresBooked: mean((sample) => sample.coresBooked),
    workersOnline: mean((sample) => sample.workersOnline),
    ready: mean((sample) => sample.ready),
    live: mean((sample) => sample.live),
    succeeded: sum((sample) => sample.succeeded),
    failed: sum((sample) => sample.failed),
    queues: seriesOf(points, (sample) => sample.queues),
    owners: seriesOf(points, (sample) => sample.owners),
    projects: seriesOf(points, (sample) => sample.projects ?? []),
  };
}

type Point = readonly FarmSample[];

function pointsOf(samples: readonly FarmSample[], stepMinutes: number): readonly Point[] {
  const points: FarmSample[][] = [];
  let last = NaN;
  for (const sample of samples) {
    const number = Math.ceil(sample.at / (stepMinutes * MINUTE_MS));
    if (number === last) points.at(-1)?.push(sample);
    else points.push([sample]);
    last = number;
  }
  return points;
}

/**
 * Returns the series of the queues, owners or projects that were the busiest over all points, and of all others together. Makes
 * one pass over the shares for each of the two.
 */
function seriesOf(
  points: readonly Point[],
  sharesOf: (sample: FarmSample) => readonly SampleShare[],
): readonly SeriesColumns[] {
  const totals = new Map<string | null, Mutable<SampleShare>>();
  for (const point of points) {
    for (const sample of point) {
      for (const share of sharesOf(sample)) {
        const total = totals.get(share.key);
        if (total === undefined) totals.set(share.key, { ...share });
        else addTo(total, share);
      }
    }
  }
  const shown = busiest([...totals.values()], SHARES_SHOWN).map(({ key }) => emptySeries(key, points.length));
  const byKey = new Map(shown.map((series) => [series.key, series]));
  const others = byKey.get(null);
  for (const [at, point] of points.entries()) {
    for (const sample of point) {
      for (const share of sharesOf(sample)) addAt(byKey.get(share.key) ?? others, at, share);
    }
    for (const { coresBooked } of shown) coresBooked[at] = rounded((coresBooked[at] ?? 0) / point.length);
  }
  return shown;
}

interface Series {
  readonly key: string | null;
  readonly coresBooked: number[];
  readonly succeeded: number[];
  readonly failed: number[];
}

function emptySeries(key: string | null, points: number): Series {
  const zeros = (): number[] => Array.from({ length: points }, () => 0);
  return { key, coresBooked: zeros(), succeeded: zeros(), failed: zeros() };
}

function addAt(series: Series | undefined, at: number, share: SampleShare): void {
  if (series === undefined) return;
  series.coresBooked[at] = (series.coresBooked[at] ?? 0) + share.coresBooked;
  series.succeeded[at] = (series.succeeded[at] ?? 0) + share.succeeded;
  series.failed[at] = (series.failed[at] ?? 0) + share.failed;
}

const sumOf = (point: Point, value: (sample: FarmSample) => number): number =>
  point.reduce((sum, sample) => sum + value(sample), 0);

const rounded = (value: number): number => Math.round(value * 100) / 100;
