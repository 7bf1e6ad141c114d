import { readFileSync, writeFileSync } from 'node:fs';
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
  readonly secretFile: string;
  /** Machines of the cluster by name of their node. */
  readonly hosts: ReadonlyMap<string, Host>;
}

/** A machine of the cluster: its own network, its own disk, and a node of the service with its nats-server. */
export class Machine {
  readonly name: string;
  readonly host: Host;
  readonly disk: LossyDisk;
  readonly url: string;
  readonly node: SupervisedProcess;
  readonly log: NodeLog;
  readonly #clockFile: string;

  constructor(name: string, host: Host, options: MachineOptions) {
    const { folder, images } = options;
    this.name = name;
    this.host = host;
    this.#clockFile = join(folder, `clock-${name}`);
    this.shiftClock(0);
    this.url = `http://${host.ip}:${HTTP_PORT}`;
    this.disk = new LossyDisk(join(folder, `disk-${name}`), join(images, `${name}.img`), DISK_BYTES);
    const logFile = join(folder, `node-${name}.log`);
    this.log = new NodeLog(logFile);
    this.node = new SupervisedProcess(
      [...host.launcher, process.execPath, COMMAND, ...nodeArguments(this, options)],
      logFile,
      { NODE_OPTIONS: `--import=${CLOCK}`, [CLOCK_FILE_VARIABLE]: this.#clockFile },
    );
    this.node.onStart = () => this.log.forget();
  }

  start(): void {
    this.node.start();
  }

  /** Kills the nats-server. The node starts it again. */
  killBus(): void {
    for (const pid of this.#processes()) if (isBus(pid)) killIfThere(pid);
  }

  /** Ends all processes of the machine, and does not start them again until `start`. */
  async kill(): Promise<void> {
    await this.node.holdDown();
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

  /** Sends a signal to all processes of the machine. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    for (const pid of this.#processes()) process.kill(pid, signal);
  }

  /** Shifts the wall clock of the node, as its process sees it. */
  shiftClock(milliseconds: number): void {
    writeFileSync(this.#clockFile, String(milliseconds));
  }

  #processes(): readonly number[] {
    return command('ip', 'netns', 'pids', this.host.namespace).split('\n').filter(Boolean).map(Number);
  }
}

const isBus = (pid: number): boolean => readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'nats-server';

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'ESRCH') throw error;
  }
}

/** Addresses of all servers of the bus, as `bus.url`. */
export const busUrls = (hosts: Iterable<Host>): string =>
  [...hosts].map(({ ip }) => `nats://${ip}:${BUS_PORT}`).join(',');

const nodeArguments = (
  { name, disk, host }: Machine,
  { secretFile, hosts }: MachineOptions,
): readonly string[] => [
  'server',
  `--http-addr=0.0.0.0:${HTTP_PORT}`,
  '--http-allowed-hosts=*',
  '--http-rate-limit-enabled=false',
  `--data-dir=${join(disk.path, 'data')}`,
  '--log-format=json',
  `--bus-addr=${host.ip}:${BUS_PORT}`,
  `--cluster=${CLUSTER}`,
  `--node=${name}`,
  `--peers=${[...hosts].map(([peer, { ip }]) => `${peer}=${ip}:${ROUTE_PORT}`).join(',')}`,
  `--cluster-secret-file=${secretFile}`,
];
