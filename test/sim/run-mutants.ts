import { parseArgs } from 'node:util';
import { MUTANTS } from './mutants.ts';
import { simulate } from './simulation.ts';

/**
 * How many seeds each planted bug needs to be found: the median over runs that begin at different seeds. `--runs N`, and
 * `--bug TEXT` for those that have the text in their name.
 */
const { values } = parseArgs({
  options: { runs: { type: 'string', default: '9' }, bug: { type: 'string', default: '' } },
});
const RUNS = Number(values.runs);
const SEEDS_MAX = 3_000;
const FIRST_SEED_STEP = 10_000;

for (const bug of MUTANTS.filter(({ name }) => name.includes(values.bug))) {
  const needed: number[] = [];
  const found = new Map<string, number>();
  for (let run = 0; run < RUNS; run++) {
    const first = run * FIRST_SEED_STEP;
    let seeds = 0;
    for (let isFound = false; !isFound && seeds < SEEDS_MAX;) {
      seeds++;
      const { violation } = simulate(first + seeds, bug);
      if (violation === null) continue;
      isFound = true;
      found.set(violation.invariant, (found.get(violation.invariant) ?? 0) + 1);
    }
    needed.push(seeds);
  }
  const median = needed.sort((a, b) => a - b)[Math.floor(RUNS / 2)];
  const by = [...found].map(([invariant, times]) => `${invariant} (${times})`).join('; ');
  process.stdout.write(`${bug.name}: median ${median}, most ${needed[RUNS - 1]} seeds; by: ${by}\n`);
}
