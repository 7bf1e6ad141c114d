/**
 * Runs the short version of every bench within five minutes and writes the results to one page: a table with targets
 * and a chart, next to the figures in bench/results. `npm run bench` without a name does the same.
 *
 *     npm run bench -- all [--minutes 5] [--only lease,submit] [--render]
 *
 * With --render nothing runs: the page is made of the existing figures, so that it also shows long runs of single
 * benches.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { packageRoot } from '../src/adapters/system/package-root.ts';
import { resultsFolder } from './kit/results.ts';
import { leaseChart, leaseLines } from './kit/summary/lease-chart.ts';
import { ROWS } from './kit/summary/rows.ts';
import { SHORT_RUNS, type ShortRun } from './kit/summary/short-runs.ts';
import { summarize, summaryPage, type KeptResult } from './kit/summary/summary.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    only: { type: 'string' },
    render: { type: 'boolean', default: false },
  },
});
const KILL_AFTER_MS = 5_000;
const CHART = 'lease.svg';
const SELF = basename(import.meta.url, '.js');

const endsAt = performance.now() + Number(values.minutes) * 60_000;
const leftOut: string[] = [];
let failed = 0;
if (!values.render) await runAll();
render();
process.exitCode = failed > 0 ? 1 : 0;

async function runAll(): Promise<void> {
  const only = values.only?.split(',');
  const known = new Set(SHORT_RUNS.map(({ bench }) => bench));
  for (const bench of benches()) {
    if (!known.has(bench) && bench !== SELF) leaveOut(bench, 'it has no short version');
  }
  for (const run of SHORT_RUNS) {
    const { bench, options, seconds, needs } = run;
    if (only !== undefined && !only.includes(bench)) continue;
    const leftSeconds = Math.floor((endsAt - performance.now()) / 1000);
    if (!benches().includes(bench)) leaveOut(bench, 'it is not there');
    else if (needs !== undefined && !existsSync(new URL(needs.path, packageRoot))) {
      leaveOut(bench, `it needs ${needs.path}: ${needs.remedy}`);
    } else if (leftSeconds < seconds) {
      leaveOut(bench, `it takes about ${seconds} s and ${leftSeconds} s are left: npm run bench -- ${bench}`);
    } else {
      process.stdout.write(`\n== ${bench} ${options.join(' ')}\n`);
      const startedAt = performance.now();
      const reason = await runOne(run);
      process.stdout.write(`(${Math.round((performance.now() - startedAt) / 1000)} s)\n`);
      if (reason !== null) {
        failed++;
        leftOut.push(`\`${bench}\` did not end well: ${reason}`);
        process.stdout.write(`${bench} did not end well: ${reason}\n`);
      }
    }
  }
}

function benches(): string[] {
  return readdirSync(new URL('bench/', packageRoot)).flatMap(
    (file) => /^([a-z-]+)\.ts$/.exec(file)?.[1] ?? [],
  );
}

function leaveOut(bench: string, reason: string): void {
  leftOut.push(`\`${bench}\` was left out: ${reason}`);
  process.stdout.write(`${bench} is left out: ${reason}\n`);
}

/**
 * Runs a bench in its own process group, so that it and all that it has started end in time. Returns null if it
 * succeeded.
 */
function runOne({ bench, options }: ShortRun): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn(
      process.execPath,
      [fileURLToPath(new URL(`dist/bench/${bench}.js`, packageRoot)), ...options],
      { stdio: ['ignore', 'inherit', 'inherit'], detached: true },
    );
    const signal = (name: NodeJS.Signals): void => {
      if (child.pid !== undefined) process.kill(-child.pid, name);
    };
    let isLate = false;
    let killing: NodeJS.Timeout | null = null;
    const ending = setTimeout(() => {
      isLate = true;
      signal('SIGTERM');
      killing = setTimeout(() => signal('SIGKILL'), KILL_AFTER_MS);
    }, endsAt - performance.now());
    const interrupt = (): void => {
      signal('SIGTERM');
      process.exit(1);
    };
    process.once('SIGINT', interrupt);
    process.once('SIGTERM', interrupt);
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code) => {
      clearTimeout(ending);
      if (killing !== null) clearTimeout(killing);
      process.off('SIGINT', interrupt);
      process.off('SIGTERM', interrupt);
      resolve(code === 0 ? null : isLate ? 'it was not over in time' : `it ended with code ${code}`);
    });
  });
}

/** Writes summary.md and, if there are figures of leases, lease.svg. Prints the missed targets. */
function render(): void {
  const results = keptResults();
  const { rows, missing } = summarize(ROWS, results);
  const unknown = new Set(missing.map(({ bench, figure }) => `\`${bench}\`: ${figure}`));
  const lines = leaseLines(results.get('lease')?.figures);
  const chart = lines.length > 0 ? CHART : null;
  writeFileSync(
    new URL('summary.md', resultsFolder),
    summaryPage(rows, [...leftOut, ...unknown], results, chart),
  );
  if (chart !== null) writeFileSync(new URL(chart, resultsFolder), leaseChart(lines));
  const checked = rows.filter(({ isMet }) => isMet !== null);
  const missed = checked.filter(({ isMet }) => isMet === false);
  process.stdout.write(
    `\n${checked.length - missed.length} of ${checked.length} targets are met; missed:\n` +
      missed
        .map(
          ({ bench, figure, yardstick }) =>
            `  ${bench}: ${figure}${yardstick === '' ? '' : `, of ${yardstick}`}\n`,
        )
        .join('') +
      `See ${fileURLToPath(new URL('summary.md', resultsFolder))}\n`,
  );
}

/** Sorted by name. */
function keptResults(): ReadonlyMap<string, KeptResult> {
  const files = readdirSync(resultsFolder)
    .filter((file) => file.endsWith('.json'))
    .sort();
  return new Map(
    files.map((file) => {
      const kept = JSON.parse(readFileSync(new URL(file, resultsFolder), 'utf8')) as Omit<
        KeptResult,
        'options'
      > & {
        readonly options?: readonly string[];
      };
      return [kept.bench, { ...kept, options: kept.options ?? [] }];
    }),
  );
}
