/** Which files share a process, and in which order processes start. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../run.js';
import { modulesOf } from './imports.js';

/** Recorded seconds by file; `npm test -- --record` writes it. */
export const DURATIONS = new URL('durations.json', import.meta.url);

/** Folders with many short files, which share one process for each folder. */
export const GROUPED = [
  'dist/test/core',
  'dist/test/openjd',
  'dist/test/actors',
  'dist/test/adapters/host',
  'dist/test/adapters/memory',
  'dist/test/adapters/system',
  'dist/test/bench',
  'dist/test/client',
  'dist/test/daemons',
  'dist/test/http',
  'dist/test/spec',
  'dist/test/tidy',
  'dist/test/web/parts',
  'dist/test/web/state',
];

/** Folders whose files share a process if they are short, that is, have no recorded duration. The others run alone. */
const SHORT_FILES_GROUPED = [
  'dist/test/adapters/lmdb',
  'dist/test/adapters/nats',
  'dist/test/adapters/process',
  'dist/test/adapters',
  'dist/test/cli',
  'dist/test/web/pages',
];

/** Tests that compute and do not wait: one such process at a time leaves a core to tests with time limits. */
const CPU_BOUND = [
  'dist/test/core',
  'dist/test/openjd',
  'dist/test/actors',
  'dist/test/sim',
  'dist/test/spec',
];

/** Tests that wait for timeouts, delays and restarts: one of them at a time runs in addition to the others, and needs a fifth of a core. */
const WAITING = [
  'dist/test/e2e/survival/outage.test.js',
  'dist/test/e2e/survival/killed-bus.test.js',
  'dist/test/e2e/survival/killed-worker.test.js',
  'dist/test/e2e/nats-cluster.test.js',
  'dist/test/e2e/bus-outage.test.js',
  'dist/test/scripts/test-runner.test.js',
];

/** Tests that add interfaces to the machine, and those whose browser then aborts its requests (ERR_NETWORK_CHANGED). */
const NETWORK = {
  changes: ['dist/test/e2e/faults.test.js', 'dist/test/e2e/faults-of-the-network.test.js'],
  browses: ['dist/test/web'],
};

/** Seconds of a file without a record. */
const GUESSES = [
  ['dist/test/sim/', 100],
  ['dist/test/e2e/', 20],
  ['dist/test/web/', 10],
  ['dist/test/http/', 5],
];

/** Tests of the HTTP layer, of which those that load the other file run with each engine. */
const HTTP = 'dist/test/http';
const HTTP_ENGINE = 'dist/test/kit/http-engine.js';

/**
 * A repetition of tests with other settings.
 *
 * @typedef {{ name: string, env: Readonly<Record<string, string>> }} Variant
 */

/** Of these, the folders that test the engine itself, or what depends on it: sockets, bodies, streams and the pipeline. */
const OF_ENGINE = ['guards', 'log-follow', 'pipeline', 'server', 'ws'].map((name) => `${HTTP}/${name}`);

/** @type {Variant} */
const NODE_ENGINE = { name: 'node', env: { CALLSHEET_HTTP_ENGINE: 'node' } };

/** @type {Variant} */
const BUS_AUTHENTICATION = { name: 'bus-auth', env: { CALLSHEET_TEST_BUS_AUTH: 'true' } };

/** Repeated on a bus with authentication, in few seconds: sessions, leases and ends, deletion, accounts. `npm run test:bus-auth` repeats all. */
const WITH_BUS_AUTHENTICATION = ['deletion', 'isolation', 'lease-reports', 'sessions'].map(
  (name) => `dist/test/e2e/${name}.test.js`,
);

const isIn = (folder, file) => file.startsWith(`${folder}/`);

export function readDurations() {
  return JSON.parse(readFileSync(DURATIONS, 'utf8'));
}

function secondsOf(file, durations) {
  return durations[file] ?? GUESSES.find(([prefix]) => file.startsWith(prefix))?.[1] ?? 1;
}

/** Returns what a process does to the network of others, or expects of it. */
const networkOf = (file) =>
  Object.keys(NETWORK).find((use) => NETWORK[use].some((place) => file === place || isIn(place, file)));

/**
 * Returns the processes to run, longest first: a long one that starts last would run alone.
 *
 * @param {readonly string[]} files
 * @param {{ groups: readonly string[], durations: Record<string, number> }} options
 * @returns {{ files: string[], seconds: number, isCpuBound: boolean, waits: boolean, network?: string }[]}
 */
export function planProcesses(files, { groups, durations }) {
  const byProcess = new Map();
  for (const file of files) {
    const shared = durations[file] === undefined ? [...groups, ...SHORT_FILES_GROUPED] : groups;
    const key = shared.find((folder) => isIn(folder, file)) ?? file;
    byProcess.set(key, [...(byProcess.get(key) ?? []), file]);
  }
  return [...byProcess.values()]
    .map((together) => ({
      files: together,
      seconds: together.reduce((sum, file) => sum + secondsOf(file, durations), 0),
      isCpuBound: CPU_BOUND.some((folder) => isIn(folder, together[0])),
      waits: WAITING.includes(together[0]),
      network: networkOf(together[0]),
    }))
    .sort((a, b) => b.seconds - a.seconds);
}

/**
 * Returns the processes that repeat the tests of the HTTP layer with node:http. The tests themselves use uWebSockets.js where it is
 * available. A test that does not load the choice of the engine would do the same again, and is not repeated; one of another folder than
 * `OF_ENGINE` is repeated in `npm run test:nightly` only.
 *
 * @param {readonly string[]} files
 * @param {Parameters<typeof planProcesses>[1] & { isNightly: boolean }} options
 * @returns {(ReturnType<typeof planProcesses>[number] & { variant: Variant })[]}
 */
export function planForNodeEngine(files, options) {
  const engine = join(root, HTTP_ENGINE);
  const folders = options.isNightly ? [HTTP] : OF_ENGINE;
  const repeated = files.filter(
    (file) => folders.some((folder) => isIn(folder, file)) && modulesOf(join(root, file)).has(engine),
  );
  return planProcesses(repeated, options).map((process) => ({ ...process, variant: NODE_ENGINE }));
}

/**
 * Returns the processes that repeat some tests of workers on a bus with authentication.
 *
 * @param {readonly string[]} files
 * @param {Parameters<typeof planProcesses>[1]} options
 * @returns {(ReturnType<typeof planProcesses>[number] & { variant: Variant })[]}
 */
export function planForBusAuthentication(files, options) {
  const repeated = files.filter((file) => WITH_BUS_AUTHENTICATION.includes(file));
  return planProcesses(repeated, options).map((process) => ({ ...process, variant: BUS_AUTHENTICATION }));
}

/** Takes the process to start next from those that are left: the first one that does not disturb a running one, if there is any. */
export function takeNext(left, running) {
  const isBusy = running.some(({ isCpuBound }) => isCpuBound);
  const isUndisturbed = ({ network }) =>
    network === undefined ||
    running.every((other) => other.network === undefined || other.network === network);
  const fits = [
    (next) => isUndisturbed(next) && !(isBusy && next.isCpuBound) && !next.waits,
    (next) => isUndisturbed(next) && !next.waits,
    isUndisturbed,
    () => true,
  ];
  const index = fits.map((fit) => left.findIndex(fit)).find((found) => found >= 0);
  return left.splice(index, 1)[0];
}

/** Takes the next process that waits, or returns undefined if none is left. */
export function takeNextWaiting(left) {
  const index = left.findIndex(({ waits }) => waits);
  return index < 0 ? undefined : left.splice(index, 1)[0];
}
