import { release } from 'node:os';
import type { IsolationPart } from '../../core/access/isolation-part.ts';
import { failureOf, type NamespaceProbe } from './namespace-probe.ts';

/** From this kernel on, `hidepid` applies to one mount of proc. Before, it changed the whole machine. */
const PROC_MOUNTS_SINCE = [5, 8] as const;

/**
 * Reports whether sessions of this machine can have temporary directories of their own. `probe`: a command that runs in such a
 * session and exits with code 0. Never throws.
 */
export async function privateTmpSupport(probe: NamespaceProbe): Promise<IsolationPart> {
  const part = 'private tmp';
  if (process.platform !== 'linux')
    return {
      part,
      isSupported: false,
      detail: 'only Linux has mount namespaces',
      fix: 'use a host with Linux',
    };
  const failure = await failureOf(probe);
  return failure === null
    ? { part, isSupported: true, detail: 'mount namespace', fix: '' }
    : {
        part,
        isSupported: false,
        detail: failure,
        fix: 'install util-linux, and run the worker as root (CAP_SYS_ADMIN) or allow user namespaces for its account',
      };
}

/**
 * Reports whether tasks of this machine can be kept from seeing the processes of others. `probe`: a command that runs as such a
 * task and exits with code 0. `mustChangeAccount`: set if tasks would run as root, which sees all processes. Never throws.
 */
export async function hiddenProcessesSupport(
  probe: NamespaceProbe,
  isRoot: boolean,
  mustChangeAccount: boolean,
  kernel = release(),
): Promise<IsolationPart> {
  const part = 'hidden processes';
  const unsupported = (detail: string, fix: string): IsolationPart => ({
    part,
    isSupported: false,
    detail,
    fix,
  });
  if (process.platform !== 'linux')
    return unsupported('only Linux has mount namespaces', 'use a host with Linux');
  if (!isRoot)
    return unsupported('only root can mount proc', 'run the worker as root with isolation.default_user');
  if (mustChangeAccount)
    return unsupported(
      'a task of root sees all processes',
      'set isolation.default_user, so that no task runs as root',
    );
  const [major = 0, minor = 0] = kernel.split('.').map((text) => Number.parseInt(text, 10));
  const [sinceMajor, sinceMinor] = PROC_MOUNTS_SINCE;
  if (!(major > sinceMajor || (major === sinceMajor && minor >= sinceMinor)))
    return unsupported(
      `Linux ${kernel} can hide processes for the whole machine only`,
      `use Linux ${PROC_MOUNTS_SINCE.join('.')} or newer`,
    );
  const failure = await failureOf(probe);
  if (failure !== null)
    return unsupported(failure, 'install util-linux, and run the worker as root (CAP_SYS_ADMIN)');
  return { part, isSupported: true, detail: 'mount namespace with its own proc', fix: '' };
}
