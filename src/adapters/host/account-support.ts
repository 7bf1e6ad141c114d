import type { IsolationPart } from '../../core/access/isolation-part.ts';
import { filesOnPath, isProgram } from './program-files.ts';

/** Programs of util-linux that start a task as another account. */
const PROGRAMS = ['setpriv', 'prlimit'] as const;
const SEARCHED = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };

/** Returns whether this process can run tasks as the accounts of queues. */
export async function accountSupport(isEnabled: boolean): Promise<readonly IsolationPart[]> {
  const missing: string[] = [];
  for (const program of PROGRAMS) if (!(await isOnPath(program))) missing.push(program);
  return [accountPart(isEnabled, process.platform, process.geteuid?.() === 0, missing)];
}

async function isOnPath(program: string): Promise<boolean> {
  for (const file of filesOnPath(program, SEARCHED, [''])) if (await isProgram(file)) return true;
  return false;
}

/** Returns the part about accounts. `missing`: programs that are needed and not installed. */
export function accountPart(
  isEnabled: boolean,
  platform: string,
  isRoot: boolean,
  missing: readonly string[],
): IsolationPart {
  const part = 'accounts';
  const refused = (detail: string, fix: string): IsolationPart => ({ part, isSupported: false, detail, fix });
  if (!isEnabled) return refused('isolation.enabled is false', 'set isolation.enabled to true');
  if (platform !== 'linux')
    return refused('only a worker on Linux can run tasks as another account', 'use a host with Linux');
  if (!isRoot)
    return refused(
      'a worker of this account cannot run tasks as another one',
      'run the worker as root with worker.allow_root, if its queues have accounts (docs/isolation.md)',
    );
  if (missing.length > 0) return refused(`missing programs: ${missing.join(', ')}`, 'install util-linux');
  return {
    part,
    isSupported: true,
    detail: 'tasks run as the account of their queue, without privileges',
    fix: '',
  };
}
