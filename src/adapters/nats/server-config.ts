import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { accountLines } from '../../core/bus-identity/server-accounts.ts';
import { clusterLines, type ClusterRoutes } from './cluster-routes.ts';
import { SERVER_LIMITS } from './limits.ts';
import type { ListenAddress } from './server-address.ts';
import type { ServerBinary } from './server-binary.ts';

/** Returns the paths of the managed server's files, all in one folder. */
export const serverFiles = (folder: string) => ({
  config: join(folder, 'nats-server.conf'),
  log: join(folder, 'nats-server.log'),
  /** Output of the program before it has read its configuration, and of a panic. */
  output: join(folder, 'nats-server.out'),
  store: join(folder, 'store'),
  /** Name of the server: the identity of the bus. */
  name: join(folder, 'server-name'),
  /** The same of a server of a cluster, with its store. */
  nodeName: join(folder, 'store', 'server-name'),
});

/**
 * Returns the name that identifies the bus of this folder. It is generated once and kept with the data of the bus, so
 * that workers know the same bus after a restart, and no other bus has it. The name of a server of a cluster contains its
 * node, and is lost with its data: a server with an empty store is not the one that has acknowledged records.
 */
export async function loadServerName(folder: string, node: string | null): Promise<string> {
  const files = serverFiles(folder);
  const [path, prefix, bytes] =
    node === null ? [files.name, 'callsheet', NAME_BYTES] : [files.nodeName, node, NODE_NAME_BYTES];
  const stored = await readName(path, new RegExp(`^${prefix}-[0-9a-f]{${2 * bytes}}$`));
  if (stored !== null) return stored;
  const name = `${prefix}-${randomBytes(bytes).toString('hex')}`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.new`;
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(`${name}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  return name;
}

const NAME_BYTES = 16;
const NODE_NAME_BYTES = 4;

/** Returns null if there is no file, or if it does not contain a name. */
async function readName(path: string, form: RegExp): Promise<string | null> {
  try {
    const name = (await readFile(path, 'utf8')).trim();
    return form.test(name) ? name : null;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Public keys of the users of the service. */
interface ServiceUsers {
  readonly requests: string;
  readonly streams: string;
  /** Only in a cluster. */
  readonly system?: string;
}

/** Who may connect to the managed server. */
export type ServerAccess =
  /** Without authentication: clients without credentials are limited to the subjects of workers. */
  | {
      readonly type: 'open';
      readonly users: ServiceUsers;
      /** Password of the user that such clients become. They do not know it. */
      readonly anonymousPassword: string;
    }
  /** Users need a JWT that an account has signed, and TLS. */
  | {
      readonly type: 'authenticated';
      readonly operatorJwt: string;
      /** Public key of the system account. */
      readonly systemAccount: string;
      /** Folder with the JWTs of the accounts. */
      readonly accounts: string;
      /** Paths of PEM files. */
      readonly certFile: string;
      readonly keyFile: string;
      /** Of the certificate: another one results in another text. */
      readonly certificateFingerprint: string;
    };

const quoted = (text: string): string => JSON.stringify(text);

/** Settings of a managed server. */
export interface ServerSettings {
  readonly folder: string;
  readonly name: string;
  readonly listen: ListenAddress;
  readonly binary: ServerBinary;
  readonly access: ServerAccess;
  /** Null: a single server. */
  readonly routes: ClusterRoutes | null;
}

/**
 * Returns the server's configuration: clients and JetStream, without monitoring, websocket, mqtt or leaf node listener, and
 * with a listener for other servers only in a cluster (docs/dependency-hazards.md#d14-the-worker-channel-has-no-authentication).
 * The first line names the program, so that another program results in another text.
 */
export function serverConfigText({ folder, name, listen, binary, access, routes }: ServerSettings): string {
  const files = serverFiles(folder);
  return [
    `# Written by Callsheet for ${binary.path} ${binary.version}; changes are lost.`,
    `host: ${quoted(listen.host)}`,
    `port: ${listen.port}`,
    `server_name: ${quoted(name)}`,
    `max_payload: ${SERVER_LIMITS.payloadBytes}`,
    `log_file: ${quoted(files.log)}`,
    `logfile_size_limit: ${SERVER_LIMITS.logFileBytes}`,
    'jetstream {',
    `  store_dir: ${quoted(files.store)}`,
    `  max_file_store: ${SERVER_LIMITS.storeBytes + (routes === null ? 0 : SERVER_LIMITS.clusterStoreBytes)}`,
    `  max_memory_store: ${SERVER_LIMITS.memoryStoreBytes}`,
    ...(binary.canSyncAlways ? ['  sync_interval: always'] : []),
    '}',
    ...(routes === null ? [] : clusterLines(routes)),
    ...(access.type === 'open' ? openAccess(access) : authenticatedAccess(access, routes !== null)),
    '',
  ].join('\n');
}

/** Names of the accounts in a static configuration. */
const BUS = 'BUS';
const STREAMS = 'STREAMS';

/** Accounts and users (docs/bus-identity.md#without-authentication). */
const openAccess = ({
  users,
  anonymousPassword,
}: Extract<ServerAccess, { type: 'open' }>): readonly string[] => [
  'authorization {',
  `  timeout: ${SERVER_LIMITS.clientSeconds}`,
  '}',
  ...accountLines({
    accounts: { bus: BUS, streams: STREAMS },
    service: users,
    workers: [],
    anonymousPassword,
    ...(users.system === undefined ? {} : { system: users.system }),
  }),
];

const authenticatedAccess = (
  access: Extract<ServerAccess, { type: 'authenticated' }>,
  isClustered: boolean,
): readonly string[] => [
  `operator: ${access.operatorJwt}`,
  `system_account: ${access.systemAccount}`,
  'resolver {',
  '  type: full',
  `  dir: ${quoted(access.accounts)}`,
  '  allow_delete: false',
  // Until then, a server that was unreachable accepts keys that were refused meanwhile.
  ...(isClustered ? [`  interval: "${SERVER_LIMITS.accountExchangeSeconds}s"`] : []),
  '}',
  `# certificate ${access.certificateFingerprint}`,
  'tls {',
  `  cert_file: ${quoted(access.certFile)}`,
  `  key_file: ${quoted(access.keyFile)}`,
  `  timeout: ${SERVER_LIMITS.tlsSeconds}`,
  '}',
];

/** Returns the name of the folder in which the server keeps the streams: that of their account. */
export const streamAccountOf = (access: ServerAccess, streamsKey: string): string =>
  access.type === 'open' ? STREAMS : streamsKey;
