import type { CatalogState } from '../../actors/service/catalog/state.ts';
import type { LeaseState } from '../../actors/service/lease/state.ts';
import type { UsagePoolRecord } from '../../src/core/records/usage-pool.ts';
import { Violation } from './violation.ts';
import type { Turn } from './watch-turns.ts';

const HOUR_MS = 3_600_000;

/**
 * Checks the hold of a usage pool after a shortage, from docs/retry-rules.md#requeue: the backoff of the rule, doubled for
 * each shortage that comes sooner after the end of a hold than the hold took, up to an hour. Returns the check for after the turn.
 */
export function watchShortage(turn: Turn, note: (violation: Violation) => void): (() => void) | null {
  const { message } = turn;
  if (turn.kind !== 'catalog' || message.type !== 'pool.shortage') return null;
  const catalog = turn.state as CatalogState;
  const holdOf = () =>
    [...catalog.pools.values()].find(({ name }) => name.toLowerCase() === message.pool)?.hold;
  const isThere = [...catalog.pools.values()].some(({ name }) => name.toLowerCase() === message.pool);
  const before = holdOf();
  const { at, backoffSeconds } = message.shortage;
  return () => {
    if (!isThere) return;
    const after = holdOf();
    const isDuring = before !== undefined && at >= before.since && at < before.until;
    const isSoon =
      before !== undefined && at >= before.until && at - before.until < before.until - before.since;
    const times = isSoon ? before.times + 1 : 1;
    let length = backoffSeconds * 1000;
    for (let each = 1; each < times && length < HOUR_MS; each++) length *= 2;
    const most = Math.max(HOUR_MS, backoffSeconds * 1000);
    const until = isDuring ? before.until : at + Math.min(length, most);
    if (after?.until === until && (isDuring || after.times === times)) return;
    note(new Violation('a shortage holds its usage pool back', `until ${after?.until}, not ${until}`));
  };
}

/** Checks that a lease actor holds back the pools that it has just got, as their records say. */
export function judgeHolds(
  lease: LeaseState,
  pools: readonly UsagePoolRecord[],
  now: number,
): Violation | null {
  for (const { name, hold } of pools) {
    const isDue = hold !== undefined && now >= hold.since && now < hold.until;
    if ((lease.pools.stateOf(name.toLowerCase()).hold !== undefined) === isDue) continue;
    return new Violation('a lease actor holds back the usage pools of its messages', `${name} at ${now}`);
  }
  return null;
}
