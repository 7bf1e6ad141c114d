/**
 * Question: how many change sets a second does the log of a cluster accept, how long does one wait, and how far are the
 * followers behind? Three nats-servers and three nodes run on this machine, so its disk does the work of three: read the ratios.
 * Yardstick, in the same run: the journal of a single node, which writes each entry to a file.
 *
 * npm run bench -- log-appends [--kib 16] [--seconds 4] [--waiting 1,4,16,64] [--offered 200,400] [--json]
 */
import { mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openJournaledStore } from '../src/adapters/lmdb/local-journal.ts';
import { STATE_DISK_LIMITS } from '../src/adapters/lmdb/state-writer.ts';
import { startBusServers } from './kit/cluster/bus-servers.ts';
import { changeSets, LogNodes, type Accepting } from './kit/cluster/log-nodes.ts';
import { percentile, saveResult } from './kit/results.ts';
import { benchDirectory } from './kit/service.ts';
import { textTable } from './kit/text-table.ts';

const { values } = parseArgs({
  options: {
    kib: { type: 'string', default: '16' },
    seconds: { type: 'string', default: '4' },
    waiting: { type: 'string', default: '1,4,16,64' },
    offered: { type: 'string', default: '200,400' },
    json: { type: 'boolean', default: false },
  },
});
const MEASURE_MS = 1000 * Number(values.seconds);
const numbers = (list: string): readonly number[] => list.split(',').map(Number);
const nextSet = changeSets(1024 * Number(values.kib));

interface Figures {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const round = (value: number): number => Math.round(value * 100) / 100;

function figuresOf(latencies: readonly number[], elapsedMs: number): Figures {
  const sorted = latencies.toSorted((a, b) => a - b);
  return {
    perSecond: Math.round(latencies.length / (elapsedMs / 1000)),
    p50Ms: round(percentile(sorted, 0.5)),
    p99Ms: round(percentile(sorted, 0.99)),
  };
}

/** Keeps a number of entries waiting for their acceptance. */
async function closedLoop(accepting: Accepting, waiting: number): Promise<Figures> {
  const latencies: number[] = [];
  const begunAt = performance.now();
  const endsAt = begunAt + MEASURE_MS;
  const one = async (): Promise<void> => {
    while (performance.now() < endsAt) {
      const at = performance.now();
      await accepting(nextSet());
      latencies.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: waiting }, one));
  return figuresOf(latencies, performance.now() - begunAt);
}

/** Submits entries at a rate, whether earlier ones are accepted or not. */
async function offeredRate(accepting: Accepting, perSecond: number): Promise<Figures> {
  const latencies: number[] = [];
  const begunAt = performance.now();
  const open: Promise<void>[] = [];
  for (let count = 0; performance.now() - begunAt < MEASURE_MS;) {
    const due = ((performance.now() - begunAt) / 1000) * perSecond;
    for (; count < due; count++) {
      const at = performance.now();
      open.push(accepting(nextSet()).then(() => void latencies.push(performance.now() - at)));
    }
    await delay(1);
  }
  await Promise.all(open);
  return figuresOf(latencies, performance.now() - begunAt);
}

async function measureFile(directory: string): Promise<Figures> {
  mkdirSync(directory);
  const { writer, journal } = await openJournaledStore({
    directory,
    softwareVersion: 'bench',
    disk: STATE_DISK_LIMITS,
    endProcess: ({ detail }) => {
      throw new Error(detail);
    },
    warn: (text) => process.stderr.write(`${text}\n`),
  });
  const figures = await closedLoop(async (set) => {
    journal.submit({ sets: [set], isAwaited: false }, ({ position, isDurable }) => {
      if (isDurable) return;
      writer.apply([set], { mark: journal.appliedMark(position) });
      journal.applied(position);
    });
  }, 1);
  journal.close();
  await writer.close();
  return figures;
}

const directory = await benchDirectory();
const bus = await startBusServers(directory, 3);
const rows: { readonly name: string; readonly figures: Figures; readonly lag: Figures | null }[] = [];
try {
  rows.push({
    name: 'file of a single node',
    figures: await measureFile(join(directory, 'single')),
    lag: null,
  });
  const nodes = await LogNodes.start(bus.url);
  const accepting: Accepting = (set) => nodes.submit(set);
  const measure = async (name: string, run: () => Promise<Figures>): Promise<void> => {
    nodes.lags.length = 0;
    const begunAt = performance.now();
    const figures = await run();
    await nodes.settle();
    rows.push({ name, figures, lag: figuresOf(nodes.lags, performance.now() - begunAt) });
  };
  for (const waiting of numbers(values.waiting))
    await measure(`log, ${waiting} waiting`, () => closedLoop(accepting, waiting));
  for (const rate of numbers(values.offered))
    await measure(`log, ${rate} a second offered`, () => offeredRate(accepting, rate));
  await nodes.close();
} finally {
  await bus.stop();
  await rm(directory, { recursive: true, force: true });
}
process.stdout.write(
  textTable(
    ['entries', 'per second', 'p50 ms', 'p99 ms', 'lag p50 ms', 'lag p99 ms'],
    rows.map(({ name, figures, lag }) => [
      name,
      ...[figures.perSecond, figures.p50Ms, figures.p99Ms, lag?.p50Ms ?? '', lag?.p99Ms ?? ''].map(String),
    ]),
  ),
);
if (values.json) saveResult('log-appends', { kib: Number(values.kib), rows });
