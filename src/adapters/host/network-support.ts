import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { IsolationPart } from '../../core/access/isolation-part.ts';

const PROBE_TIMEOUT_MS = 10_000;
const PART = 'network';
const run = promisify(execFile);

/**
 * Reports whether this machine can run tasks without network. `probe`: a command that runs as such a task and exits with
 * code 0. `mustChangeAccount`: set if tasks would run as root, which can enter the network of the machine again. Never
 * throws.
 */
export async function networkSupport(
  probe: { readonly command: string; readonly args: readonly string[] },
  mustChangeAccount: boolean,
): Promise<IsolationPart> {
  if (process.platform !== 'linux')
    return unsupported('only Linux has network namespaces', 'use a host with Linux');
  if (mustChangeAccount)
    return unsupported(
      'a task of root can enter the network of the machine again',
      'set isolation.default_user, so that no task runs as root',
    );
  try {
    await run(probe.command, [...probe.args], {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
      timeout: PROBE_TIMEOUT_MS,
    });
  } catch (error) {
    return unsupported(
      reasonOf(error),
      'install util-linux and iproute2, and run the worker as root (CAP_SYS_ADMIN) with isolation.default_user or allow user namespaces for its account',
    );
  }
  return { part: PART, isSupported: true, detail: 'network namespace', fix: '' };
}

const unsupported = (detail: string, fix: string): IsolationPart => ({
  part: PART,
  isSupported: false,
  detail,
  fix,
});

/** Returns the first line that the programs printed, or the error itself. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const printed = 'stderr' in error ? String(error.stderr).split('\n', 1)[0] : undefined;
  return printed === undefined || printed === '' ? error.message : printed;
}
