import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { literal, messageParser, record, text } from '../../../core/wire/field-readers.ts';
import { busSeeds, keysOfSeeds, newBusSeeds, storedSeeds, type BusKeys, type BusSeeds } from './bus-keys.ts';
import { createAuthority, storedAuthority, type Authority } from './certificates.ts';

/** Content of the file that all nodes of a cluster share. */
interface SecretText {
  readonly v: 1;
  readonly type: 'callsheet-cluster-secret';
  /** Password of the connections between the servers. */
  readonly route_password: string;
  /** Certificate authority of the certificates of all nodes, and its key, in PEM. */
  readonly ca: string;
  readonly ca_key: string;
  /** Keys of the bus: the same on all nodes, so that each server accepts the same credentials. */
  readonly keys: BusSeeds;
}

/** The secret of a cluster. Private: it never leaves the adapter, except as text for its file. */
export interface ClusterSecret {
  readonly routePassword: string;
  readonly authority: Authority;
  readonly keys: BusKeys;
}

const PASSWORD_BYTES = 32;
const PASSWORD_LENGTH = 128;
const PEM_LENGTH = 8192;
const FILE_BYTES_MAX = 65_536;
const ANY_ACCESS_OF_OTHERS = 0o077;
const ROOT = 0;

const parseSecret = messageParser(
  record<SecretText>({
    v: literal(1),
    type: literal('callsheet-cluster-secret'),
    route_password: text(PASSWORD_LENGTH, 1),
    ca: text(PEM_LENGTH, 1),
    ca_key: text(PEM_LENGTH, 1),
    keys: busSeeds,
  }),
  { length: FILE_BYTES_MAX, nesting: 3 },
);

/**
 * Returns the text of a new secret. With the folder of the managed bus of a single node, it contains the keys and the
 * certificate authority of that node, so that workers keep their credentials.
 *
 * @throws Error that names the file if the keys of that node cannot be read.
 */
export async function newClusterSecret(singleNode: string | null, now: number): Promise<string> {
  const stored = singleNode === null ? null : await storedSeeds(singleNode);
  const authority = singleNode === null ? null : await storedAuthority(join(singleNode, 'tls'));
  if (singleNode !== null && stored === null)
    throw new Error(`${singleNode} contains no keys of a managed bus: name the data.dir of the single node`);
  const { pem, keyPem } = authority ?? (await createAuthority(now));
  const secret: SecretText = {
    v: 1,
    type: 'callsheet-cluster-secret',
    route_password: randomBytes(PASSWORD_BYTES).toString('base64url'),
    ca: pem,
    ca_key: keyPem,
    keys: stored ?? newBusSeeds(),
  };
  return `${JSON.stringify(secret, null, 2)}\n`;
}

/**
 * Returns the secret of the file that `cluster.secret_file` names.
 *
 * @throws Error that names the key and the file if it cannot be read, is not a secret, or other users can read it.
 */
export async function readClusterSecret(path: string): Promise<ClusterSecret> {
  const parsed = parseSecret(await privateText(path));
  if (!parsed.ok)
    throw new Error(
      `cluster.secret_file: ${path} is not the secret of a cluster (${parsed.reason}); copy the file that \`callsheet cluster secret\` has made`,
    );
  const { route_password, ca, ca_key, keys } = parsed.value;
  return {
    routePassword: route_password,
    authority: { pem: ca, keyPem: ca_key },
    keys: keysOfSeeds(keys, path),
  };
}

/** Checks the open file and not its path, so that it cannot be replaced in between. */
async function privateText(path: string): Promise<string> {
  const wrong = (reason: string): Error => new Error(`cluster.secret_file: ${path} ${reason}`);
  let file;
  try {
    file = await open(path, constants.O_RDONLY);
  } catch (error) {
    throw wrong(`cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  try {
    const { mode, uid, size } = await file.stat();
    if (process.getuid !== undefined && uid !== process.getuid() && uid !== ROOT)
      throw wrong('belongs to another user');
    if ((mode & ANY_ACCESS_OF_OTHERS) !== 0)
      throw wrong(`can be read by other users; run: chmod 600 ${path}, and make a new secret if they did`);
    if (size > FILE_BYTES_MAX) throw wrong(`is larger than ${FILE_BYTES_MAX} bytes`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
