/**
 * Runs several test files in one process, one after the other: loading node, tap and the sources takes more time than most of the
 * tests of pure code. Comments in the output tell the runner which file is running, and its counts.
 *
 * The files are a JSON list in CALLSHEET_TEST_GROUP, relative to the working directory. Arguments would become part of the names
 * of tap's fixture folders.
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { GROUP_END, GROUP_START } from './tap-output.js';

const files = JSON.parse(process.env.CALLSHEET_TEST_GROUP ?? '[]');
delete process.env.CALLSHEET_TEST_GROUP;
const timeoutMs = Number(process.env.TAP_TIMEOUT) * 1000;
// tap names its fixture folders after the program: groups that run at the same time need different ones.
const variant = process.env.CALLSHEET_TEST_VARIANT ?? '';
process.argv[1] = resolve(`${files[0] ?? 'group'}.${variant === '' ? '' : `${variant}.`}group`);
const { t: tap } = await import('tap');

let before = tap.counts.toJSON();

/** Returns the counts of the assertions since the last call. */
function takeCounts() {
  const now = tap.counts.toJSON();
  const since = (name) => (now[name] ?? 0) - (before[name] ?? 0);
  const counts = { total: since('total'), pass: since('pass'), fail: since('fail'), skip: since('skip') };
  before = now;
  return counts;
}

async function idle() {
  // Two turns: a test that ends hands its results to its parent in the next one.
  do {
    await new Promise((done) => setImmediate(done));
    if (!tap.idle) await new Promise((done) => tap.once('idle', done));
    await new Promise((done) => setImmediate(done));
  } while (!tap.idle);
}

for (const file of files) {
  tap.comment(`${GROUP_START}${file}`);
  // Starts the time limit again, here and in the runner.
  tap.setTimeout(timeoutMs);
  try {
    await import(pathToFileURL(resolve(file)).href);
  } catch (error) {
    tap.fail(`${file} cannot be loaded`, { message: error instanceof Error ? error.stack : String(error) });
  }
  await idle();
  // The parser of tap holds back the last result until the next one: this counts it for the right file.
  tap.parser.emitResult();
  tap.comment(`${GROUP_END}${JSON.stringify(takeCounts())}`);
}
