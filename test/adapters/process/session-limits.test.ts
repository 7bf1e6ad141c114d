import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';
import tap, { test, type Test } from 'tap';
import { findControllers } from '../../../src/adapters/host/cgroup-controllers.ts';
import type { LimitSettings } from '../../../src/adapters/process/limit-settings.ts';
import { leftoverCgroups } from '../../../src/adapters/process/session-cgroup.ts';
import { outOfMemoryText } from '../../../src/core/resource-usage.ts';
import { RecordedProcesses } from './recorded-processes.ts';

tap.setTimeout(120_000);

const AUTO: LimitSettings = { mode: 'auto', memoryFactor: 1, pidsMax: 64, wholeCores: false };
const BOTH = { launcher: [false, true] } as const;
/** Allocates memory that it writes to, in steps, and never enough. */
const HOG = 'import sys\nheld = []\nwhile len(held) < 400:\n  held.append(bytearray(b"x" * 1048576))\n';

const places = findControllers();
/** Why a test cannot run here, or false. */
const unless = (controller: 'memory' | 'pids' | 'cpu'): string | false => {
  const place = places[controller];
  return place.isUsable ? false : `no controller ${controller}: ${place.reason}`;
};

/** Version 2 can do it since Linux 6.12. */
const [major = 0, minor = 0] = release().split('.').map(Number);
const canResetPeak =
  places.memory.isUsable && (places.memory.version === 1 || major > 6 || (major === 6 && minor >= 12));

async function opened(
  t: Test,
  settings: ConstructorParameters<typeof RecordedProcesses>[1],
  request = { memoryMib: 64 as number | null, cores: 2 },
): Promise<RecordedProcesses> {
  const it = new RecordedProcesses('limits', { limits: AUTO, ...settings });
  t.teardown(() => it.close());
  await it.open(null, request);
  return it;
}

/** Directories of the session in the hierarchies. */
const groupsOf = (it: RecordedProcesses): readonly string[] =>
  leftoverCgroups(it.workerDirectory)
    .map(({ path }) => join(path, it.sessionId))
    .filter((path) => existsSync(path));

const fileOf = (it: RecordedProcesses, ...names: readonly string[]): string | null => {
  for (const group of groupsOf(it))
    for (const name of names)
      if (existsSync(join(group, name))) return readFileSync(join(group, name), 'utf8').trim();
  return null;
};

for (const launcher of BOTH.launcher) {
  const way = launcher ? 'by the launcher' : 'by the agent';

  test(
    `a task above its memory limit is ended as out of memory, ${way}`,
    { skip: unless('memory') },
    async (t) => {
      const it = await opened(t, { launcher });
      const run = it.start('python3', ['-c', HOG]);
      t.same(await it.ended(run), { kind: 'signaled', signal: 'SIGKILL' });
      const used = await it.used(run);
      t.same(used?.outOfMemory, { limitMib: 64, requestedMib: 64, wasOwnLimit: true });
      t.equal(used?.maxRssMib, 64);
      t.equal(
        outOfMemoryText(used ?? {}),
        'out of memory: the task used 64 MiB of its limit of 64 MiB (requested 64 MiB)',
      );
      const next = it.bash('exit 0');
      t.same(await it.ended(next), { kind: 'exited', code: 0 }, 'the session continues');
      t.equal((await it.used(next))?.outOfMemory, undefined, 'a kill belongs to one task');
    },
  );

  test(`peak memory and CPU time belong to one task, ${way}`, { skip: unless('memory') }, async (t) => {
    const it = await opened(t, { launcher }, { memoryMib: null, cores: 1 });
    const large = it.start('python3', [
      '-c',
      'x = bytearray(b"x" * (150 << 20))\nfor i in range(3000000): pass',
    ]);
    t.same(await it.ended(large), { kind: 'exited', code: 0 });
    const first = await it.used(large);
    const small = it.bash('exit 0');
    t.same(await it.ended(small), { kind: 'exited', code: 0 });
    const second = await it.used(small);
    const { maxRssMib: most = 0, cpuMs: busy = 0 } = first ?? {};
    t.ok(most >= 150 && most < 400, `large task: ${most} MiB`);
    t.ok(busy >= 20 && busy < 60_000, `large task: ${busy} ms`);
    const { maxRssMib: least = -1, cpuMs: idle = -1 } = second ?? {};
    if (canResetPeak) t.ok(least >= 0 && least < 150, `small task: ${least} MiB`);
    else t.equal(second?.maxRssMib, undefined, 'the peak is that of the large task');
    t.ok(idle >= 0 && idle < busy, `small task: ${idle} ms`);
  });

  test(`a fork bomb is stopped and cleaned up, ${way}`, { skip: unless('pids') }, async (t) => {
    const it = await opened(t, { launcher });
    const run = it.bash(
      'started=0; while ((started < 500)); do sleep 700 & ((started++)); done; echo all started',
      { keepsChildren: false },
    );
    await it.until((told) =>
      told.type === 'output' && told.batch.lines.some((line) => line.includes('fork')) ? true : null,
    );
    const current = Number(fileOf(it, 'pids.current'));
    t.ok(current > 1 && current <= 64, `${current} processes`);
    it.processes.kill(it.sessionId, run);
    t.same(await it.ended(run), { kind: 'signaled', signal: 'SIGKILL' });
    t.notOk(it.lines(run).includes('all started'));
    await it.close();
    t.same(groupsOf(it), [], 'its groups are removed');
  });
}

test('the limits are in the files of the session', { skip: unless('memory') || unless('cpu') }, async (t) => {
  const it = await opened(t, { limits: { ...AUTO, memoryFactor: 1.5, wholeCores: true } });
  t.equal(fileOf(it, 'memory.limit_in_bytes', 'memory.max'), String(96 * 1024 * 1024));
  t.equal(fileOf(it, 'pids.max'), '64');
  const old = places.cpu.isUsable && places.cpu.version === 1;
  t.equal(fileOf(it, 'cpu.shares', 'cpu.weight'), old ? '2048' : '200');
  t.equal(fileOf(it, 'cpu.cfs_quota_us', 'cpu.max'), old ? '200000' : '200000 100000');
  const run = it.bash('cat /proc/self/cgroup');
  await it.ended(run);
  if (places.memory.isUsable && places.memory.version === 1)
    t.match(
      it.lines(run).find((line) => line.includes(':memory:')),
      it.sessionId,
      'its process is in the group',
    );
});

test('a step without a request has no memory limit', { skip: unless('memory') }, async (t) => {
  const it = await opened(t, {}, { memoryMib: null, cores: 1 });
  const limit = fileOf(it, 'memory.limit_in_bytes', 'memory.max');
  t.ok(limit === 'max' || Number(limit) > 2 ** 50, String(limit));
});

test('without control groups for limits tasks run, and usage is absent', async (t) => {
  // A root without /proc and /sys, as on a machine without control groups.
  const it = await opened(t, { controlRoot: '/nonexistent' });
  const run = it.bash('exit 3');
  t.same(await it.ended(run), { kind: 'exited', code: 3 });
  t.equal((await it.used(run))?.maxRssMib, undefined);
  t.match(it.information.join('\n'), 'memory limit: this system has no control groups');
});

test('required limits that cannot be set refuse the session with the reason', async (t) => {
  const it = new RecordedProcesses('limits', {
    limits: { ...AUTO, mode: 'required' },
    controlRoot: '/nonexistent',
  });
  t.teardown(() => it.close());
  const failure = await it.tryOpen(null, { memoryMib: 64, cores: 1 });
  t.match(
    failure,
    /^isolation\.limits is required, and this worker cannot set: memory limit: this system has no/,
  );
});

test('off: no groups and no usage', async (t) => {
  const it = await opened(t, { limits: { ...AUTO, mode: 'off' } });
  const run = it.bash('exit 0');
  await it.ended(run);
  t.equal(await it.used(run), null);
  t.notOk(groupsOf(it).some((path) => readdirSync(path).includes('memory.limit_in_bytes')));
});
