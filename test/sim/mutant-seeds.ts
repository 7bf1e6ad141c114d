import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Mutant } from './mutant.ts';
import { simulate, type SimulationResult } from './simulation.ts';

/** Number of seeds, from 1, that are searched for a mutant. */
const SEEDS_TO_KILL_A_MUTANT = 1_500;

/** Path in the source tree, relative to the compiled file. */
const FILE = fileURLToPath(new URL('../../../test/sim/mutant-seeds.json', import.meta.url));

/** Returns the recorded seed that kills each mutant, by the mutant's name (test/sim/mutant-seeds.json). */
export const readMutantSeeds = (): Readonly<Record<string, number>> =>
  JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, number>;

export function writeMutantSeeds(seeds: Readonly<Record<string, number>>): void {
  writeFileSync(FILE, `${JSON.stringify(seeds, null, 2)}\n`);
}

/** Returns the run of the seed if it has a violation, and none without the mutant; otherwise null. */
export function killMutant({ plant, ...unmodified }: Mutant, seed: number): SimulationResult | null {
  const result = simulate(seed, { plant, ...unmodified });
  if (result.violation === null) return null;
  return simulate(seed, unmodified).violation === null ? result : null;
}

/**
 * Returns the first run that kills the mutant for the seeds from 1 to `SEEDS_TO_KILL_A_MUTANT`, or null if the mutant
 * survives.
 */
export function searchMutant(mutant: Mutant): SimulationResult | null {
  for (let seed = 1; seed <= SEEDS_TO_KILL_A_MUTANT; seed++) {
    const result = killMutant(mutant, seed);
    if (result !== null) return result;
  }
  return null;
}
