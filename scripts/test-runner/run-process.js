/**
 * Runs one test process: a test file, or a group of files. A file passes only if it has an assertion, all its assertions pass,
 * and its process ends in time with status 0.
 */
import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../run.js';
import { descendantsOf, killGroup, killProcesses } from './processes.js';
import { NO_COUNTS, TapOutput } from './tap-output.js';

const RUN_GROUP = fileURLToPath(new URL('run-group.js', import.meta.url));
const PROCESSOR_TIME = new URL('processor-time.js', import.meta.url).href;
/** How long a test process that exceeded its limit may take to print its running tests. */
const DIAGNOSIS_MS = 3000;
/** How long to read the pipes of a test process that has exited: a daemon that it started may hold them open. */
const DRAIN_MS = 2000;
/** Maximum length of the error output in a report, in characters. */
const ERROR_OUTPUT = 20_000;

/** Size of the young generation of a test, in MiB: tests that compute take 5 % less processor time than with Node's default of 16. */
const YOUNG_MIB = 32;

const running = new Set();

/** Kills all test processes and their descendants. */
export function killAll() {
  for (const pid of running) {
    killProcesses(descendantsOf(pid));
    killGroup(pid);
  }
}

/**
 * @typedef {{ total: number, passed: number, failed: number, skipped: number }} Counts
 * @typedef {import('./schedule.js').Variant} Variant
 * @typedef {{ file: string, variant: Variant | undefined, seconds: number, counts: Counts, problem: string | undefined, report: string[] }} FileResult
 */

/**
 * Runs test files in one process.
 *
 * @param {readonly string[]} files - Relative to the root of the repository.
 * @param {{ timeoutMs: number, logFolder: string, variant?: Variant }} options - `timeoutMs` is the limit of each file; a file can set its
 *   own with `tap.setTimeout`. The output is written to `logFolder`. `variant` adds settings to the environment.
 * @returns {Promise<{ results: FileResult[], processorSeconds: number | undefined }>} One result for each file, and the processor time of the
 *   process with those that it started; undefined if it was killed, or where there is no /proc.
 */
export async function runProcess(files, { timeoutMs, logFolder, variant }) {
  // One file with a variant is a group too, because groups name their fixture folders after the variant.
  const isGroup = files.length > 1 || variant !== undefined;
  const output = new TapOutput(files);
  const log = join(
    logFolder,
    `${files[0]}${variant === undefined ? '' : `.${variant.name}`}${isGroup ? '.group' : ''}.tap`,
  );
  mkdirSync(dirname(log), { recursive: true });
  const times = `${log}.seconds`;
  const child = start(files, isGroup, timeoutMs, variant, times);
  const record = createWriteStream(log);
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    record.write(chunk);
    output.add(chunk);
  });
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    record.write(chunk);
    errors = (errors + chunk).slice(-ERROR_OUTPUT);
  });
  const startedAt = Date.now();
  running.add(child.pid);
  const ending = await endingOf(child, timeoutMs);
  running.delete(child.pid);
  record.end();
  output.end();
  const seconds = (Date.now() - startedAt) / 1000;

  const problems = problemsOf(files, output, ending);
  const results = files.map((file) => {
    const problem = problems.get(file);
    const found = output.files.get(file);
    const report = problem === undefined ? [] : [...(found?.failures ?? []), ...(found?.others ?? [])];
    if (problem !== undefined && file === output.current && errors !== '') report.push(errors.trimEnd());
    return {
      file,
      variant,
      seconds: isGroup ? (output.seconds.get(file) ?? 0) : seconds,
      counts: found?.counts ?? NO_COUNTS,
      problem,
      report,
    };
  });
  return { results, processorSeconds: takeProcessorSeconds(times) };
}

/** Reads the file of processor-time.js, and removes it. */
function takeProcessorSeconds(file) {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  } finally {
    rmSync(file, { force: true });
  }
}

function start(files, isGroup, timeoutMs, variant, times) {
  const options = ['--import', PROCESSOR_TIME, '--enable-source-maps', `--max-semi-space-size=${YOUNG_MIB}`];
  return spawn(process.execPath, [...options, isGroup ? RUN_GROUP : files[0]], {
    cwd: root,
    // A process group, so that the children of the test can be ended with it.
    detached: true,
    // tap sends a limit that a file sets with tap.setTimeout to its parent process.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      ...process.env,
      TAP_TIMEOUT: String(timeoutMs / 1000),
      NO_COLOR: '1',
      FORCE_COLOR: '0',
      ...variant?.env,
      CALLSHEET_TEST_VARIANT: variant?.name ?? '',
      CALLSHEET_TEST_TIMES: times,
      ...(isGroup ? { CALLSHEET_TEST_GROUP: JSON.stringify(files) } : {}),
    },
  });
}

/** Waits for the end of a test process. Returns what was wrong with it, or undefined for an exit with status 0 in time. */
function endingOf(child, timeoutMs) {
  return new Promise((resolve) => {
    let ending;
    let hangs = false;
    let timer;
    const limit = (ms) => {
      if (hangs) return;
      clearTimeout(timer);
      timer = setTimeout(expire, ms);
    };
    function expire() {
      hangs = true;
      const descendants = descendantsOf(child.pid);
      child.once('exit', () => killProcesses(descendants));
      // tap prints its running tests, and ends the process.
      if (child.connected) child.send({ tapAbort: 'timeout' }, () => {});
      timer = setTimeout(() => {
        killProcesses(descendantsOf(child.pid));
        killGroup(child.pid);
      }, DIAGNOSIS_MS);
    }
    limit(timeoutMs);
    child.on('message', (message) => {
      // A little less: tap's own timer would end the process without its children.
      if (typeof message?.setTimeout === 'number') limit(Math.max(message.setTimeout - 500, 1));
    });
    child.on('error', (error) => {
      clearTimeout(timer);
      resolve(`cannot be started: ${error.message}`);
    });
    child.on('exit', (code, signal) => {
      clearTimeout(timer);
      if (hangs) ending = 'exceeded its time limit and was ended';
      else if (signal !== null) ending = `was ended by ${signal}`;
      else if (code !== 0) ending = `exited with status ${code}`;
      killGroup(child.pid);
      setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, DRAIN_MS).unref();
    });
    child.on('close', () => resolve(ending));
  });
}

/** Returns what is wrong with each of the failed files. */
function problemsOf(files, output, ending) {
  const problems = new Map();
  for (const file of files) {
    const found = output.files.get(file);
    if (found === undefined)
      problems.set(file, `did not run: its group ended in ${output.current ?? 'its start'}`);
    else if (found.counts === undefined) problems.set(file, ending ?? 'printed no totals');
    else if (found.counts.failed > 0) problems.set(file, 'has failed assertions');
    else if (found.counts.total === 0) problems.set(file, 'has no assertions');
  }
  // A failed assertion explains status 1. Anything else is a failure of the file that ran last.
  const isExplained = problems.size > 0 && ending === 'exited with status 1';
  const last = output.current ?? files[0];
  if (ending !== undefined && !isExplained) problems.set(last, ending);
  return problems;
}
