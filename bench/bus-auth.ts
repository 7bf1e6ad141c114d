/**
 * Question: what do authentication and TLS of the bus cost (docs/bus-identity.md)? Compares leases of workers without
 * credentials with leases of workers that have joined, with services and swarms that run at the same time and are
 * measured in turns. Then measures starts of real workers with a join token, and memory and restart of a nats-server with
 * many connected workers. Yardstick of the same run: the same without authentication.
 *
 *   npm run bench -- bus-auth [--workers 256,1000] [--offered 5000] [--repetitions 5] [--seconds 4]
 *                             [--starts 10] [--connected 5000] [--settle 10] [--json]
 */
import { parseArgs } from 'node:util';
import { measureConnected, type ConnectedFigures } from './kit/bus-auth/connected-workers.ts';
import { compareLeases, type LeaseComparison } from './kit/bus-auth/lease-comparison.ts';
import { busAuthTables } from './kit/bus-auth/bus-auth-tables.ts';
import { MODES, type Mode } from './kit/bus-auth/bus-services.ts';
import { measureJoins, type JoinTimes } from './kit/bus-auth/join-times.ts';
import { saveResult } from './kit/results.ts';

const { values } = parseArgs({
  options: {
    workers: { type: 'string', default: '256,1000' },
    offered: { type: 'string', default: '5000' },
    repetitions: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    starts: { type: 'string', default: '10' },
    connected: { type: 'string', default: '5000' },
    settle: { type: 'string', default: '10' },
    json: { type: 'boolean', default: false },
  },
});
const WARM_UP_MS = 1_000;

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
process.stderr.write('starts of workers ...\n');
const joins: JoinTimes = await measureJoins(number('starts'));
const connected: Partial<Record<Mode, ConnectedFigures>> = {};
for (const mode of MODES) {
  process.stderr.write(`${values.connected} connected workers, ${mode} ...\n`);
  connected[mode] = await measureConnected(mode, number('connected'), number('settle'));
}
const figures = { leases, joins, connected };
saveResult('bus-auth', figures);
process.stdout.write(values.json ? `${JSON.stringify(figures)}\n` : busAuthTables(figures));

function number(name: 'offered' | 'repetitions' | 'seconds' | 'starts' | 'connected' | 'settle'): number {
  return positive(values[name], name);
}

function positive(text: string, name: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new Error(`--${name} wants a whole number from 1 on, not ${JSON.stringify(text)}`);
}
