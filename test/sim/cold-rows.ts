import type { TableName } from '../../src/core/records/tables.ts';
import type { Random } from './random.ts';
import type { VerdictFarm } from './verdict-farm.ts';

const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;

/** Returns random moments of a scenario at which its service may be restarted, in milliseconds since its start. */
export function restartMoments(random: Random, hours: number): readonly number[] {
  const moments: number[] = [];
  let ms = 0;
  while ((ms += random.between(SECOND_MS, 60 * SECOND_MS)) < hours * HOUR_MS) moments.push(ms);
  return moments;
}

/** Returns the rows of the tables, and what matters of each job. */
export const rowsOf = (
  farm: VerdictFarm,
  tables: readonly TableName[],
  names: readonly string[],
): readonly string[] => [
  ...tables.flatMap((table) =>
    [...farm.store.scan(table)].map(({ key, value }) => `${table} ${key} ${JSON.stringify(value)}`),
  ),
  ...names.map((name) => {
    const { status, failedAttempts, parkReason } = farm.job(name);
    return `${name}: ${status}, ${failedAttempts} failures, ${parkReason}`;
  }),
];
