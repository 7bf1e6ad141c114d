import { simulateCluster, type ClusterResult } from './cluster-simulation.ts';

/** Every n-th seed runs twice and must have the same result. */
const SEEDS_PER_REPEAT = 50;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

function describe({ seed, violation, decisions, outputs, epochs, events, digest }: ClusterResult): void {
  const outcome = violation === null ? 'sound' : violation.message;
  print(
    `seed ${seed}: ${outcome}; ${decisions} decisions, ${outputs} outputs, ${epochs} epochs, ${events} events, trace ${digest}`,
  );
  if (violation !== null) print(`  replay with: npm run simulate -- --cluster --seed ${seed} --trace`);
}

/** Runs one seed of the replicated log. Returns whether it was sound. */
export function runClusterSeed(seed: number, keepsTrace: boolean): boolean {
  const result = simulateCluster(seed, { keepsTrace });
  for (const line of result.trace) print(line);
  describe(result);
  return result.violation === null;
}

/** Runs seeds of the replicated log until one fails. Returns whether all were sound. */
export function runClusterSeeds(first: number, seeds: number, keepsGoing: boolean): boolean {
  const startedAt = performance.now();
  const total = { failed: 0, events: 0, decisions: 0, outputs: 0, epochs: 0 };
  for (let seed = first; seed < first + seeds; seed++) {
    const result = simulateCluster(seed);
    total.events += result.events;
    total.decisions += result.decisions;
    total.outputs += result.outputs;
    total.epochs += result.epochs;
    const isRepeated = seed % SEEDS_PER_REPEAT !== 0 || simulateCluster(seed).digest === result.digest;
    if (!isRepeated) print(`seed ${seed}: two runs of it differ`);
    if (result.violation !== null) describe(result);
    if (isRepeated && result.violation === null) continue;
    total.failed++;
    if (!keepsGoing) break;
  }
  const seconds = (performance.now() - startedAt) / 1000;
  print(
    `${total.failed} of ${seeds} seeds failed; ${total.decisions} decisions, ${total.outputs} outputs, ${total.epochs} epochs, ${total.events} events in ${seconds.toFixed(1)} s`,
  );
  return total.failed === 0;
}
