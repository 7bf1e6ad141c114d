import type { IsolationPart } from '../../core/access/isolation-part.ts';
import { failureOf, type NamespaceProbe } from './namespace-probe.ts';

const PART = 'network';

/**
 * Reports whether this machine can run tasks without network. `probe`: a command that runs as such a task and exits with
 * code 0. `mustChangeAccount`: set if tasks would run as root, which can enter the network of the machine again. Never
 * throws.
 */
export async function networkSupport(
  probe: NamespaceProbe,
  mustChangeAccount: boolean,
): Promise<IsolationPart> {
  if (process.platform !== 'linux')
    return unsupported('only Linux has network namespaces', 'use a host with Linux');
  if (mustChangeAccount)
    return unsupported(
      'a task of root can enter the network of the machine again',
      'set isolation.default_user, so that no task runs as root',
    );
  const failure = await failureOf(probe);
  if (failure !== null)
    return unsupported(
      failure,
      'install util-linux and iproute2, and run the worker as root (CAP_SYS_ADMIN) with isolation.default_user or allow user namespaces for its account',
    );
  return { part: PART, isSupported: true, detail: 'network namespace', fix: '' };
}

const unsupported = (detail: string, fix: string): IsolationPart => ({
  part: PART,
  isSupported: false,
  detail,
  fix,
});
