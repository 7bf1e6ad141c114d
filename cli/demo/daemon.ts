import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const COMMAND = fileURLToPath(new URL('../../../bin/callsheet.js', import.meta.url));
const TAIL_LINES = 15;
/** Daemons stop gracefully within 30 seconds; after this time they are killed. */
const STOP_MS_MAX = 40_000;

/** A daemon of the demo: a process of the `callsheet` command with its output in a file. */
export class Daemon {
  readonly name: string;
  readonly logFile: string;
  readonly #child: ChildProcess;
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;

  constructor(name: string, args: readonly string[], logFile: string, environment: NodeJS.ProcessEnv) {
    this.name = name;
    this.logFile = logFile;
    const log = openSync(logFile, 'a');
    // A process group of its own: Ctrl-C reaches only the demo, which stops its daemons in order.
    this.#child = spawn(process.execPath, [COMMAND, ...args], {
      stdio: ['ignore', log, log],
      env: environment,
      detached: true,
    });
    closeSync(log);
    this.ended = once(this.#child, 'exit').then(() => undefined);
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Returns the last lines of the output. */
  tail(): string {
    return readFileSync(this.logFile, 'utf8').trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
  }

  /** Asks the daemon to stop and waits until it has ended. */
  async stop(): Promise<void> {
    if (!this.isRunning) return;
    this.#child.kill('SIGTERM');
    const late = setTimeout(() => this.#child.kill('SIGKILL'), STOP_MS_MAX);
    await this.ended;
    clearTimeout(late);
  }
}
