/**
 * Question: how does Callsheet compare with the alternatives? Each system runs no-op tasks with the same number of
 * workers, on the same machine, with named durable settings. In each repetition the systems run one after the other,
 * each with a fresh store and nothing else running. Figures are medians of the repetitions; ratios are taken within a
 * repetition. docs/peers.md describes the comparison and the settings.
 *
 * npm run bench -- peers [--install] [--systems callsheet,bullmq-always] [--workers 1,16,64,256,1000] [--tasks 20000] [--warm-up 40000] [--repetitions 3] [--flush-us 160] [--json]
 *
 * With --install missing systems are installed first: npm packages into .bench-peers, servers by apt (as root). Without
 * it a missing system is skipped. With --flush-us the flushes of every system take at least this long, as on a slower
 * disk.
 */
import { parseArgs } from 'node:util';
import { saveResult } from './kit/results.ts';
import { checkTargets, ratios, summarize, TARGETS, type Measurement } from './peers/comparison.ts';
import { installation, Missing } from './peers/installation.ts';
import type { Peer } from './peers/peer.ts';
import {
  compileSlowFlush,
  readFlushUs,
  resultName,
  timeFlushes,
  type SlowFlush,
} from './peers/slow-flush.ts';
import { SYSTEMS } from './peers/systems.ts';
import { renderTables } from './peers/tables.ts';

const USUAL = SYSTEMS.filter(({ onlyWhenNamed }) => onlyWhenNamed !== true)
  .map(({ name }) => name)
  .join(',');
/** One worker alone takes long: it gets this share of the tasks. */
const ALONE_SHARE = 0.25;

const { values } = parseArgs({
  options: {
    install: { type: 'boolean', default: false },
    systems: { type: 'string', default: USUAL },
    workers: { type: 'string', default: '1,16,64,256,1000' },
    tasks: { type: 'string', default: '20000' },
    'warm-up': { type: 'string', default: '40000' },
    repetitions: { type: 'string', default: '3' },
    'flush-us': { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
/** The table goes to standard output, progress to standard error. */
const say = (line: string): void => console.error(line);
const workerCounts = values.workers.split(',').map(Number);
const tasks = Number(values.tasks);
const warmUp = Number(values['warm-up']);
const repetitions = Number(values.repetitions);
const flushUs = readFlushUs(values['flush-us']);
const asked = values.systems.split(',').map((name) => {
  const system = SYSTEMS.find((one) => one.name === name);
  if (system === undefined)
    throw new Error(`no system is called ${name}: one of ${SYSTEMS.map((one) => one.name).join(', ')}`);
  return system;
});

const startedAt = performance.now();
const here = installation(values.install, flushUs !== null, say);
const diskFlush = timeFlushes(process.env);
if (flushUs !== null) slowDown(flushUs);
const flush = flushUs === null ? diskFlush : timeFlushes(process.env);
const flushes = `A flush takes ${flush.fdatasync} us by fdatasync and ${flush.o_dsync} us by O_DSYNC${
  flushUs === null ? '' : `, of the disk alone ${diskFlush.fdatasync} and ${diskFlush.o_dsync} us`
}.`;
say(flushes);
if (Math.min(flush.fdatasync, flush.o_dsync) < (flushUs ?? 0)) {
  say('--flush-us: the library was not loaded, so nothing would be slowed');
  process.exit(1);
}
const leftOut: { system: string; reason: string }[] = [];
const versions: Record<string, string> = {};
const systems: Peer[] = [];
for (const system of asked) {
  try {
    Object.assign(versions, await system.versions(here));
    systems.push(system);
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    leftOut.push({ system: system.name, reason: error.message });
    say(`${system.name} is left out: ${error.message}`);
  }
}

/** On an interrupt, running systems are stopped and no data is kept. */
let isEnding = false;
const ended = new Promise<never>((_resolve, reject) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => {
      isEnding = true;
      reject(new Error(`ended by ${signal}`));
    });
});
ended.catch(() => undefined);

const measurements: Measurement[] = [];
for (let repetition = 1; repetition <= repetitions; repetition++)
  for (const workers of workerCounts)
    for (const system of systems) {
      if (isEnding) continue;
      if (workers < (system.fewestWorkers ?? 1) || workers > (system.mostWorkers ?? Infinity)) continue;
      try {
        const measurement = await measure(system, workers, repetition);
        measurements.push(measurement);
        const perSecond = Math.round(measurement.tasks / measurement.seconds);
        say(`${repetition}/${repetitions} ${system.name}, ${workers} workers: ${perSecond} tasks a second`);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        leftOut.push({
          system: system.name,
          reason: `${workers} workers, repetition ${repetition}: ${reason}`,
        });
        say(`${system.name}, ${workers} workers: no figure: ${reason}`);
      }
    }

if (isEnding) process.exit(1);
const summaries = summarize(measurements);
const allRatios = ratios(measurements, new Map(SYSTEMS.map(({ name, kind }) => [name, kind])));
const targets = checkTargets(TARGETS, measurements);
const figures = {
  tasks,
  warmUp,
  repetitions,
  flush_us: flushUs,
  measured_flush_us: { disk: diskFlush, as_run: flush },
  minutes: Math.round((performance.now() - startedAt) / 6_000) / 10,
  versions,
  systems: systems.map(({ name, kind, durability, latency, settings }) => ({
    name,
    kind,
    durability,
    latency,
    settings,
  })),
  left_out: leftOut,
  targets,
  ratios: allRatios,
  summaries,
  measurements,
};
saveResult(resultName(flushUs), figures);
process.stdout.write(
  values.json
    ? `${JSON.stringify(figures)}\n`
    : `${flushes}\n\n${renderTables(summaries, allRatios, targets)}\n`,
);

/** Slows the flushes of every process that is started here from now on, so that none is forgotten. */
function slowDown(us: number): void {
  let slow: SlowFlush;
  try {
    slow = compileSlowFlush(here, us);
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    say(`--flush-us: ${error.message}`);
    process.exit(1);
  }
  process.once('exit', () => slow.remove());
  Object.assign(process.env, slow.environment);
}

async function measure(system: Peer, workers: number, repetition: number): Promise<Measurement> {
  const share = system.share * (workers === 1 ? ALONE_SHARE : 1);
  const timed = Math.max(1, Math.round(tasks * share));
  const first = system.needsNoWarmUp === true ? 0 : Math.round(warmUp * share);
  const submitted = first + timed;
  const running = await system.start(here, workers);
  try {
    const submitSeconds = await Promise.race([running.submit(submitted), ended]);
    const figures = await Promise.race([running.work(workers, { tasks: submitted, warmUp: first }), ended]);
    return { system: system.name, workers, repetition, tasks: timed, submitted, submitSeconds, ...figures };
  } finally {
    await running.stop();
  }
}
