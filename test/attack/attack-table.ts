import type { AttackReport } from './attack.ts';

/** One bad input with the rule that it must not break. `run` rejects if it does. */
export interface Attack<Context> {
  readonly name: string;
  run(context: Context): Promise<void>;
}

/**
 * Returns `count` attacks spread evenly over the table, so that a short run has some of every kind. All if there are
 * fewer.
 */
export function spread<Context>(
  attacks: readonly Attack<Context>[],
  count: number,
): readonly Attack<Context>[] {
  if (count >= attacks.length) return attacks;
  return Array.from({ length: count }, (_, at) => attacks[Math.floor((at * attacks.length) / count)]).filter(
    (attack) => attack !== undefined,
  );
}

/** Runs attacks one after another. */
export async function runAttacks<Context>(
  attacks: readonly Attack<Context>[],
  context: Context,
): Promise<AttackReport> {
  const violations: string[] = [];
  for (const attack of attacks) {
    try {
      await attack.run(context);
    } catch (error) {
      violations.push(`${attack.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { tried: attacks.length, violations };
}
