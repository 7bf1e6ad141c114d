import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type Test } from 'tap';
import { findControllers } from '../../../src/adapters/host/cgroup-controllers.ts';
import { limitSupport } from '../../../src/adapters/host/limit-support.ts';
import { limitFiles } from '../../../src/adapters/process/limit-files.ts';
import { sessionLimits, type LimitSettings } from '../../../src/adapters/process/limit-settings.ts';
import { groupName } from '../../../src/adapters/process/session-cgroup.ts';
import { WorkerLimits } from '../../../src/adapters/process/worker-limits.ts';
import { outOfMemoryText } from '../../../src/core/resource-usage.ts';

const SETTINGS: LimitSettings = { mode: 'auto', memoryFactor: 1, pidsMax: 4096, wholeCores: true };
const UNIT = '/sys/fs/cgroup/system.slice/callsheet-worker.service';
const WORKER = `${UNIT}/${groupName('/work/worker')}`;
const UNIFIED = {
  '/proc/self/cgroup': '0::/system.slice/callsheet-worker.service\n',
  '/proc/self/mountinfo': '25 30 0:23 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n',
  [`${UNIT}/cgroup.type`]: 'domain\n',
  [`${UNIT}/cgroup.controllers`]: 'cpuset cpu io memory pids\n',
  [`${UNIT}/cgroup.subtree_control`]: '',
  [`${UNIT}/cgroup.procs`]: `${process.pid}\n`,
  [`${UNIT}/callsheet-daemon/cgroup.procs`]: '',
};
const SESSION = {
  [`${WORKER}/cgroup.subtree_control`]: '',
  [`${WORKER}/s1/memory.max`]: 'max\n',
  [`${WORKER}/s1/memory.swap.max`]: 'max\n',
  [`${WORKER}/s1/memory.peak`]: '3000000\n',
  [`${WORKER}/s1/memory.events`]: 'low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\noom_group_kill 0\n',
  [`${WORKER}/s1/pids.max`]: 'max\n',
  [`${WORKER}/s1/cpu.weight`]: '100\n',
  [`${WORKER}/s1/cpu.max`]: 'max 100000\n',
  [`${WORKER}/s1/cpu.stat`]: 'usage_usec 1000000\nuser_usec 900000\nsystem_usec 100000\n',
};

/** A file system with these files. */
function root(t: Test, files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-limits-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

test('version 2: enables the controllers and writes the limits of a session', (t) => {
  const folder = root(t, { ...UNIFIED, ...SESSION });
  const textOf = (path: string): string => readFileSync(join(folder, path), 'utf8').trim();
  const limits = new WorkerLimits('/work/worker', SETTINGS, folder);
  const session = limits.session('s1', join(folder, WORKER, 's1'), { memoryMib: 2048, cores: 1.5 });
  t.same(session.problems, []);
  t.same(session.groups, [], 'its processes are in the fence already');
  t.equal(textOf(`${UNIT}/callsheet-daemon/cgroup.procs`), String(process.pid), 'it has left the group');
  t.equal(textOf(`${UNIT}/cgroup.subtree_control`), '+memory +pids +cpu');
  t.equal(textOf(`${WORKER}/cgroup.subtree_control`), '+memory +pids +cpu');
  t.equal(Number.parseInt(textOf(`${WORKER}/s1/memory.max`), 10), 2048 * 1024 * 1024);
  t.match(textOf(`${WORKER}/s1/memory.swap.max`), /^0/);
  t.match(textOf(`${WORKER}/s1/pids.max`), /^4096/);
  t.match(textOf(`${WORKER}/s1/cpu.weight`), /^150/);
  t.match(textOf(`${WORKER}/s1/cpu.max`), /^150000 100000/);
  session.remove();
  t.end();
});

test('version 2: reads what an action has used, and an out-of-memory kill', (t) => {
  const folder = root(t, { ...UNIFIED, ...SESSION });
  const fence = join(folder, WORKER, 's1');
  const session = new WorkerLimits('/work/worker', SETTINGS, folder).session('s1', fence, {
    memoryMib: 2048,
    cores: 1,
  });
  session.begin();
  writeFileSync(join(fence, 'memory.peak'), `${2048 * 1024 * 1024}\n`);
  writeFileSync(join(fence, 'cpu.stat'), 'usage_usec 3500000\nuser_usec 1\nsystem_usec 1\n');
  writeFileSync(join(fence, 'memory.events'), 'low 0\nhigh 0\nmax 9\noom 1\noom_kill 1\noom_group_kill 0\n');
  const used = session.used();
  t.same(used, {
    maxRssMib: 2048,
    cpuMs: 2500,
    outOfMemory: { limitMib: 2048, requestedMib: 2048, wasOwnLimit: true },
  });
  t.equal(
    outOfMemoryText(used),
    'out of memory: the task used 2,048 MiB of its limit of 2,048 MiB (requested 2,048 MiB)',
  );
  session.remove();
  session.remove();
  t.end();
});

test('version 2: reasons why there are no limits', (t) => {
  const reasonOf = (files: Readonly<Record<string, string>>): string => {
    const { memory } = findControllers(root(t, { ...UNIFIED, ...files }));
    return memory.isUsable ? 'usable' : memory.reason.replace(/\/tmp\/[^/]*/, '');
  };
  t.equal(reasonOf({}), 'usable');
  t.equal(
    reasonOf({ [`${UNIT}/cgroup.controllers`]: 'cpu pids\n' }),
    `the controller memory is not available in ${UNIT}`,
  );
  t.equal(
    reasonOf({ [`${UNIT}/cgroup.procs`]: `${process.pid}\n1\n` }),
    `other processes run in ${UNIT}, so the kernel does not allow controllers below it`,
  );
  t.equal(
    reasonOf({
      [`${UNIT}/cgroup.procs`]: `${process.pid}\n1\n`,
      [`${UNIT}/cgroup.subtree_control`]: 'cpu memory pids\n',
    }),
    'usable',
  );
  t.equal(reasonOf({ '/proc/self/mountinfo': '' }), 'no hierarchy with the controller memory is mounted');
  t.end();
});

test('a worker in a group of its own uses the group around it', (t) => {
  const folder = root(t, {
    ...UNIFIED,
    '/proc/self/cgroup': '0::/system.slice/callsheet-worker.service/callsheet-daemon\n',
  });
  const { memory } = findControllers(folder);
  t.same(memory, { isUsable: true, version: 2, directory: join(folder, UNIT) });
  t.end();
});

test('every part of the support has a detail, and a fix where it is missing', (t) => {
  for (const [folder, isSupported] of [
    [root(t, UNIFIED), true],
    [root(t, {}), false],
  ] as const) {
    const parts = limitSupport(folder);
    t.same(
      parts.map(({ part }) => part),
      ['memory limit', 'process limit', 'CPU weight', 'whole cores', 'peak memory', 'CPU time'],
    );
    for (const each of parts) {
      t.equal(each.isSupported, isSupported, each.part);
      t.equal(each.fix === '', isSupported, each.part);
      t.equal(each.detail, isSupported ? 'cgroup v2' : 'this system has no control groups');
    }
  }
  t.end();
});

test('limits from requests', (t) => {
  const of = (settings: Partial<LimitSettings>, memoryMib: number | null, cores: number) =>
    sessionLimits({ ...SETTINGS, wholeCores: false, ...settings }, { memoryMib, cores });
  t.same(of({}, 100, 2), { memoryMib: 100, pids: 4096, cores: 2, quotaCores: null });
  t.same(of({ memoryFactor: 1.25, pidsMax: 0, wholeCores: true }, 100.5, 2), {
    memoryMib: 126,
    pids: null,
    cores: 2,
    quotaCores: 2,
  });
  t.equal(of({ memoryFactor: 0 }, 100, 1).memoryMib, null);
  t.equal(of({}, null, 1).memoryMib, null);
  const values = (version: 1 | 2, cores: number) =>
    limitFiles(version, { memoryMib: null, pids: null, cores, quotaCores: cores }).map(({ value }) => value);
  t.same(values(1, 1000), ['262144', '100000', '100000000'], 'at most what the kernel accepts');
  t.same(values(2, 1000), ['10000', '100000000 100000']);
  t.same(values(2, 0.001), ['1', '1000 100000'], 'at least what the kernel accepts');
  t.end();
});

test('texts of an out-of-memory kill', (t) => {
  const kill = { limitMib: null, requestedMib: null, wasOwnLimit: false };
  t.equal(outOfMemoryText({ maxRssMib: 5 }), null);
  t.equal(
    outOfMemoryText({ maxRssMib: 1234567, outOfMemory: kill }),
    'out of memory: the worker had no memory left while the task used 1,234,567 MiB (it requests no amount.worker.memory)',
  );
  t.equal(
    outOfMemoryText({ outOfMemory: { limitMib: 64, requestedMib: 64, wasOwnLimit: true } }),
    'out of memory: the task used all of its limit of 64 MiB (requested 64 MiB)',
  );
  t.end();
});
