import { test } from 'tap';
import {
  cpuArchitecture,
  osFamily,
  osVersion,
  scratchMib,
  thisMachine,
  withinLimits,
} from '../../../src/adapters/host/machine.ts';
import { rootRefusal } from '../../../src/adapters/host/root-check.ts';

test('operating systems and architectures have the names of OpenJD', (t) => {
  t.same(['linux', 'darwin', 'win32', 'freebsd'].map(osFamily), ['linux', 'macos', 'windows', 'freebsd']);
  t.same(['x64', 'arm64', 'riscv64'].map(cpuArchitecture), ['x86_64', 'arm64', 'riscv64']);
  t.end();
});

test('versions of operating systems are valid attribute values', (t) => {
  const debian = 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nVERSION_ID="12"\nID=debian\n';
  t.equal(osVersion('linux', '6.1.0-28-amd64', debian), 'debian-12');
  t.equal(osVersion('linux', '6.1.0', 'ID=ubuntu\nVERSION_ID="22.04"\n'), 'ubuntu-22_04');
  t.equal(osVersion('linux', '6.1.0', 'ID=arch\nBUILD_ID=rolling\n'), 'arch');
  t.equal(osVersion('linux', '6.1.0-28', null), 'linux-6_1_0-28');
  t.equal(osVersion('windows', '10.0.22631', null), 'windows-10_0_22631');
  t.equal(osVersion('linux', '6.1', "ID='4m linux'\n"), '_4m_linux');
  t.end();
});

test('control groups limit the capabilities to whole cores, at least one, and whole MiB', (t) => {
  const machine = { cpuCount: 64, memoryBytes: 256 * 1024 ** 3 };
  t.same(withinLimits(machine, { memoryBytes: null, cpus: null }), { cpuCount: 64, memoryMib: 262_144 });
  t.same(withinLimits(machine, { memoryBytes: 10 * 1024 ** 2 - 1, cpus: 2.9 }), {
    cpuCount: 2,
    memoryMib: 9,
  });
  t.same(withinLimits(machine, { memoryBytes: 2 ** 63, cpus: 128 }), { cpuCount: 64, memoryMib: 262_144 });
  t.equal(withinLimits(machine, { memoryBytes: null, cpus: 0.2 }).cpuCount, 1);
  t.end();
});

test('scratch space is the size of the file system, or omitted', async (t) => {
  t.ok((await scratchMib('/')) > 0);
  t.equal(await scratchMib('/no/such/directory'), 0);
});

test('this machine has capabilities', (t) => {
  const machine = thisMachine();
  t.ok(machine.cpuCount >= 1 && Number.isInteger(machine.cpuCount));
  t.ok(machine.memoryMib > 0 && Number.isInteger(machine.memoryMib));
  t.not(machine.hostName, '');
  t.end();
});

test('root is rejected on Linux and macOS unless it is allowed', (t) => {
  const allowed = (platform: string, user: number | null, allowRoot: boolean): boolean =>
    rootRefusal(platform, user, allowRoot) === null;
  t.same(
    [
      allowed('linux', 0, false),
      allowed('darwin', 0, false),
      allowed('win32', null, false),
      allowed('linux', 1000, false),
      allowed('linux', 0, true),
    ],
    [false, false, true, true, true],
  );
  t.match(rootRefusal('linux', 0, false), /worker\.allow_root/);
  t.end();
});
