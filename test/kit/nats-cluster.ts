import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { makeCertificates, type Certificates } from './certificates.ts';
import { freePort } from './daemons.ts';

export const USER = 'farm';
export const PASSWORD = 'correct horse';

interface Node {
  readonly name: string;
  readonly port: number;
  readonly routePort: number;
}

/** A cluster of three nats-servers on the loopback, with TLS, client certificates and a user. */
export class NatsCluster {
  readonly certificates: Certificates;
  readonly nodes: readonly Node[];
  readonly #folder: string;
  readonly #running = new Map<string, ChildProcess>();

  private constructor(folder: string, nodes: readonly Node[]) {
    this.#folder = folder;
    this.nodes = nodes;
    this.certificates = makeCertificates(folder);
  }

  /** Starts the servers in a folder. They may not have elected their leader yet. */
  static async start(folder: string): Promise<NatsCluster> {
    mkdirSync(folder, { recursive: true });
    const nodes: Node[] = [];
    for (const name of ['n1', 'n2', 'n3'])
      nodes.push({ name, port: await freePort(), routePort: await freePort() });
    const cluster = new NatsCluster(folder, nodes);
    for (const { name } of nodes) cluster.startNode(name);
    return cluster;
  }

  /** `bus.url` of the cluster. */
  get url(): string {
    return this.nodes.map(({ port }) => `tls://127.0.0.1:${port}`).join(',');
  }

  startNode(name: string): void {
    const node = this.nodes.find((each) => each.name === name);
    if (node === undefined) throw new Error(`no node ${name}`);
    const config = join(this.#folder, `${name}.conf`);
    writeFileSync(config, this.#configOf(node));
    const child = spawn('nats-server', ['-c', config], {
      stdio: 'ignore',
      env: { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` },
    });
    this.#running.set(name, child);
  }

  /** Kills a server with SIGKILL, like the loss of its host. */
  async killNode(name: string): Promise<void> {
    const child = this.#running.get(name);
    this.#running.delete(name);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map(({ name }) => this.killNode(name)));
  }

  log(name: string): string {
    return readFileSync(join(this.#folder, `${name}.log`), 'utf8');
  }

  /** Opens a plain connection to a running server, to inspect the cluster. */
  connect(): Promise<NatsConnection> {
    const { ca, clientCert, clientKey } = this.certificates;
    return connect({
      servers: this.nodes
        .filter(({ name }) => this.#running.has(name))
        .map(({ port }) => `127.0.0.1:${port}`),
      user: USER,
      pass: PASSWORD,
      tls: { caFile: ca, certFile: clientCert, keyFile: clientKey },
      reconnect: false,
    });
  }

  #configOf({ name, port, routePort }: Node): string {
    const { ca, serverCert, serverKey } = this.certificates;
    const routes = this.nodes.map((node) => `"nats://127.0.0.1:${node.routePort}"`);
    return [
      `server_name: ${name}`,
      `listen: "127.0.0.1:${port}"`,
      `log_file: "${join(this.#folder, `${name}.log`)}"`,
      'max_payload: 8MB',
      `jetstream { store_dir: "${join(this.#folder, name)}", max_file_store: 8GB }`,
      `cluster { name: test, listen: "127.0.0.1:${routePort}", routes: [${routes.join(', ')}] }`,
      `tls { cert_file: "${serverCert}", key_file: "${serverKey}", ca_file: "${ca}", verify: true }`,
      `authorization { users: [{ user: "${USER}", password: "${PASSWORD}" }] }`,
      '',
    ].join('\n');
  }
}
