import type { BookedShare, HistorySeries } from '../../../client/resources.ts';
import { sumOf } from './farm-series.ts';

/** The share of a queue, an owner or a project in a farm. */
export interface ShareRow {
  /** Id of the queue, the owner, or the project; empty for the sum of all others. */
  readonly key: string;
  readonly isOther: boolean;
  readonly coresNow: number;
  /** Share of all booked cores, from 0 to 1. */
  readonly share: number;
  readonly coresOverTime: readonly number[];
  readonly succeeded: number;
  readonly failed: number;
}

const idOf = ({ key, is_other: isOther }: { readonly key: string; readonly is_other: boolean }): string =>
  isOther ? 'others' : `=${key}`;

/** Returns the queues, owners or projects of a farm, with the most booked cores first and the sum of all others last. */
export function shareRows(
  series: readonly HistorySeries[],
  now: readonly BookedShare[],
): readonly ShareRow[] {
  const nowById = new Map(now.map((share) => [idOf(share), share.cores_booked]));
  const bookedNow = sumOf(now.map((share) => share.cores_booked));
  const past = new Map(series.map((one) => [idOf(one), one]));
  const ids = new Set([...past.keys(), ...nowById.keys()]);
  const rows = [...ids].map((id): ShareRow => {
    const one = past.get(id);
    const coresNow = nowById.get(id) ?? 0;
    return {
      key: id === 'others' ? '' : id.slice(1),
      isOther: id === 'others',
      coresNow,
      share: bookedNow === 0 ? 0 : coresNow / bookedNow,
      coresOverTime: one?.cores_booked ?? [],
      succeeded: sumOf(one?.tasks_succeeded ?? []),
      failed: sumOf(one?.tasks_failed ?? []),
    };
  });
  return rows.sort(
    (one, other) =>
      Number(one.isOther) - Number(other.isOther) ||
      other.coresNow - one.coresNow ||
      sumOf(other.coresOverTime) - sumOf(one.coresOverTime) ||
      (one.key < other.key ? -1 : 1),
  );
}
