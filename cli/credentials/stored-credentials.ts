import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import {
  isObject,
  privatePath,
  readPrivateJson,
  writePrivateJson,
  type Environment,
} from './private-file.ts';
import { credentialAddresses } from './service-address.ts';

/** API key that `callsheet login` has stored for one service. */
export interface StoredCredential {
  readonly key: string;
  /** Null if `login --with-api-key` has stored a key that it has not created. */
  readonly keyId: string | null;
  readonly username: string;
}

const VERSION = 1;

/** Returns the path of the file with the credentials. */
export const credentialsPath = (environment?: Environment): string =>
  privatePath('credentials.json', environment);

/**
 * Returns the credential that is stored for a service; null if there is none. Nodes of a cluster have the same accounts: the
 * credential of any of its addresses is valid at all.
 *
 * @throws CommandError if the file belongs to another user, can be read by others, or is invalid.
 */
export function storedCredential(url: string): StoredCredential | null {
  const all = readAll(credentialsPath());
  const address = credentialAddresses(url).find((each) => all.has(each));
  return all.get(address ?? '') ?? null;
}

/** Stores the credential of a service, or removes it if it is null. Throws as `storedCredential`. */
export function storeCredential(url: string, credential: StoredCredential | null): void {
  const path = credentialsPath();
  const all = readAll(path);
  for (const address of credentialAddresses(url)) {
    if (credential === null) all.delete(address);
    else all.set(address, credential);
  }
  writePrivateJson(path, { version: VERSION, services: Object.fromEntries(all) });
}

function readAll(path: string): Map<string, StoredCredential> {
  const document = readPrivateJson(path);
  if (document === undefined) return new Map();
  const invalid = new CommandError(
    EXIT.usage,
    `${path}: is not a credentials file; delete it and sign in again`,
  );
  if (!isObject(document) || document['version'] !== VERSION || !isObject(document['services']))
    throw invalid;
  const found = new Map<string, StoredCredential>();
  for (const [url, entry] of Object.entries(document['services'])) {
    const credential = credentialOf(entry);
    if (credential === null) throw invalid;
    found.set(url, credential);
  }
  return found;
}

function credentialOf(entry: unknown): StoredCredential | null {
  if (!isObject(entry)) return null;
  const { key, keyId, username } = entry;
  if (typeof key !== 'string' || typeof username !== 'string') return null;
  return typeof keyId === 'string' || keyId === null ? { key, keyId, username } : null;
}
