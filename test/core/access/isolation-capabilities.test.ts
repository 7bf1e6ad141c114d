import { test } from 'tap';
import { isolationCapabilities } from '../../../src/core/access/isolation-capabilities.ts';
import { isolationOff } from '../../kit/isolation-settings.ts';

const NAMES = [
  'memory limit',
  'process limit',
  'CPU weight',
  'whole cores',
  'network',
  'disk quota',
  'private tmp',
  'hidden processes',
];
const parts = (isSupported: boolean) => NAMES.map((part) => ({ part, isSupported, detail: '', fix: '' }));
const off = { ...isolationOff, hasTaskAccounts: false };
const on = {
  ...off,
  limits: 'auto',
  memoryFactor: 1,
  pidsMax: 4096,
  wholeCores: true,
  network: 'none',
  diskQuotaBytes: 1,
  privateTmp: true,
  hideProcesses: true,
  noNewPrivileges: true,
} as const;

test('a worker reports the parts that its settings use and its machine supports', (t) => {
  t.same(isolationCapabilities(off, parts(true)), [], 'what is not used does not apply');
  t.same(isolationCapabilities(on, parts(true)), [
    'memory_limit',
    'process_limit',
    'cpu_weight',
    'whole_cores',
    'private_tmp',
    'hidden_processes',
    'no_network',
    'disk_quota',
    'no_new_privileges',
  ]);
  t.same(isolationCapabilities(on, parts(false)), ['no_new_privileges']);
  t.same(isolationCapabilities(on, []), ['no_new_privileges'], 'a part that was not examined does not apply');
  t.end();
});

test('tasks that all have an account of their own get no new privileges', (t) => {
  t.same(isolationCapabilities({ ...off, hasTaskAccounts: true }, []), ['no_new_privileges', 'task_account']);
  t.end();
});

test('limits without a value do not apply', (t) => {
  const settings = { ...off, limits: 'required', memoryFactor: 0, pidsMax: 0 } as const;
  t.same(isolationCapabilities(settings, parts(true)), ['cpu_weight']);
  t.end();
});
