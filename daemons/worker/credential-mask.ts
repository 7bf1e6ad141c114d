import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { IsolationPart } from '../../src/core/access/isolation-part.ts';
import type { BusAccess } from '../../src/core/config/bus-access.ts';
import { maskSupport } from '../../src/adapters/host/namespace-support.ts';
import { maskArguments, type Mask } from '../../src/adapters/process/mask.ts';

/** Files that tasks of the worker's own account must not see, and whether this machine can hide it. */
export interface CredentialMask {
  /** Null if it cannot be hidden. */
  readonly mask: Mask | null;
  readonly part: IsolationPart;
}

/**
 * Returns the mask of the worker's credentials, or null for a worker without any: its tasks start without the cost of a
 * mask. `identityFile`: the credential file of this worker, which need not exist.
 */
export async function credentialMask(
  access: BusAccess | null,
  workerDirectory: string,
  identityFile: string,
): Promise<CredentialMask | null> {
  const files = credentialFiles(access, identityFile);
  if (files.length === 0 && !hasCredentials(access)) return null;
  const mask: Mask = { workerDirectory, files, isRoot: process.geteuid?.() === 0 };
  const [command = '', ...args] = [...maskArguments(mask, ''), 'true'];
  const { canHide, part } = await maskSupport({ command, args }, mask.isRoot);
  return { mask: canHide ? mask : null, part };
}

const hasCredentials = (access: BusAccess | null): boolean =>
  access !== null &&
  (access.password !== null ||
    access.token !== null ||
    access.credentialsFile !== '' ||
    access.nkeyFile !== '');

/** Returns the files of the bus access that exist, without links. */
function credentialFiles(access: BusAccess | null, identityFile: string): readonly string[] {
  const named = [
    identityFile,
    access?.credentialsFile ?? '',
    access?.nkeyFile ?? '',
    access?.tls?.keyFile ?? '',
  ];
  for (const secret of [access?.password, access?.token]) {
    if (secret !== null && secret !== undefined && 'file' in secret) named.push(secret.file);
  }
  const present = named
    .filter((path) => path !== '' && existsSync(path))
    .map((path) => realpathSync(resolve(path)));
  return [...new Set(present)];
}
