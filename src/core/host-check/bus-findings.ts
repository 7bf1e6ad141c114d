import { hasSecurityFixes } from '../bus-identity/server-release.ts';
import { failure, ok, skipped, warning, type Finding } from './finding.ts';

/** An attempt to connect to the bus with the access of the worker. */
export type BusVisit =
  | {
      readonly ok: true;
      /** Address of the server. */
      readonly server: string;
      readonly version: string;
      readonly isEncrypted: boolean;
      /** Subjects to which the worker could subscribe, of those that no worker needs. */
      readonly permitted: readonly string[];
    }
  | { readonly ok: false; readonly reason: string };

/** Subjects that no worker needs: with one of them, a worker reads messages to others. */
export const FOREIGN_SUBJECTS = ['>', '_INBOX.>', '_INBOX.*.*', 'work.lease.>', 'task.status.>'] as const;

const UNREACHABLE_FIX =
  'check bus.url (SVC_BUS_URL), that the server runs, that its bus.addr is reachable from this host, and that no firewall is in between';
const REFUSED_FIX =
  'the server of the bus refuses this access: check the credential or the password, and whether it was revoked or has expired';
const CERTIFICATE_FIX =
  'check bus.tls.ca_file: it must contain the certificate of the authority that issued the certificate of the bus';

const REFUSED = /authoriz|authentic|revoked|expired user|permission/i;
const CERTIFICATE = /certificate|self.signed|tls|ssl/i;

/** Returns the finding about the connection. `hasIdentity`: the worker has a credential or a password. */
export function busFinding(visit: BusVisit, hasIdentity: boolean): Finding {
  const name = 'bus';
  if (!visit.ok) {
    const fix = REFUSED.test(visit.reason)
      ? REFUSED_FIX
      : CERTIFICATE.test(visit.reason)
        ? CERTIFICATE_FIX
        : UNREACHABLE_FIX;
    return failure(name, visit.reason, fix);
  }
  const found = `${visit.server}, nats-server ${visit.version}`;
  return hasIdentity && !hasSecurityFixes(visit.version)
    ? warning(
        name,
        `${found}: this version gets no security fixes`,
        'update nats-server to 2.12.12, 2.14.3 or newer',
      )
    : ok(name, found);
}

/** Returns the finding about the encryption of the connection. `isLocal`: the server is on this host. */
export function encryptionFinding(visit: BusVisit, isLocal: boolean): Finding {
  const name = 'TLS';
  if (!visit.ok) return skipped(name, 'the bus cannot be used');
  if (visit.isEncrypted) return ok(name, 'the connection is encrypted and the certificate is valid');
  return isLocal
    ? skipped(name, 'the connection stays on this host and is not encrypted')
    : warning(
        name,
        'the connection is not encrypted: the network can read and change assignments and logs',
        'turn on bus.auth.enabled on the server, or use tls:// addresses of an external NATS in bus.url',
      );
}

/** Returns the finding about the permissions of the worker on the bus. */
export function permissionFinding(visit: BusVisit, hasIdentity: boolean): Finding {
  const name = 'permissions';
  if (!visit.ok) return skipped(name, 'the bus cannot be used');
  const { permitted } = visit;
  if (!hasIdentity)
    return warning(
      name,
      permitted.length === 0
        ? 'the bus accepts clients without credentials: a program that reaches it can act as a worker. It refuses subscriptions to messages of others'
        : `the bus accepts clients without credentials, and they can subscribe to ${permitted.join(', ')}: a program that reaches it can read assignments of all workers`,
      'give the bus authentication (docs/security.md#what-an-open-bus-leaves-unprotected)',
    );
  return permitted.length === 0
    ? ok(name, `refused, as they should be: subscriptions to ${FOREIGN_SUBJECTS.join(', ')}`)
    : failure(
        name,
        `this worker can subscribe to ${permitted.join(', ')}: it can read messages of other workers`,
        'give the user of this worker the permissions that callsheet bus permissions prints',
      );
}
