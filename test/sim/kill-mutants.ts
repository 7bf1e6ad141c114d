import tap, { test } from 'tap';
import type { Mutant } from './mutant.ts';
import { readMutantSeeds, searchMutant } from './mutant-seeds.ts';
import { simulate } from './simulation.ts';

const TIMEOUT_MS = 300_000;

/**
 * Tests that the simulation kills each mutant. It tries the recorded seed first. After a code change a seed may behave
 * differently; the test then searches from seed 1, and passes with a note of the seed to record (`npm run simulate --
 * --mutants --record`).
 */
export function testMutants(mutants: readonly Mutant[]): void {
  tap.setTimeout(TIMEOUT_MS);
  const seeds = readMutantSeeds();
  for (const mutant of mutants) {
    test(`the simulation kills the mutant: ${mutant.name}`, (t) => {
      const seed = seeds[mutant.name];
      const isKilled = seed !== undefined && simulate(seed, mutant).violation !== null;
      const found = isKilled ? seed : searchMutant(mutant)?.seed;
      if (!isKilled) t.comment(`the recorded seed ${seed} does not kill this mutant; seed ${found} does`);
      t.ok(found !== undefined, `an invariant fails with seed ${found}`);
      t.end();
    });
  }
}
