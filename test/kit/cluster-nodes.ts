import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { stopLeftServer } from '../../src/adapters/nats/managed-server.ts';
import type { WorkCause } from '../../src/core/records/work-cause.ts';
import { ApiClient } from './api-client.ts';
import { Daemon, freePort } from './daemons.ts';
import { loggedCauses } from './logged-causes.ts';
import { NODES, planCluster, type ClusterPlan, type NodeName } from './managed-cluster.ts';
import { until } from './until.ts';

const CLUSTER = 'farm';

interface Readiness {
  readonly details: { readonly cluster?: { readonly role: string } };
}

/** Returns the role of a node; null if it does not answer. */
const roleOf = async (api: ApiClient): Promise<string | null> => {
  const answer = await api.call<Readiness>('GET', '/readyz').catch(() => null);
  return answer?.body.details.cluster?.role ?? null;
};

/** A node of a cluster in its own process, with the nats-server that it supervises. */
export interface ClusterMember {
  readonly name: NodeName;
  readonly daemon: Daemon;
  readonly api: ApiClient;
}

/** Three nodes in processes of their own, on the loopback. The end of the test stops them. */
export class ClusterNodes {
  readonly #plan: ClusterPlan;
  readonly #httpPorts: Readonly<Record<NodeName, number>>;
  readonly #flags: readonly string[];
  readonly #members = new Map<NodeName, ClusterMember>();
  readonly #workers: Daemon[] = [];
  /** Path of the command with which nodes and workers are started; undefined for this version. */
  command: string | undefined;
  #isStopped = false;

  private constructor(
    plan: ClusterPlan,
    httpPorts: Readonly<Record<NodeName, number>>,
    flags: readonly string[],
  ) {
    this.#plan = plan;
    this.#httpPorts = httpPorts;
    this.#flags = flags;
  }

  /** Starts all nodes with their data in a folder, and waits until each is ready and one owns the farms. */
  static async start(
    t: Test,
    folder: string,
    flags: readonly string[] = [],
    command?: string,
  ): Promise<ClusterNodes> {
    const plan = await planCluster(folder);
    const httpPorts = { a: await freePort(), b: await freePort(), c: await freePort() };
    const nodes = new ClusterNodes(plan, httpPorts, flags);
    nodes.command = command;
    t.teardown(() => nodes.stop());
    await Promise.all(NODES.map((name) => nodes.startNode(name)));
    await nodes.owner();
    return nodes;
  }

  get all(): readonly ClusterMember[] {
    return [...this.#members.values()];
  }

  member(name: NodeName): ClusterMember {
    const member = this.#members.get(name);
    if (member === undefined) throw new Error(`node ${name} does not run`);
    return member;
  }

  /** Starts a node, and waits until it is ready. */
  async startNode(name: NodeName): Promise<ClusterMember> {
    const { folder } = this.#plan;
    mkdirSync(join(folder, `node-${name}`), { recursive: true });
    const daemon = new Daemon(
      [
        'server',
        ...this.flagsOf(name),
        `--http-addr=127.0.0.1:${this.#httpPorts[name]}`,
        '--http-rate-limit-enabled=false',
        '--log-format=text',
        '--stop-bus',
        ...this.#flags,
      ],
      join(folder, `node-${name}.log`),
      {},
      [],
      this.command,
    );
    const member = { name, daemon, api: new ApiClient(`http://127.0.0.1:${this.#httpPorts[name]}`) };
    this.#members.set(name, member);
    await daemon.printed(/http:\/\/\S+/);
    return member;
  }

  /** Returns the role of a node; null if it does not answer. */
  roleOf(name: NodeName): Promise<string | null> {
    return roleOf(this.member(name).api);
  }

  /** Waits until one of the running nodes owns the farms, and returns it. */
  owner(): Promise<ClusterMember> {
    return until('a node owns the farms', async () => {
      const running = this.all.filter(({ daemon }) => daemon.isRunning);
      const roles = await Promise.all(running.map(({ api }) => roleOf(api)));
      return running.find((_, index) => roles[index] === 'owner') ?? null;
    });
  }

  /** The running nodes without this one. */
  others(one: ClusterMember): readonly ClusterMember[] {
    return this.all.filter((member) => member !== one && member.daemon.isRunning);
  }

  /** Kills a node with SIGKILL. Its nats-server continues, as after a crash. */
  async kill(member: ClusterMember): Promise<void> {
    await member.daemon.kill();
    this.#members.delete(member.name);
  }

  /** Returns the flags with which commands on a node find its cluster and its data. */
  flagsOf(name: NodeName): readonly string[] {
    const { folder, peers, secretFile, ports } = this.#plan;
    return [
      `--cluster=${CLUSTER}`,
      `--node=${name}`,
      `--peers=${peers.map((peer) => `${peer.name}=${peer.host}:${peer.port}`).join(',')}`,
      `--cluster-secret-file=${secretFile}`,
      `--bus-addr=127.0.0.1:${ports[name]}`,
      `--data-dir=${join(folder, `node-${name}`)}`,
    ];
  }

  /** Returns the causes of all changes in the log. */
  causes(): Promise<readonly WorkCause[]> {
    const { ports, secret } = this.#plan;
    const seed = Buffer.from(secret.keys.users.streams.getSeed()).toString('utf8');
    const servers = NODES.map((name) => `127.0.0.1:${ports[name]}`);
    return loggedCauses({ servers, isTls: false, identity: { seed, jwt: null } }, CLUSTER);
  }

  /** Starts a worker that knows all servers of the bus. */
  startWorker(name: string, flags: readonly string[] = []): Daemon {
    const { folder, ports } = this.#plan;
    const worker = new Daemon(
      [
        'worker',
        `--bus-url=${NODES.map((node) => `nats://127.0.0.1:${ports[node]}`).join(',')}`,
        `--worker-name=${name}`,
        `--worker-dir=${join(folder, `worker-${name}`)}`,
        '--worker-allow-root=true',
        '--worker-drain-timeout=1s',
        '--log-format=text',
        ...flags,
      ],
      join(folder, `worker-${name}.log`),
      {},
      [],
      this.command,
    );
    this.#workers.push(worker);
    return worker;
  }

  /**
   * Stops everything, the nats-servers of killed nodes included. Call it at the end of a test: the end of the test removes its
   * folder first.
   */
  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    await Promise.all(this.#workers.map((worker) => worker.kill('SIGTERM')));
    await Promise.all(this.all.map(({ daemon }) => daemon.kill('SIGTERM')));
    const { folder } = this.#plan;
    await Promise.all(NODES.map((name) => stopLeftServer(join(folder, `node-${name}`, 'bus', 'cluster'))));
  }
}
