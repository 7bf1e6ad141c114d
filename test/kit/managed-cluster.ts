import { access, constants, writeFile } from 'node:fs/promises';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import {
  newClusterSecret,
  readClusterSecret,
  type ClusterSecret,
} from '../../src/adapters/nats/authority/cluster-secret.ts';
import { ManagedServerError, findServerBinary } from '../../src/adapters/nats/server-binary.ts';
import {
  startManagedServer,
  type ManagedServer,
  type ManagedServerEvent,
} from '../../src/adapters/nats/managed-server.ts';
import type { ClusterPeer } from '../../src/core/config/cluster-config.ts';
import { isClusterRelease } from '../../src/core/bus-identity/server-release.ts';
import { freePort } from './nats-server.ts';

export const NODES = ['a', 'b', 'c'] as const;
export type NodeName = (typeof NODES)[number];

/** Returns why this machine cannot run a cluster; null if it can. */
export async function clusterSkip(): Promise<string | null> {
  try {
    const { version } = await findServerBinary('');
    return isClusterRelease(version) ? null : `nats-server ${version} is too old for a cluster`;
  } catch (error) {
    if (error instanceof ManagedServerError) return error.message;
    throw error;
  }
}

/** Files and addresses of three nodes on the loopback. */
export interface ClusterPlan {
  readonly folder: string;
  readonly secretFile: string;
  readonly secret: ClusterSecret;
  readonly peers: readonly ClusterPeer[];
  /** Ports for clients. */
  readonly ports: Readonly<Record<NodeName, number>>;
}

/**
 * Returns a new folder for the data of a cluster. It is removed after everything that the test registers later: a folder of
 * `t.testdir` would be removed while the servers still write to it.
 */
export function clusterFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-cluster-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Creates the secret, and chooses free ports. */
export async function planCluster(folder: string): Promise<ClusterPlan> {
  const secretFile = join(folder, 'cluster.secret');
  await writeFile(secretFile, await newClusterSecret(null, Date.now()), { mode: 0o600 });
  await access(secretFile, constants.R_OK);
  const peers: ClusterPeer[] = [];
  for (const name of NODES) peers.push({ name, host: '127.0.0.1', port: await freePort() });
  const ports = { a: await freePort(), b: await freePort(), c: await freePort() };
  return { folder, secretFile, secret: await readClusterSecret(secretFile), peers, ports };
}

/** Starts the managed server of a node. The end of the test stops it. */
export async function startNodeServer(
  t: Test,
  { folder, secret, peers, ports }: ClusterPlan,
  node: NodeName,
  isAuthenticated = false,
  onEvent: (event: ManagedServerEvent) => void = () => undefined,
): Promise<ManagedServer> {
  const server = await startManagedServer(
    {
      folder: join(folder, node),
      listen: { host: '127.0.0.1', port: ports[node] },
      binaryPath: '',
      authentication: isAuthenticated ? { publicUrls: [], certificates: null } : null,
      cluster: { name: 'farm', node, peers, secret },
    },
    onEvent,
  );
  t.teardown(() => server.stop());
  return server;
}
