import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from '@nats-io/transport-node';
import { requestHandOver } from '../../../src/adapters/nats/hand-over.ts';
import { benchDirectory } from '../service.ts';
import { BenchNode } from './bench-node.ts';
import { startBusServers, type BusServer, type BusServers } from './bus-servers.ts';

const NODES = 3;
const READY_MS = 60_000;
const LOOK_MS = 50;

/** Name of the cluster of a bench (`cluster.name`). */
export const BENCH_CLUSTER = 'bench';

/** Resolves when the node is ready: before that, messages of workers have no stream. */
async function untilServes(url: string): Promise<void> {
  const deadline = performance.now() + READY_MS;
  while (!(await fetch(`${url}/readyz`)).ok) {
    if (performance.now() > deadline) throw new Error(`${url} was not ready in time`);
    await delay(LOOK_MS);
  }
}

/** Three nodes and three nats-servers on this machine, without credentials. */
export class BenchCluster {
  readonly nodes: readonly BenchNode[];
  readonly #directory: string;
  readonly #bus: BusServers;
  #waiting: {
    readonly isTrue: () => boolean;
    readonly resolve: () => void;
    readonly reject: (error: Error) => void;
  }[] = [];

  private constructor(directory: string, bus: BusServers, environment: Readonly<Record<string, string>>) {
    this.#directory = directory;
    this.#bus = bus;
    const names = Array.from({ length: NODES }, (_, at) => `n${at + 1}`);
    const peers = names.map((name, at) => `${name}=127.0.0.1:${bus.servers[at]?.routePort ?? 0}`).join(',');
    this.nodes = names.map(
      (name) =>
        new BenchNode(
          { name, dataDirectory: join(directory, name), busUrl: bus.url, peers, environment },
          () => this.#changed(),
        ),
    );
  }

  /**
   * Starts a cluster. `prepare` may fill the data directories of the nodes before they start, and use the bus. Resolves
   * when all nodes are ready and one of them owns the farms.
   */
  static async start(
    prepare: (directories: readonly string[], bus: BusServers) => Promise<void> = async () => undefined,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<BenchCluster> {
    const directory = await benchDirectory();
    const bus = await startBusServers(directory, NODES);
    const cluster = new BenchCluster(directory, bus, environment);
    try {
      for (const { dataDirectory } of cluster.nodes) await mkdir(dataDirectory);
      await prepare(
        cluster.nodes.map(({ dataDirectory }) => dataDirectory),
        bus,
      );
      for (const node of cluster.nodes) node.start();
      await cluster.until(() => cluster.nodes.every(({ isReady }) => isReady));
      await untilServes((await cluster.owner()).url);
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  get servers(): readonly BusServer[] {
    return this.#bus.servers;
  }

  /** Ports at which workers reach the bus. */
  get busPorts(): readonly number[] {
    return this.#bus.servers.map(({ port }) => port);
  }

  /** Resolves with the node that owns the farms, as soon as there is one. */
  async owner(): Promise<BenchNode> {
    const find = (): BenchNode | undefined => this.nodes.find(({ ownsFarmsAt }) => ownsFarmsAt !== null);
    await this.until(() => find() !== undefined);
    const owner = find();
    if (owner === undefined) throw new Error('the cluster has lost its owner');
    return owner;
  }

  /** Asks the owner to hand the log over to another node. Throws if it does not. */
  async requestHandOver(): Promise<void> {
    const streams = await connect({ servers: this.busPorts.map((port) => `127.0.0.1:${port}`) });
    try {
      const { is_accepted: isAccepted, text } = await requestHandOver(streams, BENCH_CLUSTER, null);
      if (!isAccepted) throw new Error(text);
    } finally {
      await streams.close();
    }
  }

  /** Resolves when a condition on the reports of the nodes holds. */
  until(isTrue: () => boolean): Promise<void> {
    if (isTrue()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('the cluster was not ready in time')), READY_MS);
      this.#waiting.push({
        isTrue,
        resolve: () => {
          clearTimeout(timer);
          resolve();
        },
        reject: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      });
    });
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
    await this.#bus.stop();
    await rm(this.#directory, { recursive: true, force: true });
  }

  #changed(): void {
    const failed = this.nodes.find(({ hasFailed }) => hasFailed);
    if (failed !== undefined) {
      for (const { reject } of this.#waiting.splice(0)) reject(new Error(`node ${failed.name} has ended`));
      return;
    }
    const due = this.#waiting.filter(({ isTrue }) => isTrue());
    this.#waiting = this.#waiting.filter((each) => !due.includes(each));
    for (const { resolve } of due) resolve();
  }
}
