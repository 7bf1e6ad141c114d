import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import type { ServerList } from '../../src/adapters/nats/server-address.ts';

/** Returns a free loopback port. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  server.close();
  await once(server, 'close');
  return port;
}

/** A nats-server with JetStream in a folder of its own. */
export class NatsServer {
  readonly port: number;
  readonly servers: ServerList;
  readonly #folder: string;
  readonly #config: readonly string[] | null;
  #child: ChildProcess | null = null;

  private constructor(port: number, folder: string, config: readonly string[] | null) {
    this.#config = config;
    this.port = port;
    this.servers = { servers: [`127.0.0.1:${port}`], isTls: false };
    this.#folder = folder;
  }

  /** `config` replaces the lines of the configuration that enable JetStream. */
  static async start(config: readonly string[] | null = null): Promise<NatsServer> {
    const server = await NatsServer.prepare(config);
    await server.restart();
    return server;
  }

  /** Creates everything except the process, which `restart` starts. */
  static async prepare(config: readonly string[] | null = null): Promise<NatsServer> {
    return new NatsServer(await freePort(), mkdtempSync(join(tmpdir(), 'callsheet-nats-')), config);
  }

  /** Starts the server again on the same port, with its stored data. */
  async restart(): Promise<void> {
    const config = join(this.#folder, 'server.conf');
    const lines = this.#config ?? [
      `jetstream { store_dir: "${join(this.#folder, 'store')}", max_file_store: 8GB }`,
    ];
    writeFileSync(config, [`listen: "127.0.0.1:${this.port}"`, ...lines, ''].join('\n'));
    const child = spawn('nats-server', ['-c', config], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` },
    });
    this.#child = child;
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

  /** Kills the server with SIGKILL, like a crash. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  /** Suspends the server with SIGSTOP, like a machine that hangs. `kill` ends it. */
  async freeze(): Promise<void> {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    process.kill(pid, 'SIGSTOP');
    const isStopped = (): boolean => /\) T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    while (!isStopped()) await new Promise(setImmediate);
  }

  /** Deletes all streams, like a lost disk. The server must not be running. */
  wipe(): void {
    rmSync(join(this.#folder, 'store'), { recursive: true, force: true });
  }

  /** Stops the server and removes its folder. */
  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Opens a plain NATS connection, to inspect the server or to act as another client. */
  connect(): Promise<NatsConnection> {
    return connect({ servers: [...this.servers.servers], reconnect: false });
  }
}
