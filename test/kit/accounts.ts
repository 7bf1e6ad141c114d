import { execFileSync } from 'node:child_process';
import type { Test } from 'tap';

/** Only root can make accounts, and only on Linux. */
export const canMakeAccounts = process.platform === 'linux' && process.getuid?.() === 0;

let made = 0;
const freshName = (): string => `cst${process.pid}x${++made}`;

const run = (command: string, args: readonly string[]): string =>
  execFileSync(command, [...args], { encoding: 'utf8', env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' } });

/** Makes an account of this machine with these options of `useradd`; the test takes it away at its end. */
export function makeAccount(t: Test, options: readonly string[] = []): string {
  const name = freshName();
  run('useradd', ['--no-create-home', '--shell', '/bin/bash', ...options, name]);
  t.teardown(() => {
    // `-f`: also an alias of an account that is in use.
    execFileSync('userdel', ['-f', name], { stdio: 'ignore', env: { PATH: '/usr/sbin:/usr/bin' } });
  });
  return name;
}

/** Makes a group; the test takes it away at its end. */
export function makeGroup(t: Test, options: readonly string[] = []): string {
  const name = freshName();
  run('groupadd', [...options, name]);
  t.teardown(() => {
    // `-f`: also an alias of a group that is in use.
    run('groupdel', ['-f', name]);
  });
  return name;
}

/** The id of an account, or of its primary group. */
export const idOf = (which: '-u' | '-g', name: string): number => Number(run('id', [which, name]));

export const groupIdOf = (name: string): number => Number(run('getent', ['group', name]).split(':')[2]);
