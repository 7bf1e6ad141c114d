import { test } from 'tap';
import { cpuArchitecture, osFamily, thisMachine } from '../../../src/adapters/host/machine.ts';
import { rootRefusal } from '../../../src/adapters/host/root-check.ts';

test('systems and architectures have OpenJD’s names', (t) => {
  t.same(['linux', 'darwin', 'win32', 'freebsd'].map(osFamily), ['linux', 'macos', 'windows', 'freebsd']);
  t.same(['x64', 'arm64', 'riscv64'].map(cpuArchitecture), ['x86_64', 'arm64', 'riscv64']);
  t.end();
});

test('this machine offers something', (t) => {
  const machine = thisMachine();
  t.ok(machine.cpuCount >= 1 && Number.isInteger(machine.cpuCount));
  t.ok(machine.memoryMib > 0 && Number.isInteger(machine.memoryMib));
  t.not(machine.hostName, '');
  t.end();
});

test('root is refused on Linux and macOS unless it is allowed', (t) => {
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
