import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { saveResult } from '../../../bench/kit/results.ts';
import { valueAtQuantile } from '../row.ts';
import { runNemesis, runTrial, type Trial } from './campaign.ts';
import { classify, countsOf, type Counts, type Verdict } from './checker.ts';
import { FAULT_NAMES, FAULTS, type FaultName } from './cluster-faults.ts';
import { isIsolated, isolationFault, runIsolated } from './isolation.ts';
import { Rig, type RigOptions } from './rig.ts';
import { recordedProcesses } from './task-program.ts';

/**
 * Injects faults into a cluster of three nodes with real workers, and classifies everything that clients and workers have
 * seen of it (docs/faults.md#cluster).
 *
 * npm run faults -- cluster [--short] [--faults NAME[=COUNT],...] [--nemesis SECONDS] [--images DIR] [--keep] [--json]
 */
const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    faults: { type: 'string' },
    nemesis: { type: 'string' },
    images: { type: 'string' },
    keep: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

type Plan = readonly (readonly [FaultName, number])[];

/** About the same share of each fault as the targets (docs/high-availability.md) have. */
const FULL_PLAN: Plan = [
  ['owner-killed', 50],
  ['leader-killed', 20],
  ['both-killed', 20],
  ['owner-paused', 35],
  ['machine-paused', 15],
  ['owner-cut-off', 14],
  ['owner-unplugged', 12],
  ['owner-not-heard', 8],
  ['owner-deaf', 8],
  ['leader-cut-off', 8],
  ['power-lost', 6],
  ['all-power-lost', 4],
  ['owner-disk-full', 3],
  ['follower-disk-full', 3],
  ['clock-ahead', 3],
  ['clock-behind', 3],
];
const SHORT_PLAN: Plan = [
  ['owner-killed', 2],
  ['owner-paused', 1],
  ['owner-cut-off', 1],
];
/** Longer than a takeover. */
const SHORT_HOLD_MS = 5000;
const FULL_NEMESIS_SECONDS = 3600;

const FULL_RIG: Omit<RigOptions, 'images'> = { workers: 6, cores: 2, pauseMs: 1500 };
const SHORT_RIG: Omit<RigOptions, 'images'> = { workers: 2, cores: 2, pauseMs: 700 };

interface Outcome {
  readonly trials: readonly Trial[];
  readonly nemesis: Readonly<Record<string, number>>;
  readonly counts: Counts;
  readonly processes: number;
  /** Reads of a state that the same client had received from another node. */
  readonly readsAgain: number;
  readonly violations: readonly string[];
}

const isFault = (name: string): name is FaultName => FAULT_NAMES.some((each) => each === name);

function planOf(text: string | undefined): Plan {
  if (text === undefined) return values.short ? SHORT_PLAN : FULL_PLAN;
  if (text === '') return [];
  return text.split(',').map((part) => {
    const [name = '', count = '1'] = part.split('=');
    if (!isFault(name)) throw new Error(`unknown fault ${name}; use some of: ${FAULT_NAMES.join(', ')}`);
    return [name, Number(count)] as const;
  });
}

const report = (text: string): void => {
  if (!values.json) process.stdout.write(`${text}\n`);
};

async function run(): Promise<Outcome> {
  const nemesisSeconds = Number(
    values.nemesis ?? (values.short || values.faults !== undefined ? 0 : FULL_NEMESIS_SECONDS),
  );
  const options = { ...(values.short ? SHORT_RIG : FULL_RIG), images: values.images ?? null };
  const rig = await Rig.start(options);
  report(`the cluster runs in ${rig.folder}`);
  const trials: Trial[] = [];
  const failures: string[] = [];
  let nemesis: Readonly<Record<string, number>> = {};
  try {
    for (const [name, count] of planOf(values.faults)) {
      for (let round = 0; round < count; round++) {
        const trial = await runTrial(rig, name, values.short ? SHORT_HOLD_MS : Infinity);
        trials.push(trial);
        report(JSON.stringify(trial));
      }
    }
    if (nemesisSeconds > 0) nemesis = await runNemesis(rig, nemesisSeconds * 1000, report);
  } catch (error) {
    failures.push(`the cluster did not recover: ${String(error)}`);
  }
  const verdicts = await judged(rig).catch((error: unknown) => {
    failures.push(`the nodes could not be asked: ${String(error)}`);
    return [] as Verdict[];
  });
  const violations = [
    ...failures,
    ...rig.load.refusals,
    ...rig.load.staleReads,
    ...verdicts
      .filter((verdict) => verdict.class !== 'ok')
      .map((verdict) => `${verdict.class}: ${verdict.text}`),
  ];
  const processes = recordedProcesses(rig.recordFile).length;
  await rig.close(values.keep || violations.length > 0);
  const { readsAgain } = rig.load;
  return { trials, nemesis, counts: countsOf(verdicts), processes, readsAgain, violations };
}

async function judged(rig: Rig): Promise<Verdict[]> {
  const { views, registers } = await rig.finish();
  const { submissions, orders, observations } = rig.load;
  const processes = recordedProcesses(rig.recordFile);
  return classify({ submissions, orders, observations, registers, processes, views });
}

interface Line {
  readonly fault: FaultName;
  readonly title: string;
  readonly count: number;
  /** Milliseconds until the first acknowledgement of a write. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly takeovers: number;
}

const linesOf = (trials: readonly Trial[]): Line[] =>
  FAULT_NAMES.flatMap((fault) => {
    const ofFault = trials.filter((trial) => trial.fault === fault);
    if (ofFault.length === 0) return [];
    const times = ofFault.map(({ failoverMs }) => failoverMs);
    return [
      {
        fault,
        title: FAULTS[fault].title,
        count: ofFault.length,
        p50: valueAtQuantile(times, 0.5),
        p99: valueAtQuantile(times, 0.99),
        max: Math.max(...times),
        takeovers: ofFault.reduce((sum, { takeovers }) => sum + takeovers, 0),
      },
    ];
  });

async function main(): Promise<void> {
  const outcome = await run();
  const { trials, counts, violations } = outcome;
  const lines = linesOf(trials);
  if (!values.short) saveResult('faults-cluster', { ...outcome, lines });
  if (values.json) process.stdout.write(`${JSON.stringify({ lines, counts, violations })}\n`);
  for (const { title, count, p50, p99, max, takeovers } of lines)
    report(
      `${title}: ${count} times, acknowledged after ${p50} ms (p50), ${p99} ms (p99), ${max} ms (max); ${takeovers} takeovers`,
    );
  for (const [subject, classes] of Object.entries(counts)) report(`${subject}: ${JSON.stringify(classes)}`);
  for (const violation of violations) report(`FORBIDDEN: ${violation}`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}

if (isIsolated()) {
  await main();
} else {
  const fault = isolationFault();
  if (fault !== false) throw new Error(fault);
  const { status } = await runIsolated(fileURLToPath(import.meta.url), process.argv.slice(2), 'inherit');
  process.exitCode = status;
}
