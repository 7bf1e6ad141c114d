/**
 * Runs the mutants of test/mutants against the tests that must find them, and prints the score and the survivors
 * (docs/testing.md#mutants). As a program it runs without a build:
 * `node scripts/mutants/run-mutants.js [--only TEXT] [--jobs N] [--table FILE]`
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Stop, root, runMain } from '../run.js';
import { endAll, runFile } from './run-file.js';

/** Least share of mutants that the tests must find. */
const TARGET = 0.9;
/** Limits of a test file: it passes without a mutant within the first, and fails with one after a multiple of its time. */
const PASS_MS = 120_000;
const MUTANT_MS_MIN = 15_000;
const SLOWDOWN_MAX = 5;

const compiled = (source) => join('dist', source.replace(/\.ts$/, '.js'));
const partOf = ({ file }) => /^(?:src\/)?[^/]+/.exec(file)[0];

function parse(args) {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', default: '' },
      jobs: { type: 'string', short: 'j' },
      table: { type: 'string', default: join(root, 'dist/test/mutants/mutants.js') },
    },
  });
  const jobs = Number(values.jobs ?? availableParallelism());
  if (!(jobs > 0)) throw new Stop(`Invalid --jobs “${values.jobs}”. Use a number above 0.`);
  return { only: values.only, jobs, table: resolve(values.table) };
}

/** Calls `work` for each item, `jobs` at a time. */
async function forEach(items, jobs, work) {
  const waiting = [...items];
  const next = async () => {
    while (waiting.length > 0) await work(waiting.shift());
  };
  await Promise.all(Array.from({ length: jobs }, next));
}

/** Runs all test files without a mutant: a file that fails anyway finds nothing. Returns their times. */
async function runWithout(mutants, jobs) {
  const times = new Map();
  const failed = [];
  await forEach(new Set(mutants.flatMap(({ tests }) => tests)), jobs, async (test) => {
    const startedAt = Date.now();
    const failure = await runFile(compiled(test), { timeoutMs: PASS_MS });
    times.set(test, Date.now() - startedAt);
    if (failure !== null) failed.push(`${test}: ${failure}`);
  });
  if (failed.length > 0) throw new Stop(`Tests fail without a mutant:\n  ${failed.join('\n  ')}`);
  return times;
}

/** Writes the source of a mutant and its description into a folder of its own. */
function prepare(mutant, source, folder) {
  mkdirSync(folder);
  const paths = { source: join(folder, 'source.js'), loaded: join(folder, 'loaded') };
  const description = join(folder, 'mutant.json');
  writeFileSync(paths.source, source);
  const url = pathToFileURL(join(root, compiled(mutant.file))).href;
  writeFileSync(description, JSON.stringify({ url, ...paths }));
  return { description, wasLoaded: () => existsSync(paths.loaded) };
}

/** Returns how the mutant was found: test file and failed assertion; null if it survived. */
async function hunt(mutant, { description, wasLoaded }, times) {
  for (const test of mutant.tests) {
    const timeoutMs = Math.max(MUTANT_MS_MIN, SLOWDOWN_MAX * times.get(test));
    const failure = await runFile(compiled(test), { description, timeoutMs });
    if (failure !== null && !wasLoaded())
      throw new Stop(`${test} failed without the mutant “${mutant.name}”.`);
    if (failure !== null) return `${test}: ${failure}`;
  }
  if (!wasLoaded()) throw new Stop(`No test of the mutant “${mutant.name}” loads ${mutant.file}.`);
  return null;
}

function printScore(mutants, survivors, seconds) {
  const parts = [...new Set(mutants.map(partOf))].sort();
  const row = (name, all) => {
    const killed = all.filter((mutant) => !survivors.includes(mutant)).length;
    const percent = Math.floor((1000 * killed) / all.length) / 10;
    console.log(
      `${name.padEnd(14)} ${String(killed).padStart(4)} of ${String(all.length).padStart(4)} killed, ${percent} %`,
    );
  };
  for (const part of parts)
    row(
      part,
      mutants.filter((mutant) => partOf(mutant) === part),
    );
  row('all', mutants);
  for (const { name, file } of survivors) console.log(`survived: ${name} (${file})`);
  console.log(`${Math.round(seconds)} s`);
}

/**
 * @param {readonly string[]} args
 * @returns {Promise<number>} Exit status: 0 if the score reaches the target.
 */
export async function runMutants(args) {
  const { only, jobs, table } = parse(args);
  const { MUTANTS } = await import(pathToFileURL(table).href);
  const { mutantSource } = await import(pathToFileURL(join(root, 'dist/test/mutants/mutant-source.js')).href);
  const mutants = MUTANTS.filter(({ name, file }) => `${name}\n${file}`.includes(only));
  if (mutants.length === 0) throw new Stop(`No mutant has “${only}” in its name or file.`);
  const sources = new Map(mutants.map((mutant) => [mutant, mutantSource(mutant)]));
  const startedAt = Date.now();
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-mutants-'));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.once(signal, () => {
      endAll();
      rmSync(folder, { recursive: true, force: true });
      process.exit(1);
    });
  }
  try {
    const times = await runWithout(mutants, jobs);
    const survivors = [];
    let done = 0;
    await forEach(mutants, jobs, async (mutant) => {
      const number = mutants.indexOf(mutant);
      const planted = prepare(mutant, sources.get(mutant), join(folder, String(number)));
      const found = await hunt(mutant, planted, times);
      if (found === null) survivors.push(mutant);
      done++;
      console.log(
        `${done}/${mutants.length} ${found === null ? 'SURVIVED' : 'killed'} ${mutant.name}: ${found ?? mutant.file}`,
      );
    });
    printScore(mutants, survivors, (Date.now() - startedAt) / 1000);
    return survivors.length <= (1 - TARGET) * mutants.length ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === new URL(import.meta.url).pathname)
  await runMain(() => runMutants(process.argv.slice(2)));
