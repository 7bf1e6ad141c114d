import tap, { test } from 'tap';
import { OUTAGE_SCENARIOS } from './outage-scenarios.ts';
import { simulate } from './simulation.ts';

tap.setTimeout(300_000);

const SEEDS = 16;

for (const scenario of OUTAGE_SCENARIOS) {
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
