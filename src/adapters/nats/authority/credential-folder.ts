import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createUser, fromSeed, type KeyPair } from '@nats-io/nkeys';
import { workerId, isUuid, type WorkerId } from '../../../core/ids.ts';
import { replaceFile } from '../../system/durable-file.ts';
import { readTextIfPresent } from '../../system/read-if-present.ts';
import { seedOf } from './bus-keys.ts';

/** Credentials that an operator creates for an external NATS server: one file for each user, in one folder. */

/** Key of a user, and the file with its seed. */
export interface KeyFile {
  readonly publicKey: string;
  readonly path: string;
}

/** Credential of a worker, and its file. */
export interface WorkerFile extends KeyFile {
  readonly name: string;
  readonly id: WorkerId;
}

/** Returns the key in `name.nk` of the folder, which is created if it does not exist. */
export async function keyIn(folder: string, name: string): Promise<KeyFile> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${name}.nk`);
  const stored = await readTextIfPresent(path);
  const key = stored === null ? createUser() : keyOf(stored.trim(), path);
  if (stored === null) await replaceFile(path, `${seedOf(key)}\n`);
  return { publicKey: key.getPublicKey(), path };
}

/** Contents of a new credential of a worker besides its id and key. */
export interface WorkerPlan {
  readonly name: string;
  /** Addresses of the bus. */
  readonly urls: readonly string[];
  /** PEM text of the certificate authority of the servers; null: the authorities of Node. */
  readonly ca: string | null;
}

/**
 * Returns the credential in `worker-NAME.json` of the folder. It is created with a new id and key if it does not exist; an
 * existing one keeps both, and gets the addresses and the authority of the plan.
 *
 * @throws Error that names the file if it is not a credential.
 */
export async function workerCredentialIn(
  folder: string,
  { name, urls, ca }: WorkerPlan,
): Promise<WorkerFile> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `worker-${name}.json`);
  const stored = await readTextIfPresent(path);
  const { id, key } =
    stored === null ? { id: workerId(randomUUID()), key: createUser() } : credentialOf(stored, path);
  const credential = {
    v: 1,
    worker_id: id,
    farm_id: null,
    urls,
    seed: seedOf(key),
    jwt: null,
    ca,
    expires_at: null,
  };
  await replaceFile(path, `${JSON.stringify(credential, null, 2)}\n`);
  return { name, id, publicKey: key.getPublicKey(), path };
}

function credentialOf(text: string, path: string): { readonly id: WorkerId; readonly key: KeyPair } {
  const read: unknown = parsedOrNull(text);
  if (typeof read === 'object' && read !== null && 'worker_id' in read && 'seed' in read) {
    const { worker_id: id, seed } = read;
    if (typeof id === 'string' && isUuid(id) && typeof seed === 'string')
      return { id: workerId(id), key: keyOf(seed, path) };
  }
  throw new Error(`${path} is not a credential of a worker: remove or restore it`);
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function keyOf(seed: string, path: string): KeyPair {
  try {
    return fromSeed(new TextEncoder().encode(seed));
  } catch {
    throw new Error(`${path} does not contain the seed of an NKEY: remove or restore it`);
  }
}
