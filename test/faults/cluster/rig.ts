import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  newClusterSecret,
  readClusterSecret,
  type ClusterSecret,
} from '../../../src/adapters/nats/authority/cluster-secret.ts';
import { ApiClient } from '../../kit/api-client.ts';
import { until } from '../../kit/until.ts';
import { ask } from './client.ts';
import { viewOf } from './final-view.ts';
import type { NodeView, Register } from './history.ts';
import { Load } from './load.ts';
import { LogLeader } from './log-leader.ts';
import { BUS_PORT, busUrls, CLUSTER, COMMAND, Machine } from './machine.ts';
import { Prober } from './prober.ts';
import { SupervisedProcess } from './supervised-process.ts';
import { SwitchedNetwork, type Host } from './switched-network.ts';

const NODES = ['n1', 'n2', 'n3'] as const;
const START_MS = 120_000;
const SETTLE_MS = 120_000;
const END_MS = 240_000;
const FARM = 'show';
const MARK = 'mark';

export interface RigOptions {
  readonly workers: number;
  /** Concurrent tasks of a worker. */
  readonly cores: number;
  /** Pause of each of three clients between two jobs. */
  readonly pauseMs: number;
  /** Folder of the images of the disks; null for the rig's own folder. */
  readonly images: string | null;
}

interface Created {
  readonly id: string;
  readonly name: string;
}

/** Three machines with a cluster, workers on machines of their own, and clients in this process. */
export class Rig {
  readonly folder: string;
  readonly network = new SwitchedNetwork();
  readonly machines: readonly Machine[];
  readonly leader: LogLeader;
  readonly #options: RigOptions;
  readonly #hosts: ReadonlyMap<string, Host>;
  readonly #workers: SupervisedProcess[] = [];
  #probers: readonly Prober[] = [];
  #load: Load | null = null;
  #mark: Created = { id: '', name: MARK };
  #marks = 0;

  private constructor(folder: string, secretFile: string, secret: ClusterSecret, options: RigOptions) {
    this.folder = folder;
    this.#options = options;
    this.#hosts = new Map(NODES.map((name) => [name, this.network.add(name)]));
    const machineOptions = { folder, images: options.images ?? folder, secretFile, hosts: this.#hosts };
    this.machines = [...this.#hosts].map(([name, host]) => new Machine(name, host, machineOptions));
    const servers = [...this.#hosts].map(([name, { ip }]) => [name, `${ip}:${BUS_PORT}`] as const);
    this.leader = new LogLeader(CLUSTER, new Map(servers), secret.keys.users.streams.getSeed());
  }

  /** Resolves when the workers are online and the clients work. */
  static async start(options: RigOptions): Promise<Rig> {
    const folder = mkdtempSync(join(tmpdir(), 'callsheet-cluster-faults-'));
    const secretFile = join(folder, 'cluster.secret');
    writeFileSync(secretFile, await newClusterSecret(null, Date.now()), { mode: 0o600 });
    const rig = new Rig(folder, secretFile, await readClusterSecret(secretFile), options);
    for (const machine of rig.machines) machine.start();
    const owner = await until('a node owns the farms', () => rig.owner(), START_MS);
    await rig.#populate(owner);
    for (let index = 0; index < options.workers; index++) rig.#startWorker(`w${index}`);
    await until('the workers are online', () => rig.#areWorkersOnline(owner), START_MS);
    rig.#load?.start();
    for (const prober of rig.#probers) prober.start();
    return rig;
  }

  /** File of the records of all tasks. */
  get recordFile(): string {
    return join(this.folder, 'record.txt');
  }

  get load(): Load {
    if (this.#load === null) throw new Error('the rig has not started');
    return this.#load;
  }

  /** Returns the machine whose node owns the farms according to the logs, or null. */
  owner(): Machine | null {
    let best: { readonly machine: Machine; readonly epoch: number } | null = null;
    for (const machine of this.machines) {
      const standing = machine.log.standing();
      if (!machine.node.isRunning || standing === null) continue;
      if (standing.state === 'owner' && standing.epoch > (best?.epoch ?? 0))
        best = { machine, epoch: standing.epoch };
    }
    return best?.machine ?? null;
  }

  machine(name: string): Machine {
    const found = this.machines.find((machine) => machine.name === name);
    if (found === undefined) throw new Error(`no machine ${name}`);
    return found;
  }

  readonly others = (machine: Machine): Machine[] => this.machines.filter((each) => each !== machine);

  get takeovers(): number {
    return this.machines.reduce((sum, { log }) => sum + log.takeovers(), 0);
  }

  /** Returns the time of the first acknowledgement of a write that was sent after this moment, through any node. */
  firstAckSince(moment: number): number | null {
    const acks = this.#probers.flatMap((prober) => prober.firstAckSince(moment)?.at ?? []);
    return acks.length === 0 ? null : Math.min(...acks);
  }

  /** Resolves when a write is acknowledged and every node knows it. Throws after two minutes. */
  async settle(): Promise<void> {
    const value = String(++this.#marks);
    const { id, name } = this.#mark;
    await until('a write is acknowledged', () => this.#isWritten(id, name, value), SETTLE_MS);
    for (const { name: node, url } of this.machines) {
      await until(
        `${node} has the last write`,
        async () => {
          const answer = await ask(`${url}/api/v1/queues/${id}`);
          return answer?.status === 200 && (answer.body as { description: string }).description === value;
        },
        SETTLE_MS,
      );
    }
  }

  /** Stops the clients, waits until every job has ended, and asks every node. Returns also what has not ended in time. */
  async finish(): Promise<{ readonly views: readonly NodeView[]; readonly registers: readonly Register[] }> {
    await Promise.all([this.load.stop(), ...this.#probers.map((prober) => prober.stop())]);
    await this.settle();
    const [first] = this.machines;
    if (first === undefined) throw new Error('a rig has machines');
    const api = new ApiClient(first.url);
    await until('all jobs have ended', () => hasNoOpenJob(api), END_MS).catch(() => {
      // The checker names each job that has not ended.
    });
    await this.settle();
    const views: NodeView[] = [];
    for (const { name, url } of this.machines) views.push(await viewOf(name, url));
    return { views, registers: this.#probers.map((prober) => prober.register()) };
  }

  /** Ends all processes. `keepFolder` leaves logs and disks for a look at what went wrong. */
  async close(keepFolder: boolean): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.holdDown()));
    await Promise.all(this.machines.map((machine) => machine.kill()));
    for (const machine of this.machines) machine.disk.close();
    if (!keepFolder) rmSync(this.folder, { recursive: true, force: true });
  }

  async #populate(owner: Machine): Promise<void> {
    const api = new ApiClient(owner.url);
    const farm = await until('the first farm is made', () => api.makeFarm(FARM).catch(() => null));
    const queue = (name: string): Promise<Created> =>
      api.must<Created>('POST', '/api/v1/queues', { farm_id: farm.farmId, name });
    this.#mark = await queue(MARK);
    const probers: Prober[] = [];
    for (const { name, url } of this.machines)
      probers.push(new Prober(name, url, await queue(`register-${name}`)));
    this.#probers = probers;
    this.#load = new Load(this.machines, {
      farmId: farm.farmId,
      queueId: farm.queueId,
      recordFile: this.recordFile,
      pauseMs: this.#options.pauseMs,
    });
  }

  #startWorker(name: string): void {
    const { launcher } = this.network.add(name);
    const worker = new SupervisedProcess(
      [
        ...launcher,
        process.execPath,
        COMMAND,
        'worker',
        `--bus-url=${busUrls(this.#hosts.values())}`,
        `--worker-name=${name}`,
        `--worker-dir=${join(this.folder, name)}`,
        `--worker-cpus=${this.#options.cores}`,
        '--worker-allow-root=true',
        '--log-format=json',
      ],
      join(this.folder, `worker-${name}.log`),
    );
    worker.start();
    this.#workers.push(worker);
  }

  async #areWorkersOnline({ url }: Machine): Promise<boolean> {
    const answer = await ask(`${url}/api/v1/workers?limit=100`);
    if (answer?.status !== 200) return false;
    const { items } = answer.body as { items: { status: string }[] };
    return items.filter(({ status }) => status === 'online').length === this.#options.workers;
  }

  async #isWritten(id: string, name: string, value: string): Promise<boolean> {
    const body = { name, description: value };
    const answers = await Promise.all(
      this.machines.map(({ url }) => ask(`${url}/api/v1/queues/${id}`, { method: 'PUT', body })),
    );
    return answers.some((answer) => answer?.status === 200);
  }
}

async function hasNoOpenJob(api: ApiClient): Promise<boolean> {
  for (const status of ['pending', 'running', 'blocked', 'paused']) {
    const { total } = await api.must<{ total: number }>('GET', `/api/v1/jobs?status=${status}&limit=1`);
    if (total > 0) return false;
  }
  return true;
}
