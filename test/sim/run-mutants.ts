import { MUTANTS } from './mutants.ts';
import { killMutant, readMutantSeeds, searchMutant, writeMutantSeeds } from './mutant-seeds.ts';
import { simulate } from './simulation.ts';

const SEEDS_MAX = 3_000;
const FIRST_SEED_STEP = 10_000;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/**
 * Prints how many seeds each mutant needs to be killed: the median of `runs` searches with different first seeds, for
 * mutants with `text` in their name.
 */
export function printMutantSeeds(runs: number, text: string): void {
  for (const mutant of MUTANTS.filter(({ name }) => name.includes(text))) {
    const needed: number[] = [];
    const killers = new Map<string, number>();
    for (let run = 0; run < runs; run++) {
      const first = run * FIRST_SEED_STEP;
      let seeds = 0;
      for (let isKilled = false; !isKilled && seeds < SEEDS_MAX;) {
        seeds++;
        const { violation } = simulate(first + seeds, mutant);
        if (violation === null) continue;
        isKilled = true;
        killers.set(violation.invariant, (killers.get(violation.invariant) ?? 0) + 1);
      }
      needed.push(seeds);
    }
    const median = needed.sort((a, b) => a - b)[Math.floor(runs / 2)];
    const by = [...killers].map(([invariant, times]) => `${invariant} (${times})`).join('; ');
    print(`${mutant.name}: median ${median}, most ${needed[runs - 1]} seeds; by: ${by}`);
  }
}

/** Records a killing seed for every mutant: the recorded one if it still kills, or the first. Returns whether all were killed. */
export function recordMutantSeeds(): boolean {
  const recorded = readMutantSeeds();
  const seeds: Record<string, number> = {};
  const survivors: string[] = [];
  for (const mutant of MUTANTS) {
    const seed = recorded[mutant.name];
    const result = (seed === undefined ? null : killMutant(mutant, seed)) ?? searchMutant(mutant);
    if (result === null) survivors.push(mutant.name);
    else seeds[mutant.name] = result.seed;
    print(`${mutant.name}: ${result === null ? 'survived' : `seed ${result.seed}`}`);
  }
  writeMutantSeeds(seeds);
  if (survivors.length > 0) print(`survived: ${survivors.join('; ')}`);
  return survivors.length === 0;
}
