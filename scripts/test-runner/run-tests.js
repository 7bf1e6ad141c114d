/**
 * Runs compiled test files in several processes of plain node, and prints the failures, the slowest files and the totals.
 * `scripts/test.js` calls it after the build; as a program it runs without one:
 * `node scripts/test-runner/run-tests.js [--jobs N] [--timeout SECONDS] [--group FOLDER]... [--logs FOLDER] FILE...`
 */
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Stop, root, runMain } from '../run.js';
import { NIGHTLY } from './nightly.js';
import { killAll, runProcess } from './run-process.js';
import {
  DURATIONS,
  GROUPED,
  planForBusAuthentication,
  planForNodeEngine,
  planProcesses,
  readDurations,
  takeNext,
  takeNextWaiting,
} from './schedule.js';
import { sumCounts } from './tap-output.js';

const TESTS = 'dist/test';
const SLOWEST = 10;
/** A shorter duration does not change the order of the processes. */
const RECORDED_SECONDS = 5;

function parse(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      jobs: { type: 'string', short: 'j' },
      timeout: { type: 'string', default: '120' },
      group: { type: 'string', multiple: true, default: GROUPED },
      logs: { type: 'string', default: join(root, '.tap/output') },
      record: { type: 'boolean', default: false },
    },
  });
  const number = (name, text) => {
    const value = Number(text);
    if (!(value > 0)) throw new Stop(`Invalid --${name} “${text}”. Use a number above 0.`);
    return value;
  };
  return {
    // Tests wait about half of their time.
    jobs: number('jobs', values.jobs ?? availableParallelism() + 1),
    timeoutMs: number('timeout', values.timeout) * 1000,
    groups: values.group.map((folder) => relative(root, resolve(folder))),
    logFolder: resolve(values.logs),
    record: values.record,
    paths: positionals,
  };
}

/** Returns the test files of a folder of the repository, in the order of their names. */
function testFilesIn(folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .filter((name) => name.endsWith('.test.js'))
    .map((name) => join(folder, name))
    .sort();
}

function selectFiles(paths, isNightly) {
  if (paths.length === 0) return testFilesIn(TESTS).filter((file) => isNightly || !NIGHTLY.includes(file));
  const files = paths.flatMap((path) => {
    const file = relative(root, resolve(path));
    if (!existsSync(path))
      throw new Stop(`Cannot find test file ${path}. Tests run compiled, from ${TESTS}.`);
    return statSync(path).isDirectory() ? testFilesIn(file) : [file];
  });
  return [...new Set(files)];
}

const nameOf = ({ file, variant }) => (variant === undefined ? file : `${file} (${variant.name})`);

function printFailure(result) {
  const lines = result.report.map((line) => `  ${line}`);
  console.log([`\nFAILED ${nameOf(result)}: ${result.problem}`, ...lines].join('\n'));
}

async function runAll(processes, { jobs, timeoutMs, logFolder }) {
  const left = [...processes];
  const running = new Set();
  const results = [];
  const costs = [];
  const work = async (take) => {
    for (let next = take(); next !== undefined; next = take()) {
      running.add(next);
      const finished = await runProcess(next.files, { timeoutMs, logFolder, variant: next.variant });
      running.delete(next);
      results.push(...finished.results);
      costs.push({ process: next, seconds: finished.processorSeconds });
      finished.results.filter(({ problem }) => problem !== undefined).forEach(printFailure);
    }
  };
  const takeAny = () => (left.length === 0 ? undefined : takeNext(left, [...running]));
  const workers = Array.from({ length: jobs }, () => work(takeAny));
  // With one job, tests run one after the other.
  if (jobs > 1) workers.push(work(() => takeNextWaiting(left)));
  await Promise.all(workers);
  return { results, costs };
}

function printSlowest(results) {
  const slowest = [...results].sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
  console.log('\nSlowest files:');
  for (const result of slowest) console.log(`${result.seconds.toFixed(1).padStart(7)} s  ${nameOf(result)}`);
}

const nameOfProcess = ({ files, variant }) =>
  files.length === 1
    ? nameOf({ file: files[0], variant })
    : nameOf({ file: `${files.length} files with ${files[0]}`, variant });

/**
 * Prints the processor time: unlike the time that passes, it is about the same on a machine in use. The file `processor-time.txt` of
 * the folder lists all processes.
 */
function printCosts(costs, logFolder) {
  const known = costs.filter(({ seconds }) => seconds !== undefined).sort((a, b) => b.seconds - a.seconds);
  const sum = known.reduce((total, { seconds }) => total + seconds, 0);
  const lines = known.map(
    ({ process, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${nameOfProcess(process)}`,
  );
  console.log(`\nProcessor time: ${sum.toFixed(0)} s in ${known.length} of ${costs.length} processes. Most:`);
  for (const line of lines.slice(0, SLOWEST)) console.log(line);
  writeFileSync(join(logFolder, 'processor-time.txt'), `${lines.join('\n')}\n`);
}

function recordDurations(results) {
  const durations = results
    .filter(({ seconds }) => seconds >= RECORDED_SECONDS)
    .map(({ file, seconds }) => [file, Math.round(seconds)])
    .sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(DURATIONS, `${JSON.stringify(Object.fromEntries(durations), null, 2)}\n`);
}

/**
 * Runs tests. The last line of the output is `N passed, N failed[, N skipped]`.
 *
 * @param {readonly string[]} args - Test files or folders, none for all tests, and options.
 * @returns {Promise<number>} Exit status: 0 if every file passed.
 */
export async function runTests(args) {
  const options = parse(args);
  const { jobs, groups, record, logFolder, paths } = options;
  const isNightly = process.env.CALLSHEET_TEST_NIGHTLY === 'true';
  const files = selectFiles(paths, isNightly);
  if (files.length === 0) throw new Stop('There are no test files.');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.once(signal, () => {
      killAll();
      process.exit(1);
    });
  }
  rmSync(logFolder, { recursive: true, force: true });
  const planned = { groups, durations: readDurations() };
  const isEngineGiven = (process.env.CALLSHEET_HTTP_ENGINE ?? '') !== '';
  const isBusAuthGiven = (process.env.CALLSHEET_TEST_BUS_AUTH ?? '') !== '';
  const processes = [
    ...planProcesses(files, planned),
    ...(isEngineGiven ? [] : planForNodeEngine(files, { ...planned, isNightly })),
    ...(isBusAuthGiven ? [] : planForBusAuthentication(files, planned)),
  ].sort((a, b) => b.seconds - a.seconds);
  console.log(
    `Test files: ${files.length}. Processes: ${processes.length}, ${jobs} at a time. Output: ${relative(root, logFolder)}`,
  );

  const { results, costs } = await runAll(processes, options);
  const failed = results.filter(({ problem }) => problem !== undefined);
  if (record && paths.length === 0 && isNightly)
    recordDurations(results.filter(({ variant }) => variant === undefined));
  printSlowest(results);
  printCosts(costs, logFolder);
  if (failed.length > 0) {
    console.log('\nFailed files:');
    for (const result of failed) console.log(`  ${nameOf(result)}: ${result.problem}`);
  }
  const counts = sumCounts(results.map((result) => result.counts));
  // A file that failed without a failed assertion counts as one.
  const failures = counts.failed + failed.filter((result) => result.counts.failed === 0).length;
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
  console.log(`\n${counts.passed} passed, ${failures} failed${skipped}`);
  return failed.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runMain(() => runTests(process.argv.slice(2)));
}
