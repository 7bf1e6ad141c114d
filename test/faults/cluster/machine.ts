import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../../src/adapters/system/package-root.ts';
import { until } from '../../kit/until.ts';
import { command } from './commands.ts';
import { LossyDisk } from './lossy-disk.ts';
import { NodeLog } from './node-log.ts';
import { CLOCK_FILE_VARIABLE } from './programs/shifted-clock.ts';
import { SupervisedProcess } from './supervised-process.ts';
import type { Host } from './switched-network.ts';

export const COMMAND = fileURLToPath(new URL('bin/callsheet.js', packageRoot));
const CLOCK = new URL('programs/shifted-clock.js', import.meta.url).href;
export const CLUSTER = 'rig';
export const BUS_PORT = 4222;
const ROUTE_PORT = 6222;
const HTTP_PORT = 8080;
/** Sparse. The streams of the bus reserve more than they use. */
const DISK_BYTES = 3 * 2 ** 30;

export interface MachineOptions {
  readonly folder: string;
  /** Folder of the images of the disks. */
  readonly images: string;
  readonly busProgram: string;
  /** Machines of the cluster by name of their node. */
  readonly hosts: ReadonlyMap<string, Host>;
}

/** A machine of the cluster: its own network, its own disk, a nats-server and a node of the service. */
export class Machine {
  readonly name: string;
  readonly host: Host;
  readonly disk: LossyDisk;
  readonly url: string;
  readonly bus: SupervisedProcess;
  readonly node: SupervisedProcess;
  readonly log: NodeLog;
  readonly #clockFile: string;

  constructor(name: string, host: Host, options: MachineOptions) {
    const { folder, images, hosts } = options;
    this.name = name;
    this.#clockFile = join(folder, `clock-${name}`);
    this.shiftClock(0);
    this.host = host;
    this.url = `http://${host.ip}:${HTTP_PORT}`;
    this.disk = new LossyDisk(join(folder, `disk-${name}`), join(images, `${name}.img`), DISK_BYTES);
    const config = join(folder, `${name}.conf`);
    writeFileSync(config, busConfig(this, [...hosts.values()]));
    this.bus = new SupervisedProcess(
      [...start(host), options.busProgram, '-c', config],
      join(folder, `bus-${name}.log`),
    );
    const logFile = join(folder, `node-${name}.log`);
    this.log = new NodeLog(logFile);
    this.node = new SupervisedProcess(
      [...start(host), process.execPath, COMMAND, ...nodeArguments(this, hosts)],
      logFile,
      { NODE_OPTIONS: `--import=${CLOCK}`, [CLOCK_FILE_VARIABLE]: this.#clockFile },
    );
    this.node.onStart = () => this.log.forget();
  }

  start(): void {
    this.bus.start();
    this.node.start();
  }

  /** Ends all processes of the machine, and does not start them again until `start`. */
  async kill(): Promise<void> {
    await Promise.all([this.node.holdDown(), this.bus.holdDown()]);
    for (const pid of this.#processes()) killIfThere(pid);
    await until('the processes of the machine have ended', () => this.#processes().length === 0);
  }

  /** Stops everything on the machine at one moment, and loses what was not flushed. `powerUp` starts it again. */
  async losePower(): Promise<void> {
    this.signal('SIGSTOP');
    this.disk.losePower();
    await this.kill();
  }

  powerUp(): void {
    this.disk.restore();
    this.start();
  }

  /** Sends a signal to nats-server and node. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.bus.signal(signal);
    this.node.signal(signal);
  }

  /** Shifts the wall clock of the node, as its process sees it. */
  shiftClock(milliseconds: number): void {
    writeFileSync(this.#clockFile, String(milliseconds));
  }

  #processes(): readonly number[] {
    return command('ip', 'netns', 'pids', this.host.namespace).split('\n').filter(Boolean).map(Number);
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'ESRCH') throw error;
  }
}

const start = ({ launcher }: Host): [string, ...string[]] => {
  const [program = '', ...rest] = launcher;
  return [program, ...rest];
};

/** Addresses of all servers of the bus, as `bus.url`. */
export const busUrls = (hosts: Iterable<Host>): string =>
  [...hosts].map(({ ip }) => `nats://${ip}:${BUS_PORT}`).join(',');

const nodeArguments = ({ name, disk }: Machine, hosts: ReadonlyMap<string, Host>): readonly string[] => [
  'server',
  `--http-addr=0.0.0.0:${HTTP_PORT}`,
  '--http-allowed-hosts=*',
  '--http-rate-limit-enabled=false',
  `--data-dir=${join(disk.path, 'data')}`,
  '--log-format=json',
  `--bus-url=${busUrls(hosts.values())}`,
  `--cluster=${CLUSTER}`,
  `--node=${name}`,
  `--peers=${[...hosts].map(([peer, { ip }]) => `${peer}=${ip}:${ROUTE_PORT}`).join(',')}`,
];

const busConfig = ({ name, host, disk }: Machine, hosts: readonly Host[]): string =>
  [
    `server_name: ${name}`,
    `listen: "${host.ip}:${BUS_PORT}"`,
    'max_payload: 8MB',
    `jetstream { store_dir: "${join(disk.path, 'bus')}", max_file_store: 8GB, sync_interval: always }`,
    `cluster { name: ${CLUSTER}, listen: "${host.ip}:${ROUTE_PORT}", routes: [${hosts
      .map(({ ip }) => `"nats://${ip}:${ROUTE_PORT}"`)
      .join(', ')}] }`,
    '',
  ].join('\n');
