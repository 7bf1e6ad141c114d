import type { SessionId } from '../../core/ids.ts';
import type {
  ActionEnd,
  ActionStart,
  SessionClosing,
  SessionOpening,
  TaskProcesses,
  TaskProcessEvents,
} from '../../core/ports/task-processes.ts';

export interface SimulationSettings {
  /** Average duration of a task. */
  readonly taskMs: number;
  /** Percentage of failing tasks. */
  readonly failPercent: number;
  /** Number of lines of a task on standard output. */
  readonly logLines: number;
}

/** Maximum unconsumed output: beyond it a task pauses. */
const UNCONSUMED_BYTES_MAX = 64 * 1024;
const LINES_PER_BATCH = 100;

/** A simulated running action. */
interface Running {
  readonly run: number;
  linesLeft: number;
  unconsumed: number;
  /** Timer of its next output, or its end. */
  timer: NodeJS.Timeout | null;
  readonly batchMs: number;
  readonly end: ActionEnd;
}

/**
 * Tasks of a simulated worker, without processes and files. Each takes half to one and a half times the average
 * duration. Duration and result depend only on `seed` and its number, so that a run can be repeated. Actions of
 * environments take no time.
 */
export class SimulatedTaskProcesses implements TaskProcesses {
  private readonly settings: SimulationSettings;
  private readonly seed: number;
  private readonly events: TaskProcessEvents;
  private readonly sessions = new Map<SessionId, Running | null>();
  private tasks = 0;

  constructor(settings: SimulationSettings, seed: number, events: TaskProcessEvents) {
    this.settings = settings;
    this.seed = seed;
    this.events = events;
  }

  open(sessionId: SessionId, _opening: SessionOpening): void {
    this.sessions.set(sessionId, null);
    this.events.opened(sessionId, null);
  }

  start(sessionId: SessionId, action: ActionStart): void {
    const running = this.begin(action);
    this.sessions.set(sessionId, running);
    this.events.started(sessionId, action.run);
    this.goOn(sessionId, running);
  }

  notify(sessionId: SessionId, run: number): void {
    this.endEarly(sessionId, run, 'SIGTERM');
  }

  askToEnd(sessionId: SessionId, run: number): void {
    this.endEarly(sessionId, run, 'SIGTERM');
  }

  kill(sessionId: SessionId, run: number): void {
    this.endEarly(sessionId, run, 'SIGKILL');
  }

  consumed(sessionId: SessionId, bytes: number): void {
    const running = this.sessions.get(sessionId);
    if (running === undefined || running === null) return;
    running.unconsumed -= bytes;
    if (running.timer === null) this.goOn(sessionId, running);
  }

  /** No process could continue without the agent. */
  contactLasts(): void {
    // Nothing to end.
  }

  close(sessionId: SessionId, _closing: SessionClosing): void {
    const running = this.sessions.get(sessionId);
    if (running !== undefined && running !== null) this.end(sessionId, running, signaled('SIGKILL'));
    this.sessions.delete(sessionId);
    this.events.closed(sessionId);
  }

  /** An environment's action ends immediately. */
  private begin({ run, keepsChildren }: ActionStart): Running {
    const isTask = !keepsChildren;
    if (isTask) this.tasks++;
    const { taskMs, failPercent, logLines } = this.settings;
    const lasts = isTask ? taskMs * (0.5 + share(this.seed, this.tasks, 1)) : 0;
    const isFailing = isTask && share(this.seed, this.tasks, 2) * 100 < failPercent;
    const linesLeft = isTask ? logLines : 0;
    return {
      run,
      linesLeft,
      unconsumed: 0,
      timer: null,
      batchMs: lasts / (Math.ceil(linesLeft / LINES_PER_BATCH) + 1),
      end: { kind: 'exited', code: isFailing ? 1 : 0 },
    };
  }

  /** Runs the next part of the action after its time, unless too much of its output waits. */
  private goOn(sessionId: SessionId, running: Running): void {
    if (running.unconsumed > UNCONSUMED_BYTES_MAX) return;
    running.timer = setTimeout(() => {
      running.timer = null;
      if (running.linesLeft === 0) this.end(sessionId, running, running.end);
      else this.write(sessionId, running);
    }, running.batchMs);
  }

  private write(sessionId: SessionId, running: Running): void {
    const count = Math.min(LINES_PER_BATCH, running.linesLeft);
    const lines = Array.from(
      { length: count },
      (_unused, index) => `simulated line ${running.linesLeft - index}`,
    );
    const bytes = lines.reduce((sum, line) => sum + line.length + 1, 0);
    running.linesLeft -= count;
    running.unconsumed += bytes;
    this.events.output(sessionId, running.run, { stream: 'stdout', lines, bytes });
    this.goOn(sessionId, running);
  }

  private endEarly(sessionId: SessionId, run: number, signal: string): void {
    const running = this.sessions.get(sessionId);
    if (running?.run === run) this.end(sessionId, running, signaled(signal));
  }

  private end(sessionId: SessionId, running: Running, end: ActionEnd): void {
    if (running.timer !== null) clearTimeout(running.timer);
    this.sessions.set(sessionId, null);
    this.events.ended(sessionId, running.run, end);
  }
}

const signaled = (signal: string): ActionEnd => ({ kind: 'signaled', signal });

/** Returns a reproducible pseudo-random number from 0 to below 1. */
function share(seed: number, task: number, salt: number): number {
  let mixed = Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(task, 0x85ebca6b) ^ Math.imul(salt, 0xc2b2ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
}
