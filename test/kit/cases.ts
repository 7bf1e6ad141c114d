import type { Test } from 'tap';

/** A subtest that runs on a fixture shared by all cases of a file: the title states the rule that it checks. */
export type Case<Context> = readonly [title: string, run: (t: Test, context: Context) => Promise<void>];

/** Runs cases one after another, each as a subtest. A case may depend on the state that earlier cases leave. */
export async function runCases<Context>(
  t: Test,
  context: Context,
  cases: readonly Case<Context>[],
): Promise<void> {
  for (const [title, run] of cases) await t.test(title, (t) => run(t, context));
}
