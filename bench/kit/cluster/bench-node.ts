import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../../src/adapters/system/package-root.ts';

/** A report of a node, by its log. Times of `performance.now()` in this process. */
interface Reports {
  /** It prints its URL. */
  url: string | null;
  /** It owns the log. */
  ownsLogAt: number | null;
  /** Its actors have started. */
  ownsFarmsAt: number | null;
  hasEnded: boolean;
}

/** Options of a node besides its data directory. */
export interface NodeOptions {
  readonly name: string;
  readonly dataDirectory: string;
  readonly busUrl: string;
  /** Value of `cluster.peers`. */
  readonly peers: string;
  /** Added to the environment of the bench. */
  readonly environment: Readonly<Record<string, string>>;
}

/** A node of a bench's cluster: a process that can be killed and started again. */
export class BenchNode {
  readonly name: string;
  readonly #options: NodeOptions;
  #child: ChildProcess | null = null;
  #reports: Reports = noReports();
  #isEndWanted = false;
  readonly #changed: () => void;

  /** `changed` is called after each report of the node. */
  constructor(options: NodeOptions, changed: () => void) {
    this.name = options.name;
    this.#options = options;
    this.#changed = changed;
  }

  get dataDirectory(): string {
    return this.#options.dataDirectory;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get url(): string {
    if (this.#reports.url === null) throw new Error(`node ${this.name} is not ready`);
    return this.#reports.url;
  }

  get isReady(): boolean {
    return this.#reports.url !== null && !this.#reports.hasEnded;
  }

  get hasEnded(): boolean {
    return this.#reports.hasEnded;
  }

  /** Whether its process has ended by itself. */
  get hasFailed(): boolean {
    return this.#reports.hasEnded && !this.#isEndWanted;
  }

  /** When its process heard that it owns the log; null if it does not own it. */
  get ownsLogAt(): number | null {
    return this.#reports.hasEnded ? null : this.#reports.ownsLogAt;
  }

  /** When its actors had started; null if it does not own the farms. */
  get ownsFarmsAt(): number | null {
    return this.#reports.hasEnded ? null : this.#reports.ownsFarmsAt;
  }

  start(): void {
    const { name, dataDirectory, busUrl, peers, environment } = this.#options;
    const reports = noReports();
    this.#reports = reports;
    this.#isEndWanted = false;
    const child = spawn(
      process.execPath,
      [
        fileURLToPath(new URL('bin/callsheet.js', packageRoot)),
        'server',
        '--http-addr=127.0.0.1:0',
        `--data-dir=${dataDirectory}`,
        `--bus-url=${busUrl}`,
        '--cluster=bench',
        `--node=${name}`,
        `--peers=${peers}`,
        '--cluster-servers-sync-always=true',
        '--log-level=info',
        '--log-format=json',
        '--http-rate-limit-enabled=false',
      ],
      { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...environment } },
    );
    this.#child = child;
    createInterface({ input: child.stdout }).on('line', (line) => {
      reports.url ??= /http:\/\/\S+/.exec(line)?.[0] ?? null;
      this.#changed();
    });
    createInterface({ input: child.stderr }).on('line', (line) => this.#logged(reports, line));
    child.once('exit', () => {
      reports.hasEnded = true;
      this.#changed();
    });
  }

  /** Ends the process at once, without any preparation. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  /** From now on, an end of its process by itself is not a failure. */
  expectEnd(): void {
    this.#isEndWanted = true;
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === null || this.#reports.hasEnded) return;
    this.#isEndWanted = true;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }

  #logged(reports: Reports, line: string): void {
    // A node that cannot start says so in plain text.
    if (!line.startsWith('{')) {
      process.stderr.write(`node ${this.name}: ${line}\n`);
      return;
    }
    const { level, msg, state, ...others } = JSON.parse(line) as Readonly<Record<string, unknown>>;
    if (msg === STANDING && state === 'owner') reports.ownsLogAt ??= performance.now();
    else if (msg === OWNER) reports.ownsFarmsAt ??= performance.now();
    else if (level === 'ERROR')
      process.stderr.write(`node ${this.name}: ${String(msg)} ${JSON.stringify(others)}\n`);
    this.#changed();
  }
}

/** Texts of the log of a node (daemons/server/take-over.ts). */
const STANDING = 'standing of this node in its cluster';
const OWNER = 'this node owns the farms';

const noReports = (): Reports => ({ url: null, ownsLogAt: null, ownsFarmsAt: null, hasEnded: false });
