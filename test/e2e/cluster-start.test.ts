import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test, type Test } from 'tap';
import { newClusterSecret } from '../../src/adapters/nats/authority/cluster-secret.ts';
import { Daemon, freePort } from '../kit/daemons.ts';
import { clusterSkip } from '../kit/managed-cluster.ts';
import { NatsCluster, PASSWORD, USER } from '../kit/nats-cluster.ts';
import { NatsServer } from '../kit/nats-server.ts';
import { CLOCK_FILE_VARIABLE } from '../faults/cluster/programs/shifted-clock.ts';

/** Refusals of a node of a cluster at its start (docs/high-availability.md#refused-at-the-start). */

tap.setTimeout(240_000);
const skip = (await clusterSkip()) ?? false;

const SHIFTED_CLOCK = new URL('../faults/cluster/programs/shifted-clock.js', import.meta.url).href;
const PEERS = '--peers=a=127.0.0.1:1,b=127.0.0.1:2,c=127.0.0.1:3';

interface Started {
  readonly daemon: Daemon;
  /** Resolves with the log of a node that ends. */
  readonly refusal: () => Promise<string>;
}

async function startNode(
  t: Test,
  folder: string,
  name: string,
  flags: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Started> {
  const daemon = new Daemon(
    [
      'server',
      '--cluster=farm',
      PEERS,
      `--data-dir=${join(folder, name)}`,
      `--http-addr=127.0.0.1:${await freePort()}`,
      `--bus-addr=127.0.0.1:${await freePort()}`,
      '--log-format=text',
      '--stop-bus',
      ...flags,
    ],
    join(folder, `${name}.log`),
    environment,
  );
  t.teardown(() => daemon.kill());
  const refusal = async (): Promise<string> => {
    t.match(await daemon.ended, { code: 1 });
    return daemon.log();
  };
  return { daemon, refusal };
}

function folderOf(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-cluster-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Returns the environment of a process whose wall clock is behind. */
function clockBehind(folder: string, milliseconds: number): Readonly<Record<string, string>> {
  const file = join(folder, 'clock');
  writeFileSync(file, String(-milliseconds));
  return { NODE_OPTIONS: `--import=${SHIFTED_CLOCK}`, [CLOCK_FILE_VARIABLE]: file };
}

test('a secret that others can read is refused', { skip }, async (t) => {
  const folder = folderOf(t);
  const secret = join(folder, 'secret');
  writeFileSync(secret, await newClusterSecret(null, Date.now()));
  chmodSync(secret, 0o644);
  const { refusal } = await startNode(t, folder, 'a', ['--node=a', `--cluster-secret-file=${secret}`]);
  t.match(
    await refusal(),
    /^callsheet server: cluster\.secret_file: .* can be read by other users; run: chmod 600/m,
  );
});

test('an external server without a cluster is refused', { skip }, async (t) => {
  const server = await NatsServer.start();
  t.teardown(() => server.stop());
  const url = `--bus-url=nats://127.0.0.1:${server.port}`;
  const folder = folderOf(t);
  const silent = await startNode(t, folder, 'a', ['--node=a', url]);
  t.match(
    await silent.refusal(),
    /callsheet server: cluster\.servers_sync_always: must be true with bus\.url/,
  );
  const flags = ['--node=a', url, '--cluster-servers-sync-always=true'];
  const { refusal } = await startNode(t, folder, 'b', flags);
  t.match(await refusal(), /callsheet server: bus\.url: nats-server .* is not part of a cluster/);
});

test('a cluster runs on external servers, with one process for each name', { skip }, async (t) => {
  const folder = folderOf(t);
  const cluster = await NatsCluster.start(join(folder, 'bus'));
  t.teardown(() => cluster.stop());
  const { ca, clientCert, clientKey } = cluster.certificates;
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, `${PASSWORD}\n`, { mode: 0o600 });
  const access = [
    `--bus-url=${cluster.url}`,
    `--bus-user=${USER}`,
    `--bus-password-file=${passwordFile}`,
    `--bus-tls-ca-file=${ca}`,
    `--bus-tls-cert-file=${clientCert}`,
    `--bus-tls-key-file=${clientKey}`,
    '--cluster-servers-sync-always=true',
  ];
  const first = await startNode(t, folder, 'a', ['--node=a', ...access]);
  await first.daemon.printed(/http:\/\/\S+/);
  const twin = await startNode(t, folder, 'twin', ['--node=a', ...access]);
  t.match(
    await twin.refusal(),
    /callsheet server: another process runs as node a: give each node its own name/,
  );
  const late = await startNode(t, folder, 'b', ['--node=b', ...access], clockBehind(folder, 5000));
  t.match(
    await late.refusal(),
    /callsheet server: the clock of node b differs from other nodes by more than 2 s \(a [^)]+\): set the clocks right/,
  );
  t.equal(first.daemon.isRunning, true);
  await first.daemon.kill('SIGTERM');
});
