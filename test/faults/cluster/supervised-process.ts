import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';

/** As a service manager with a delay of one second between the end of a process and its next start. */
const RESTART_MS = 1000;

/** A process that is started again whenever it ends, until it is held down. */
export class SupervisedProcess {
  readonly #command: readonly [string, ...string[]];
  readonly #logFile: string;
  readonly #environment: Readonly<Record<string, string>>;
  #child: ChildProcess | null = null;
  #isWanted = false;
  #timer: NodeJS.Timeout | null = null;
  /** Number of times that the process ended by itself. */
  ends = 0;
  /** Called before each start. */
  onStart: () => void = () => undefined;

  constructor(
    programAndArguments: readonly [string, ...string[]],
    logFile: string,
    environment: Readonly<Record<string, string>> = {},
  ) {
    this.#command = programAndArguments;
    this.#logFile = logFile;
    this.#environment = environment;
  }

  get isRunning(): boolean {
    return this.#child !== null;
  }

  /** Starts the process; without effect if it is running. */
  start(): void {
    this.#isWanted = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#child !== null) return;
    this.onStart();
    const [program, ...args] = this.#command;
    const log = openSync(this.#logFile, 'a');
    const child = spawn(program, args, {
      stdio: ['ignore', log, log],
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...this.#environment },
    });
    closeSync(log);
    this.#child = child;
    child.on('exit', () => {
      this.#child = null;
      if (!this.#isWanted) return;
      this.ends++;
      this.#timer = setTimeout(() => this.start(), RESTART_MS);
    });
  }

  /** Kills the process and does not start it again until `start`. Resolves when it has ended. */
  async holdDown(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    this.#isWanted = false;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const child = this.#child;
    if (child === null) return;
    const exit = once(child, 'exit');
    child.kill(signal);
    // A stopped process ends by SIGKILL only.
    await exit;
  }

  /** Sends a signal that does not end the process: SIGSTOP, SIGCONT. */
  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }
}
