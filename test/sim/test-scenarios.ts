import tap, { test } from 'tap';
import { simulate } from './simulation.ts';
import type { Scenario } from './scenarios.ts';

const TIMEOUT_MS = 300_000;
const SEEDS = 16;

/** Tests that farms under the faults of each scenario keep every invariant, and that the case occurs in most of them. */
export function testScenarios(scenarios: readonly Scenario[]): void {
  tap.setTimeout(TIMEOUT_MS);
  for (const scenario of scenarios) {
    test(`${scenario.name}: ${scenario.incident}`, (t) => {
      let met = 0;
      for (let seed = 1; seed <= SEEDS; seed++) {
        const { violation, cases } = simulate(seed, { scenario });
        const replay = `npm run simulate -- --seed ${seed} --scenario ${scenario.name} --trace`;
        t.equal(violation?.message, undefined, replay);
        if (cases > 0) met++;
      }
      t.ok(met > SEEDS / 2, `the scenario occurred in ${met} of ${SEEDS} farms`);
      t.end();
    });
  }
}
