import type { AttackReport } from '../attack.ts';

/** One attempt. Resolves with null if the service resisted, or with what it did instead. */
export interface AttackCase<Stage> {
  readonly name: string;
  readonly run: (stage: Stage) => Promise<string | null>;
}

/** A table of generated attempts. */
export interface AttackTable<Stage> {
  readonly name: string;
  /** Minimum number of cases of the full form. */
  readonly fullCount: number;
  readonly casesOf: (stage: Stage) => readonly AttackCase<Stage>[];
  /** Checks after all cases what they must not have changed. Resolves with what has changed. */
  readonly finish?: (stage: Stage) => Promise<readonly string[]>;
}

/** Runs `count` cases of an attack, spread evenly over its table; all of them if there are fewer. */
export async function runAttack<Stage>(
  { casesOf, finish }: AttackTable<Stage>,
  stage: Stage,
  count: number,
): Promise<AttackReport> {
  const all = casesOf(stage);
  const chosen = all.length <= count ? all : spread(all, count);
  const violations: string[] = [];
  for (const { name, run } of chosen) {
    const failure = await run(stage).catch((error: unknown) => String(error));
    if (failure !== null) violations.push(`${name}: ${failure}`);
  }
  violations.push(...((await finish?.(stage)) ?? []));
  return { tried: chosen.length, violations };
}

function spread<Each>(all: readonly Each[], count: number): readonly Each[] {
  return Array.from({ length: count }, (_, at) => all[Math.floor((at * all.length) / count)]).flatMap(
    (each) => each ?? [],
  );
}
