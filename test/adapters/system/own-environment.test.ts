import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { test } from 'tap';

const PROGRAM = fileURLToPath(new URL('./programs/clear-environment.js', import.meta.url));

const run = (args: readonly string[], environment: Readonly<Record<string, string>>): unknown =>
  JSON.parse(
    execFileSync(process.execPath, [PROGRAM, ...args], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], ...environment },
    }),
  );

const skip = process.platform === 'linux' ? false : 'only Linux shows the environment in /proc';

test('cleared variables and arguments are neither in /proc nor in child processes', { skip }, async (t) => {
  const value = 'x'.repeat(5000);
  t.same(
    run(['--secret=one', 'two', '--secret=three'], {
      HIDDEN_GONE: `a\nä${value}`,
      SHOWN: '1',
      HIDDEN_KEPT: value,
    }),
    {
      failures: [null, null],
      environment: [`PATH=${String(process.env['PATH'])}`, 'SHOWN=1'],
      arguments: ['--secret=', 'two', '--secret='],
      process: { kept: value, gone: null },
      // A variable that stays usable is also inherited: the caller passes an explicit environment.
      ofChild: ['SHOWN=1', `HIDDEN_KEPT=${value}`],
    },
  );
});

test('without a secret nothing is changed', { skip }, async (t) => {
  t.match(run(['--open=one'], { SHOWN: '1' }), {
    failures: [null, null],
    environment: [`PATH=${String(process.env['PATH'])}`, 'SHOWN=1'],
    arguments: ['--open=one'],
  });
});
