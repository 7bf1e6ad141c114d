import { execFile } from 'node:child_process';
import { accessSync, constants, mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { test, type Test } from 'tap';
import { cgroupLimits } from '../../../src/adapters/host/cgroup-limits.ts';

const MIB = 1024 * 1024;

/** A file system with these files. */
function root(t: Test, files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-cgroup-'));
  t.teardown(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const MOUNT_2 = '25 30 0:23 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n';
const MOUNTS_1 = [
  '32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct',
  '35 31 0:32 /docker/1f2e /sys/fs/cgroup/memory ro,relatime - cgroup cgroup rw,memory',
  '',
].join('\n');

test('version 2: the lowest limit of the group and its parents applies', (t) => {
  const files = {
    '/proc/self/cgroup': '0::/farm.slice/callsheet-worker.service\n',
    '/proc/self/mountinfo': MOUNT_2,
    '/sys/fs/cgroup/farm.slice/memory.max': `${8192 * MIB}\n`,
    '/sys/fs/cgroup/farm.slice/cpu.max': '250000 100000\n',
    '/sys/fs/cgroup/farm.slice/callsheet-worker.service/memory.max': 'max\n',
    '/sys/fs/cgroup/farm.slice/callsheet-worker.service/cpu.max': 'max 100000\n',
  };
  t.same(cgroupLimits(root(t, files)), { memoryBytes: 8192 * MIB, cpus: 2.5 });
  const own = {
    ...files,
    '/sys/fs/cgroup/farm.slice/callsheet-worker.service/memory.max': `${1024 * MIB}\n`,
    '/sys/fs/cgroup/farm.slice/callsheet-worker.service/cpu.max': '50000 100000\n',
  };
  t.same(cgroupLimits(root(t, own)), { memoryBytes: 1024 * MIB, cpus: 0.5 });
  t.end();
});

test('version 2 in a container, where its own group is the root', (t) => {
  const limits = cgroupLimits(
    root(t, {
      '/proc/self/cgroup': '0::/\n',
      '/proc/self/mountinfo': MOUNT_2,
      '/sys/fs/cgroup/memory.max': `${2048 * MIB}\n`,
      '/sys/fs/cgroup/cpu.max': '400000 100000\n',
    }),
  );
  t.same(limits, { memoryBytes: 2048 * MIB, cpus: 4 });
  t.end();
});

test('version 1, where the container sees a part of the hierarchy', (t) => {
  const files = {
    '/proc/self/cgroup': '4:memory:/docker/1f2e/inner\n3:cpu,cpuacct:/\n1:name=systemd:/docker/1f2e\n',
    '/proc/self/mountinfo': MOUNTS_1,
    '/sys/fs/cgroup/memory/memory.limit_in_bytes': `${4096 * MIB}\n`,
    '/sys/fs/cgroup/memory/inner/memory.limit_in_bytes': '9223372036854771712\n',
    '/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us': '150000\n',
    '/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us': '100000\n',
  };
  t.same(cgroupLimits(root(t, files)), { memoryBytes: 4096 * MIB, cpus: 1.5 });
  t.same(
    cgroupLimits(root(t, { ...files, '/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us': '-1\n' })).cpus,
    null,
  );
  t.end();
});

test('there is no limit without control groups or with invalid files', (t) => {
  const none = { memoryBytes: null, cpus: null };
  t.same(cgroupLimits(root(t, {})), none);
  const odd = {
    '/proc/self/cgroup': 'x\n0::/a/../../b\n',
    '/proc/self/mountinfo': `\n- -\n${MOUNT_2}`,
    '/sys/fs/cgroup/cpu.max': '100000 0\n',
    '/sys/fs/cgroup/b/memory.max': 'lots\n',
  };
  t.same(cgroupLimits(root(t, odd)), none);
  t.end();
});

/** Directory for version 1 groups below the group of this process, or null. */
function ownMemoryGroup(): string | null {
  try {
    accessSync('/sys/fs/cgroup/memory', constants.W_OK);
    const group = join('/sys/fs/cgroup/memory', `callsheet-test-${process.pid}`);
    mkdirSync(group);
    return group;
  } catch {
    return null;
  }
}

test('reads the limits of a process in its own group', async (t) => {
  const group = ownMemoryGroup();
  if (group === null) {
    t.comment('no writable version 1 memory hierarchy here');
    return;
  }
  t.teardown(() => {
    rmdirSync(group);
  });
  writeFileSync(join(group, 'memory.limit_in_bytes'), String(512 * MIB));
  const machine = new URL('../../../src/adapters/host/machine.js', import.meta.url).href;
  const program = `
    require('node:fs').writeFileSync(${JSON.stringify(join(group, 'cgroup.procs'))}, String(process.pid));
    import(${JSON.stringify(machine)}).then(({ thisMachine }) => console.log(thisMachine().memoryMib));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', program]);
  t.equal(stdout, '512\n');
});
