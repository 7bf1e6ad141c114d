import { parseArgs } from 'node:util';
import { runClusterSeed, runClusterSeeds } from './cluster/run-cluster.ts';
import { printMutantSeeds, recordMutantSeeds } from './run-mutants.ts';
import { IDENTITY_SCENARIOS } from './identity-scenarios.ts';
import { OUTAGE_SCENARIOS } from './outage-scenarios.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';
import { withAllGuards, withBusAuthentication } from './options.ts';
import { simulate, type SimulationResult, type Variation } from './simulation.ts';

/**
 * `npm run simulate -- --seeds N` runs N seeds (from `--first`, 1 by default). `--seed S` replays one seed exactly,
 * with `--trace` for a line per event. `--bus-auth` runs them on a bus with authentication, `--guards` with quarantine,
 * canary tasks, outage holds and common causes of failures. `--mutants` prints how many seeds each mutant needs to be killed (`--runs N`
 * searches, `--mutant TEXT` for those with the text in their name); `--mutants --record` searches those whose recorded seed
 * no longer kills them, and writes test/sim/mutant-seeds.json. `--cluster` runs the seeds of the replicated log instead of farms. Exit status 1: a seed failed, or a mutant survived.
 */
const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    first: { type: 'string', default: '1' },
    seed: { type: 'string' },
    trace: { type: 'boolean', default: false },
    scenario: { type: 'string' },
    'bus-auth': { type: 'boolean', default: false },
    guards: { type: 'boolean', default: false },
    cluster: { type: 'boolean', default: false },
    'keep-going': { type: 'boolean', default: false },
    mutants: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    runs: { type: 'string', default: '9' },
    mutant: { type: 'string', default: '' },
  },
});

/** Every n-th seed runs twice and must have the same result. */
const SEEDS_PER_REPEAT = 50;

/** With `--scenario OC-1`: the same, with the faults of one scenario. */
function scenarioOf(name: string | undefined): { readonly scenario?: Scenario } {
  if (name === undefined) return {};
  const scenarios = [...SCENARIOS, ...OUTAGE_SCENARIOS, ...IDENTITY_SCENARIOS];
  const scenario = scenarios.find((each) => each.name === name);
  if (scenario === undefined)
    throw new Error(`unknown scenario; use one of: ${scenarios.map((each) => each.name).join(', ')}`);
  return { scenario };
}

/** With `--bus-auth`: the same farms on a bus with authentication. */
const chosen: Variation = {
  ...scenarioOf(values.scenario),
  ...(values['bus-auth'] ? { options: withBusAuthentication } : {}),
  ...(values.guards ? { options: withAllGuards } : {}),
};

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function describe(result: SimulationResult): void {
  if (result.violation === null) {
    print(
      `seed ${result.seed}: sound, ${result.events} events in ${Math.round(result.virtualMs / 1000)} virtual seconds, trace ${result.digest}`,
    );
    return;
  }
  print(`seed ${result.seed}: ${result.violation.message}`);
  print(
    `  after ${result.events} events and ${result.virtualMs} virtual milliseconds, trace ${result.digest}`,
  );
  print(`  options ${JSON.stringify(result.options)}`);
  print(
    `  replay with: npm run simulate -- --seed ${result.seed}${values.scenario === undefined ? '' : ` --scenario ${values.scenario}`} --trace`,
  );
}

function wholeNumber(text: string, name: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw new Error(`--${name} requires a whole number, not ${JSON.stringify(text)}`);
}

function runOne(seed: number): boolean {
  const result = simulate(seed, { ...chosen, keepsTrace: values.trace });
  for (const line of result.trace) print(line);
  describe(result);
  return result.violation === null;
}

function runMany(first: number, seeds: number): boolean {
  const startedAt = performance.now();
  let failed = 0;
  let events = 0;
  let met = 0;
  for (let seed = first; seed < first + seeds; seed++) {
    const result = simulate(seed, chosen);
    if (result.cases > 0) met++;
    events += result.events;
    if (seed % SEEDS_PER_REPEAT === 0 && simulate(seed, chosen).digest !== result.digest) {
      print(`seed ${seed}: two runs of it differ`);
      failed++;
    }
    if (result.violation === null) continue;
    describe(result);
    failed++;
    if (!values['keep-going']) break;
  }
  const seconds = (performance.now() - startedAt) / 1000;
  print(
    `${failed} of ${seeds} seeds failed; ${events} events in ${seconds.toFixed(1)} s, ${(seeds / seconds).toFixed(1)} seeds a second`,
  );
  if (values.scenario !== undefined) print(`the scenario occurred in ${met} seeds`);
  return failed === 0;
}

function runCluster(): boolean {
  if (values.seed !== undefined) return runClusterSeed(wholeNumber(values.seed, 'seed'), values.trace);
  const first = wholeNumber(values.first, 'first');
  return runClusterSeeds(first, wholeNumber(values.seeds ?? '100', 'seeds'), values['keep-going']);
}

function run(): boolean {
  if (values.cluster) return runCluster();
  if (values.mutants && values.record) return recordMutantSeeds();
  if (values.mutants) {
    printMutantSeeds(wholeNumber(values.runs, 'runs'), values.mutant);
    return true;
  }
  if (values.seed !== undefined) return runOne(wholeNumber(values.seed, 'seed'));
  return runMany(wholeNumber(values.first, 'first'), wholeNumber(values.seeds ?? '100', 'seeds'));
}

process.exitCode = run() ? 0 : 1;
