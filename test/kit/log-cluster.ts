import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstreamManager, type StreamInfo } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { findServerBinary } from '../../src/adapters/nats/server-binary.ts';
import type { ServerList } from '../../src/adapters/nats/server-address.ts';
import { freePort } from './nats-server.ts';

const OLDEST = { major: 2, minor: 15 };

/** Returns why this machine cannot run a cluster, or null. */
export async function clusterFault(): Promise<string | null> {
  const { version } = await findServerBinary('');
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isNew = major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor);
  return isNew
    ? null
    : `nats-server is version ${version}, and a cluster needs ${OLDEST.major}.${OLDEST.minor}`;
}

interface Server {
  readonly name: string;
  readonly port: number;
  readonly routePort: number;
}

/**
 * Three nats-servers on the loopback that flush every message before they acknowledge it. They do not tell clients of each
 * other, so that a client uses only the servers that it was given.
 */
export class LogCluster {
  readonly #folder = mkdtempSync(join(tmpdir(), 'callsheet-log-'));
  readonly #binary: string;
  readonly #servers: readonly Server[];
  readonly #running = new Map<string, ChildProcess>();

  private constructor(binary: string, servers: readonly Server[]) {
    this.#binary = binary;
    this.#servers = servers;
  }

  /** Starts the servers, and waits until they have a leader for streams. */
  static async start(): Promise<LogCluster> {
    const { path } = await findServerBinary('');
    const servers: Server[] = [];
    for (const name of ['s1', 's2', 's3'])
      servers.push({ name, port: await freePort(), routePort: await freePort() });
    const cluster = new LogCluster(path, servers);
    await Promise.all(servers.map(({ name }) => cluster.startServer(name)));
    return cluster;
  }

  get names(): readonly string[] {
    return this.#servers.map(({ name }) => name);
  }

  /** All servers; or the named ones. */
  servers(names: readonly string[] = this.names): ServerList {
    const chosen = this.#servers.filter(({ name }) => names.includes(name));
    return { servers: chosen.map(({ port }) => `127.0.0.1:${port}`), isTls: false };
  }

  /** Starts a server, and waits until it accepts clients. */
  async startServer(name: string): Promise<void> {
    const server = this.#server(name);
    const folder = join(this.#folder, name);
    mkdirSync(folder, { recursive: true });
    const config = join(folder, 'server.conf');
    writeFileSync(config, this.#configOf(server, folder));
    const child = spawn(this.#binary, ['-c', config], { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#running.set(name, child);
    await new Promise<void>((resolve, reject) => {
      let said = '';
      child.on('error', reject);
      child.on('exit', () => reject(new Error(`nats-server ended: ${said}`)));
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        said = (said + text).slice(-4000);
        if (said.includes('Server is ready')) resolve();
      });
    });
  }

  /** Kills a server with SIGKILL, like the loss of its machine. */
  async kill(name: string): Promise<void> {
    const child = this.#running.get(name);
    this.#running.delete(name);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  pause(name: string): void {
    this.#running.get(name)?.kill('SIGSTOP');
  }

  resume(name: string): void {
    this.#running.get(name)?.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    await Promise.all(this.names.map((name) => this.kill(name)));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Opens a plain connection, to inspect the log or to act as another client. */
  connect(): Promise<NatsConnection> {
    const names = [...this.#running.keys()];
    return connect({ servers: [...this.servers(names).servers], reconnect: false });
  }

  /** Returns what the leader of a stream says. */
  async info(stream: string): Promise<StreamInfo> {
    const nc = await this.connect();
    try {
      return await (await jetstreamManager(nc, { checkAPI: false })).streams.info(stream);
    } finally {
      await nc.close();
    }
  }

  #server(name: string): Server {
    const server = this.#servers.find((each) => each.name === name);
    if (server === undefined) throw new Error(`no server ${name}`);
    return server;
  }

  #configOf({ name, port, routePort }: Server, folder: string): string {
    const routes = this.#servers.map((each) => `"nats://127.0.0.1:${each.routePort}"`);
    return [
      `server_name: ${name}`,
      `listen: "127.0.0.1:${port}"`,
      'max_payload: 8MB',
      `jetstream { store_dir: "${join(folder, 'data')}", max_file_store: 8GB, sync_interval: always }`,
      `cluster { name: test, listen: "127.0.0.1:${routePort}", routes: [${routes.join(', ')}], no_advertise: true }`,
      '',
    ].join('\n');
  }
}
