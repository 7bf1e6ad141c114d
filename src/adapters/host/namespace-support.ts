import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { IsolationPart } from '../../core/access/isolation-part.ts';

const PROBE_TIMEOUT_MS = 10_000;
const PART = 'credential mask';
const run = promisify(execFile);

/**
 * Reports whether this machine can hide the credentials of the worker from tasks of the worker's own account. `probe`:
 * a command that hides them and then exits with code 0. Never throws.
 */
export async function credentialMaskPart(
  probe: { readonly command: string; readonly args: readonly string[] },
  isRoot: boolean,
): Promise<IsolationPart> {
  if (process.platform !== 'linux') return unsupported('only Linux has mount namespaces', isRoot);
  try {
    await run(probe.command, [...probe.args], {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
      timeout: PROBE_TIMEOUT_MS,
    });
  } catch (error) {
    return unsupported(reasonOf(error), isRoot);
  }
  const detail = isRoot
    ? 'mount namespace, reduced capabilities; no protection from a task of root that reads files through /proc/PID/root of a process with fewer capabilities: set isolation.default_user'
    : 'user and mount namespace';
  return { part: PART, isSupported: true, detail, fix: '' };
}

function unsupported(detail: string, isRoot: boolean): IsolationPart {
  const fix = isRoot
    ? 'Give the worker CAP_SYS_ADMIN and install util-linux, or let tasks run as another account (run_as_user of the queue, or isolation.default_user).'
    : 'Allow user namespaces for the account of the worker (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone or kernel.apparmor_restrict_unprivileged_userns), and install util-linux; or run the worker as root with isolation.default_user.';
  return { part: PART, isSupported: false, detail, fix };
}

/** Returns the first line that the programs printed, or the error itself. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const printed = 'stderr' in error ? String(error.stderr).split('\n', 1)[0] : undefined;
  return printed === undefined || printed === '' ? error.message : printed;
}
