/**
 * Question: what does each part of the isolation of tasks add to the start of a task? Sessions with one task, which runs
 * `/bin/true`, by the process adapter of the worker, without service and bus. Measures the milliseconds from the
 * request to open a session until a task can start, and from the start of the task until its end is reported. All cases
 * take turns in random order, so that other programs of the machine, and the end of the session before, slow all of them
 * alike. Yardstick, in the same run: a task without any part of isolation.
 *
 * All cases need root on Linux; those that the machine does not support are left out, with the reason. The
 * launcher of a session with `private_tmp` does not run if its program is below `/tmp`.
 *
 * npm run bench -- isolation [--starts 30] [--user NAME] [--json]
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BusFirewall } from '../src/adapters/firewall/bus-firewall.ts';
import type { IsolationSettings } from '../src/adapters/process/isolation.ts';
import { NO_LIMITS } from '../src/adapters/process/limit-settings.ts';
import { DENIED_VARIABLES } from '../src/core/access/denied-variables.ts';
import { workerId } from '../src/core/ids.ts';
import { median, saveResult } from './kit/results.ts';
import { TimedSessions, type SessionTimes } from './kit/timed-sessions.ts';

const { values } = parseArgs({
  options: {
    starts: { type: 'string', default: '30' },
    user: { type: 'string', default: 'nobody' }, // wording-ok: name of an account
    json: { type: 'boolean', default: false },
  },
});
const starts = Number(values.starts);
/** The first sessions read programs from the disk and prepare the worker's directory. */
const WARM_STARTS = 2;
/** No program listens on it. */
const BLOCKED_SERVER = '127.0.0.1:9';

const OPEN: IsolationSettings = {
  isEnabled: true,
  environmentPassthrough: [],
  defaultUser: '',
  environmentDeny: DENIED_VARIABLES,
  limits: NO_LIMITS,
  network: 'open',
  diskQuotaBytes: 0,
  privateTmp: false,
  hideProcesses: false,
  noNewPrivileges: false,
};
const account = { defaultUser: values.user };
const limits = { mode: 'auto', memoryFactor: 1, pidsMax: 4096, wholeCores: true } as const;
const diskQuotaBytes = 2 ** 30;
const views = { privateTmp: true, hideProcesses: true };

interface Case {
  readonly name: string;
  readonly isolation: Partial<IsolationSettings>;
  readonly usesLauncher?: boolean;
}

const CASES: readonly Case[] = [
  { name: 'plain', isolation: {} },
  { name: 'limits', isolation: { limits } },
  { name: 'no_new_privileges', isolation: { noNewPrivileges: true } },
  { name: 'private_tmp', isolation: { privateTmp: true } },
  { name: 'account', isolation: account },
  { name: 'account, limits', isolation: { ...account, limits } },
  { name: 'account, disk_quota', isolation: { ...account, diskQuotaBytes } },
  { name: 'account, private_tmp', isolation: { ...account, privateTmp: true } },
  { name: 'account, hide_processes', isolation: { ...account, hideProcesses: true } },
  { name: 'account, private_tmp, hide_processes', isolation: { ...account, ...views } },
  { name: 'account, network=no_bus', isolation: { ...account, network: 'no_bus' } },
  { name: 'account, network=none', isolation: { ...account, network: 'none' } },
  {
    name: 'all, network=no_bus',
    isolation: { ...account, limits, diskQuotaBytes, ...views, network: 'no_bus' },
  },
  { name: 'all, network=none', isolation: { ...account, limits, diskQuotaBytes, ...views, network: 'none' } },
  { name: 'launcher', isolation: {}, usesLauncher: true },
  { name: 'launcher, private_tmp', isolation: { privateTmp: true }, usesLauncher: true },
];

interface Measured {
  readonly name: string;
  readonly sessions: TimedSessions;
  readonly times: SessionTimes[];
}

const directory = mkdtempSync(join(tmpdir(), 'callsheet-bench-rules-'));
/** At most one. */
const firewalls: BusFirewall[] = [];

/** The rules begin with the first account, so that a machine without them measures the other cases. */
async function blockAccount(userId: number): Promise<void> {
  const firewall = firewalls[0] ?? (await openRules());
  await firewall.blockAccount(userId);
}

async function openRules(): Promise<BusFirewall> {
  const firewall = await BusFirewall.open({
    directory,
    workerId: workerId(randomUUID()),
    warn: (text, attributes) => process.stderr.write(`${text}: ${JSON.stringify(attributes)}\n`),
  });
  firewalls.push(firewall);
  await firewall.blockServers([BLOCKED_SERVER]);
  return firewall;
}

/** Returns the cases that this machine supports, after their first sessions, and the reasons of the others. */
async function prepareCases(): Promise<{
  readonly measured: readonly Measured[];
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
}> {
  const measured: Measured[] = [];
  const leftOut: { readonly name: string; readonly reason: string }[] = [];
  for (const { name, isolation, usesLauncher = false } of CASES) {
    const sessions = new TimedSessions({ isolation: { ...OPEN, ...isolation }, usesLauncher, blockAccount });
    try {
      for (let start = 0; start < WARM_STARTS; start++) await sessions.run();
      measured.push({ name, sessions, times: [] });
    } catch (error) {
      leftOut.push({ name, reason: error instanceof Error ? error.message : String(error) });
      await sessions.close();
    }
  }
  return { measured, leftOut };
}

const shuffled = <T>(items: readonly T[]): readonly T[] =>
  items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);

const round = (value: number): number => Math.round(value * 100) / 100;

try {
  const { measured, leftOut } = await prepareCases();
  for (let start = 0; start < starts; start++)
    for (const { sessions, times } of shuffled(measured)) times.push(await sessions.run());
  for (const { sessions } of measured) await sessions.close();
  const medians = measured.map(({ name, times }) => ({
    name,
    openMs: median(times.map(({ openMs }) => openMs)),
    taskMs: median(times.map(({ taskMs }) => taskMs)),
  }));
  const plain = medians.find(({ name }) => name === 'plain');
  if (plain === undefined) throw new Error(`no plain task: ${leftOut[0]?.reason ?? ''}`);
  const cases = medians.map(({ name, openMs, taskMs }) => ({
    name,
    open_ms: round(openMs),
    open_of_plain: round(openMs / plain.openMs),
    task_ms: round(taskMs),
    task_of_plain: round(taskMs / plain.taskMs),
  }));
  const figures = { starts, cases, left_out: leftOut };
  saveResult('isolation', figures);
  if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`);
  else {
    for (const each of cases) process.stdout.write(`${JSON.stringify(each)}\n`);
    for (const each of leftOut) process.stdout.write(`left out: ${each.name}: ${each.reason}\n`);
  }
} finally {
  await firewalls[0]?.close();
  rmSync(directory, { recursive: true });
}
