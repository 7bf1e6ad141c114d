import { execFileSync } from 'node:child_process';
import type { Test } from 'tap';

/** Only root can create accounts, and only on Linux. */
export const canMakeAccounts = process.platform === 'linux' && process.getuid?.() === 0;

let made = 0;
const freshName = (): string => `cst${process.pid}x${++made}`;

const run = (command: string, args: readonly string[]): string =>
  execFileSync(command, [...args], { encoding: 'utf8', env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' } });

/** Creates an account on this machine with these `useradd` options and deletes it after the test. */
export function makeAccount(t: Test, options: readonly string[] = []): string {
  const name = freshName();
  run('useradd', ['--no-create-home', '--shell', '/bin/bash', ...options, name]);
  t.teardown(() => {
    // `-f`: also deletes an account that shares its ID with an account in use.
    execFileSync('userdel', ['-f', name], { stdio: 'ignore', env: { PATH: '/usr/sbin:/usr/bin' } });
  });
  return name;
}

/** Creates a group on this machine and deletes it after the test. */
export function makeGroup(t: Test, options: readonly string[] = []): string {
  const name = freshName();
  run('groupadd', [...options, name]);
  t.teardown(() => {
    // `-f`: also deletes a group that shares its ID with a group in use.
    run('groupdel', ['-f', name]);
  });
  return name;
}

/** Returns the ID of an account, or of its primary group. */
export const idOf = (which: '-u' | '-g', name: string): number => Number(run('id', [which, name]));

export const groupIdOf = (name: string): number => Number(run('getent', ['group', name]).split(':')[2]);
