import { spawn, type ChildProcess } from 'node:child_process';
import { LineAssembler } from './line-assembler.ts';
import { PROCESS_LIMITS } from './limits.ts';
import { startOf } from './process-tree.ts';
import { programFile } from './program-file.ts';

const COMMAND_PATH = '/usr/local/bin:/usr/bin:/bin';

/** `guarding`: it watches. `fenced`: it has killed, or is killing, the processes it guards. `lost`: it has exited. */
export type SupervisorState = 'guarding' | 'fenced' | 'lost';

/** Returns the path of supervisor.sh. */
export const supervisorScript = (): string => programFile('supervisor.sh');

export interface SupervisorOptions {
  /** Path of supervisor.sh. */
  readonly script: string;
  /** An entry `NAME=value` in the environment of all processes that it guards. */
  readonly marker: string;
  /** The control group that contains them; null for none. */
  readonly cgroup: string | null;
  /** Control groups with limits, which it removes after killing. Absent means none. */
  readonly groups?: readonly string[];
  /** Time without a heartbeat after which it kills them. */
  readonly beatTimeoutSeconds: number;
  /**
   * Time that they may still run without contact with the service, in milliseconds; null for no limit. Sent with each
   * heartbeat.
   */
  readonly contactLeftMs: () => number | null;
  /** It has exited unexpectedly, and may have killed the processes it guards. */
  readonly onGone: () => void;
}

/**
 * The agent's side of supervisor.sh: starts it, sends it heartbeats, and asks it whether it has killed the processes it
 * guards. One per session, from before its first process to after its last.
 *
 * - States: `guarding`, `fenced`, `lost` (`SupervisorState`).
 * - Invariants: a process is started only after `state()` has returned `guarding`.
 * - Exits: `end`, a missed heartbeat, or an unexpected exit, which calls `onGone`.
 */
export class Supervisor {
  /** Its start time (see `startOf`): before all processes that it guards. */
  readonly startedAt: number | null;
  private readonly child: ChildProcess;
  private readonly beats: NodeJS.Timeout;
  private fenced = false;
  private gone = false;
  private ending = false;
  private asked = 0;
  private readonly waiting = new Map<number, (state: SupervisorState) => void>();
  private readonly contactLeftMs: () => number | null;
  private readonly onGone: () => void;

  private constructor(child: ChildProcess, { contactLeftMs, onGone }: SupervisorOptions) {
    this.child = child;
    this.startedAt = child.pid === undefined ? null : startOf(child.pid);
    this.onGone = onGone;
    this.contactLeftMs = contactLeftMs;
    this.beats = setInterval(() => this.beat(), PROCESS_LIMITS.beatMs);
    this.beat();
    child.stdin?.on('error', () => {
      // The end of its output means that the supervisor has exited.
    });
    const lines = new LineAssembler(PROCESS_LIMITS.lineBytes);
    child.stdout?.on('data', (bytes: Buffer) => {
      for (const line of lines.push(bytes)) this.heard(line);
    });
    child.stdout?.on('error', () => {
      this.ended();
    });
    child.stdout?.on('close', () => {
      this.ended();
    });
    child.on('error', () => {
      this.ended();
    });
  }

  /** Starts a supervisor. No process may be started before `state()` has returned `guarding`. */
  static start(options: SupervisorOptions): Supervisor {
    const { script, marker, beatTimeoutSeconds, cgroup, groups = [] } = options;
    const args = [script, marker, String(beatTimeoutSeconds), cgroup ?? '', ...groups];
    const child: ChildProcess = spawn('bash', args, {
      cwd: '/',
      env: { PATH: COMMAND_PATH, LC_ALL: 'C' },
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    return new Supervisor(child, options);
  }

  /** Sends a heartbeat with the remaining contact time: periodically, and immediately when that time has changed. */
  beat(): void {
    const leftMs = this.contactLeftMs();
    this.say(leftMs === null ? 'beat' : `beat ${Math.max(0, Math.floor(leftMs))}`);
  }

  /** Sets the process group of the running action; null for none. */
  guardGroup(group: number | null): void {
    this.say(`group ${group ?? 0}`);
  }

  /** False once it is known to have stopped guarding; `state` asks it. */
  get isGuarding(): boolean {
    return !this.gone && !this.fenced;
  }

  /**
   * Asks it for its state. Resolves once it has answered, exited or not answered for
   * `PROCESS_LIMITS.supervisorAnswerMs`.
   */
  async state(): Promise<SupervisorState> {
    if (this.fenced) return 'fenced';
    if (this.gone) return 'lost';
    const question = ++this.asked;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.answer(question, 'lost');
      }, PROCESS_LIMITS.supervisorAnswerMs);
      this.waiting.set(question, (state) => {
        clearTimeout(timer);
        resolve(state);
      });
      this.say(`ask ${question}`);
    });
  }

  /** Stops it: there are no more processes to guard. */
  end(): void {
    this.ending = true;
    clearInterval(this.beats);
    this.say('end');
    this.child.stdin?.end();
    this.child.unref();
  }

  /** The supervisor's own process, or null if it could not be started. */
  get pid(): number | null {
    return this.child.pid ?? null;
  }

  private say(line: string): void {
    if (!this.gone) this.child.stdin?.write(`${line}\n`);
  }

  private heard(line: string): void {
    if (line === 'fenced') {
      this.fenced = true;
      this.answerAll('fenced');
    } else {
      this.answer(Number(line.replace('guarding ', '')), 'guarding');
    }
  }

  private ended(): void {
    if (this.gone) return;
    this.gone = true;
    clearInterval(this.beats);
    this.answerAll(this.fenced ? 'fenced' : 'lost');
    if (!this.ending) this.onGone();
  }

  private answerAll(state: SupervisorState): void {
    for (const question of [...this.waiting.keys()]) this.answer(question, state);
  }

  private answer(question: number, state: SupervisorState): void {
    const resolve = this.waiting.get(question);
    this.waiting.delete(question);
    resolve?.(state);
  }
}
