/**
 * Question: what do authentication and TLS of the bus cost (docs/bus-identity.md)? Compares leases of workers without
 * credentials with leases of workers that have joined, with services and swarms that run at the same time and are
 * measured in turns. Then measures starts of real workers with a join token, and memory and restart of a nats-server with
 * many connected workers. Yardstick of the same run: the same without authentication.
 *
 *   npm run bench -- bus-auth [--workers 256,1000] [--offered 5000] [--repetitions 5] [--seconds 4]
 *                             [--starts 10] [--connected 5000] [--settle 10] [--parts leases,joins,connected] [--json]
 *
 * `--parts` measures some of the parts; the saved figures of the others stay. `measured_at` has the time of each part.
 */
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { measureConnected, type ConnectedFigures } from './kit/bus-auth/connected-workers.ts';
import { compareLeases, type LeaseComparison } from './kit/bus-auth/lease-comparison.ts';
import { busAuthTables, type BusAuthFigures } from './kit/bus-auth/bus-auth-tables.ts';
import { MODES, type Mode } from './kit/bus-auth/bus-services.ts';
import { measureJoins } from './kit/bus-auth/join-times.ts';
import { resultsFolder, saveResult } from './kit/results.ts';

const { values } = parseArgs({
  options: {
    workers: { type: 'string', default: '256,1000' },
    offered: { type: 'string', default: '5000' },
    repetitions: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    starts: { type: 'string', default: '10' },
    connected: { type: 'string', default: '5000' },
    settle: { type: 'string', default: '10' },
    parts: { type: 'string', default: 'leases,joins,connected' },
    json: { type: 'boolean', default: false },
  },
});
const WARM_UP_MS = 1_000;

const MEASURES = {
  leases: async () => ({ leases: await leasesOfAll() }),
  joins: async () => {
    process.stderr.write('starts of workers ...\n');
    return { joins: await measureJoins(number('starts')) };
  },
  connected: async () => ({ connected: await connectedOfBoth() }),
} as const satisfies Record<string, () => Promise<BusAuthFigures>>;
type Part = keyof typeof MEASURES;

const parts = values.parts.split(',').map(partOf);
let figures: BusAuthFigures = {};
const measuredAt: Partial<Record<Part, string>> = {};
for (const part of parts) {
  figures = { ...figures, ...(await MEASURES[part]()) };
  measuredAt[part] = new Date().toISOString();
}
const earlier = savedFigures();
const earlierTimes = objectIn(earlier, 'measured_at');
saveResult('bus-auth', { ...earlier, ...figures, measured_at: { ...earlierTimes, ...measuredAt } });
process.stdout.write(values.json ? `${JSON.stringify(figures)}\n` : busAuthTables(figures));

async function leasesOfAll(): Promise<readonly LeaseComparison[]> {
  const times = {
    warmUpMs: WARM_UP_MS,
    measureMs: 1000 * number('seconds'),
    repetitions: number('repetitions'),
  };
  const leases: LeaseComparison[] = [];
  for (const workers of values.workers.split(',').map((text) => positive(text, 'workers'))) {
    process.stderr.write(`leases of ${workers} workers ...\n`);
    leases.push(await compareLeases(workers, number('offered'), times));
  }
  return leases;
}

async function connectedOfBoth(): Promise<Partial<Record<Mode, ConnectedFigures>>> {
  const connected: Partial<Record<Mode, ConnectedFigures>> = {};
  for (const mode of MODES) {
    process.stderr.write(`${values.connected} connected workers, ${mode} ...\n`);
    connected[mode] = await measureConnected(mode, number('connected'), number('settle'));
  }
  return connected;
}

/** Returns the figures of the saved result; empty without one. */
function savedFigures(): object {
  const path = new URL('bus-auth.json', resultsFolder);
  return existsSync(path) ? objectIn(JSON.parse(readFileSync(path, 'utf8')), 'figures') : {};
}

function objectIn(value: unknown, key: string): object {
  if (typeof value !== 'object' || value === null) return {};
  const found: unknown = Reflect.get(value, key);
  return typeof found === 'object' && found !== null ? found : {};
}

function partOf(text: string): Part {
  if (text === 'leases' || text === 'joins' || text === 'connected') return text;
  throw new Error(`--parts wants some of ${Object.keys(MEASURES).join(',')}, not ${JSON.stringify(text)}`);
}

function number(name: 'offered' | 'repetitions' | 'seconds' | 'starts' | 'connected' | 'settle'): number {
  return positive(values[name], name);
}

function positive(text: string, name: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new Error(`--${name} wants a whole number from 1 on, not ${JSON.stringify(text)}`);
}
