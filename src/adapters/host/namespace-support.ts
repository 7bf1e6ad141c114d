import type { IsolationPart } from '../../core/access/isolation-part.ts';
import { failureOf, type NamespaceProbe } from './namespace-probe.ts';

const PART = 'credential mask';

/** Whether credentials can be hidden from tasks. */
interface MaskSupport {
  /** Whether their files can be covered at all. */
  readonly canHide: boolean;
  /** Unsupported also if a hostile task of root could get around the cover. */
  readonly part: IsolationPart;
}

/**
 * Reports whether this machine can hide the credentials of the worker from tasks of the worker's own account. `probe`:
 * a command that hides them and then exits with code 0. Never throws.
 */
export async function maskSupport(probe: NamespaceProbe, isRoot: boolean): Promise<MaskSupport> {
  if (process.platform !== 'linux')
    return { canHide: false, part: unsupported('only Linux has mount namespaces', isRoot) };
  const failure = await failureOf(probe);
  if (failure !== null) return { canHide: false, part: unsupported(failure, isRoot) };
  if (isRoot)
    return {
      canHide: true,
      part: {
        part: PART,
        isSupported: false,
        detail:
          'the files are covered, but a task that runs as root can reach them through /proc/PID/root of a process with fewer capabilities',
        fix: 'Let no task run as root: set run_as_user of each queue, or isolation.default_user.',
      },
    };
  return {
    canHide: true,
    part: { part: PART, isSupported: true, detail: 'user and mount namespace', fix: '' },
  };
}

function unsupported(detail: string, isRoot: boolean): IsolationPart {
  const fix = isRoot
    ? 'Give the worker CAP_SYS_ADMIN and install util-linux, or let tasks run as another account (run_as_user of the queue, or isolation.default_user).'
    : 'Allow user namespaces for the account of the worker (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone or kernel.apparmor_restrict_unprivileged_userns), and install util-linux; or run the worker as root with isolation.default_user.';
  return { part: PART, isSupported: false, detail, fix };
}
