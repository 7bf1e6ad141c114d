import { spawn, type ChildProcess } from 'node:child_process';
import { LineAssembler } from './line-assembler.ts';
import { PROCESS_LIMITS } from './limits.ts';
import { startOf } from './process-tree.ts';
import { programFile } from './program-file.ts';

const COMMAND_PATH = '/usr/local/bin:/usr/bin:/bin';

/** `guarding`: it watches. `fenced`: it has killed, or is killing, what it guards. `lost`: it is gone, nobody watches. */
export type SupervisorState = 'guarding' | 'fenced' | 'lost';

/** Where supervisor.sh lies. */
export const supervisorScript = (): string => programFile('supervisor.sh');

export interface SupervisorOptions {
  /** Where supervisor.sh lies. */
  readonly script: string;
  /** An entry `NAME=value` that all processes which it guards have in their environment. */
  readonly marker: string;
  /** The control group that holds them; null for none. */
  readonly cgroup: string | null;
  /** Without a beat for this long it kills them. */
  readonly beatTimeoutSeconds: number;
  /** How much longer they may run without another word of the service, in milliseconds; null for no limit. Told with each beat. */
  readonly contactLeftMs: () => number | null;
  /** It has ended unasked, and may have killed what it guards or not. */
  readonly onGone: () => void;
}

/**
 * The daemon's side of supervisor.sh: starts it, feeds it beats, and asks it whether it has killed what it guards.
 * One for each session, from before its first process to after its last.
 */
export class Supervisor {
  /** When it was started (see `startOf`): before all that it guards. */
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
      // The supervisor is gone: the end of its output says so.
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

  /** Starts a supervisor. Nothing may be started before `state()` has given `guarding`. */
  static start(options: SupervisorOptions): Supervisor {
    const { script, marker, beatTimeoutSeconds, cgroup } = options;
    const child: ChildProcess = spawn('bash', [script, marker, String(beatTimeoutSeconds), cgroup ?? ''], {
      cwd: '/',
      env: { PATH: COMMAND_PATH, LC_ALL: 'C' },
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    return new Supervisor(child, options);
  }

  /** Tells it that the daemon runs, and how much longer the contact lasts: by itself now and then, and at once when that has changed. */
  beat(): void {
    const leftMs = this.contactLeftMs();
    this.say(leftMs === null ? 'beat' : `beat ${Math.max(0, Math.floor(leftMs))}`);
  }

  /** The process group of the running action; null for none. */
  guardGroup(group: number | null): void {
    this.say(`group ${group ?? 0}`);
  }

  /** False once it is known to guard no more; `state` asks it. */
  get isGuarding(): boolean {
    return !this.gone && !this.fenced;
  }

  /** Asks it. Resolves once it has answered, ended or kept silent for `PROCESS_LIMITS.supervisorAnswerMs`. */
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

  /** There is nothing to guard any more. */
  end(): void {
    this.ending = true;
    clearInterval(this.beats);
    this.say('end');
    this.child.stdin?.end();
    this.child.unref();
  }

  /** The supervisor's own process, or null when it could not be started. */
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
