import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { BusAuthority } from '../../../core/ports/bus-authority.ts';
import { hostOfUrl } from '../../../core/discovery/bus-address.ts';
import {
  addressText,
  dialAddress,
  isAnyHost,
  isLoopback,
  type ListenAddress,
  type ServerList,
} from '../server-address.ts';
import { ownPeer, type ManagedCluster } from '../cluster-routes.ts';
import { serverFiles, streamAccountOf, type ServerAccess } from '../server-config.ts';
import { serviceUser } from './account-claims.ts';
import { loadBusKeys, seedOf, type BusKeys } from './bus-keys.ts';
import { fingerprintOf, ownCertificate, serverCertificate, type OwnCertificates } from './certificates.ts';
import { natsBusAuthority } from './nats-bus-authority.ts';
import {
  accountFolder,
  certificateHosts,
  operatorJwt,
  writeAccounts,
  writeClusterAccounts,
} from './server-access.ts';
import { hostname } from 'node:os';

/** Settings of a bus with authentication (`bus.auth.enabled`). */
export interface BusAuthentication {
  /** `bus.public_url`; empty: derived from the listen address. */
  readonly publicUrls: readonly string[];
  /** Null: certificates of the service's own authority. */
  readonly certificates: OwnCertificates | null;
}

/** Who may connect to a managed server, and how the service itself connects. */
export interface ManagedAccess {
  readonly access: ServerAccess;
  /** Access to the account of the workers, from this machine. */
  readonly requests: ServerList;
  /** Access to the account of the streams. */
  readonly streams: ServerList;
  /** Access to the system account of a cluster; null for a single server. */
  readonly system: ServerList | null;
  /** Null without authentication. */
  readonly authority: BusAuthority | null;
  /** Must be called before a server is started that is not running: writes what it reads. */
  prepare(): Promise<void>;
}

/**
 * Returns the access to the managed server in this folder. Keys and certificates are created at the first start; those of a
 * server of a cluster are in its secret.
 *
 * @throws Error that names the file if keys or certificates cannot be used.
 */
export async function managedAccess(
  folder: string,
  listen: ListenAddress,
  authentication: BusAuthentication | null,
  cluster: ManagedCluster | null = null,
): Promise<ManagedAccess> {
  const keys = cluster?.secret.keys ?? (await loadBusKeys(folder));
  const server = { folder, listen, keys, cluster };
  return authentication === null ? openAccess(server) : authenticatedAccess(server, authentication);
}

/** A managed server and its keys. */
interface KeyedServer {
  readonly folder: string;
  readonly listen: ListenAddress;
  readonly keys: BusKeys;
  readonly cluster: ManagedCluster | null;
}

function openAccess({ folder, listen, keys, cluster }: KeyedServer): ManagedAccess {
  const { requests, streams, system } = keys.users;
  const servers = [addressText(dialAddress(listen))];
  const access: ServerAccess = {
    type: 'open',
    users: {
      requests: requests.getPublicKey(),
      streams: streams.getPublicKey(),
      ...(cluster === null ? {} : { system: system.getPublicKey() }),
    },
    anonymousPassword: keys.anonymousPassword,
  };
  const userOf = (user: typeof system): ServerList => ({
    servers,
    isTls: false,
    identity: { seed: seedOf(user), jwt: null },
  });
  return {
    access,
    requests: userOf(requests),
    streams: userOf(streams),
    system: cluster === null ? null : userOf(system),
    authority: null,
    prepare: async () => {
      if (cluster === null)
        await moveStreams(folder, streamAccountOf(access, keys.streams.getPublicKey()), keys);
    },
  };
}

async function authenticatedAccess(
  { folder, listen, keys, cluster }: KeyedServer,
  { publicUrls, certificates }: BusAuthentication,
): Promise<ManagedAccess> {
  const urls = publicUrls.length > 0 ? publicUrls : defaultUrls(listen, cluster);
  const ownHosts = cluster === null ? [] : [ownPeer(cluster).host];
  const { certFile, keyFile, caPem, pem } =
    certificates === null
      ? await serverCertificate(
          join(folder, 'tls'),
          certificateHosts(listen, [...urls.map(hostOfUrl), ...ownHosts]),
          Date.now(),
          cluster?.secret.authority ?? null,
        )
      : await ownCertificate(certificates);
  const access: ServerAccess = {
    type: 'authenticated',
    operatorJwt: await operatorJwt(folder, keys),
    systemAccount: keys.system.getPublicKey(),
    accounts: accountFolder(folder),
    certFile,
    keyFile,
    certificateFingerprint: fingerprintOf(pem),
  };
  const { users } = keys;
  const base = { servers: [addressText(dialAddress(listen))], isTls: true, ca: caPem };
  const userOf = async (
    name: string,
    user: typeof users.system,
    account: typeof keys.bus,
  ): Promise<ServerList> => ({
    ...base,
    identity: { seed: seedOf(user), jwt: await serviceUser(name, user, account) },
  });
  const system = await userOf('service accounts', users.system, keys.system);
  return {
    access,
    requests: await userOf('service requests', users.requests, keys.bus),
    streams: await userOf('service streams', users.streams, keys.streams),
    authority: natsBusAuthority({
      keys,
      caPem,
      urls,
      system,
    }),
    system: cluster === null ? null : system,
    prepare: async () => {
      if (cluster !== null) return writeClusterAccounts(folder, keys);
      await moveStreams(folder, streamAccountOf(access, keys.streams.getPublicKey()), keys);
      await writeAccounts(folder, keys);
    },
  };
}

/**
 * Returns the addresses of the bus for workers: those of all nodes of a cluster, which have the same port. A server that
 * listens everywhere is known by the name of its machine.
 */
function defaultUrls(listen: ListenAddress, cluster: ManagedCluster | null): readonly string[] {
  const hosts =
    cluster !== null && !isLoopback(listen)
      ? cluster.peers.map(({ host }) => host)
      : [isAnyHost(listen) ? hostname() : listen.host];
  return hosts.map((host) => `tls://${addressText({ host, port: listen.port })}`);
}

/** Account of a server without accounts, as earlier versions ran it. */
const GLOBAL_ACCOUNT = '$G';

/**
 * The server keeps the streams below the name of their account, which depends on the authentication. The streams are moved
 * when it has changed, so that messages that were not read yet are not lost.
 */
async function moveStreams(folder: string, account: string, keys: BusKeys): Promise<void> {
  const root = join(serverFiles(folder).store, 'jetstream');
  const present = new Set(await namesIn(root));
  if (present.has(account)) return;
  const names = [GLOBAL_ACCOUNT, 'STREAMS', keys.streams.getPublicKey()];
  const earlier = names.find((name) => present.has(name));
  if (earlier !== undefined) await rename(join(root, earlier), join(root, account));
}

/** Returns the names in a directory; none if it cannot be read: the server reports an unusable store itself. */
async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch {
    return [];
  }
}
