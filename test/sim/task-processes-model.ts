import type { SessionState } from '../../actors/agent/session/state.ts';
import type { VirtualTime } from '../../actors/kernel/virtual-time.ts';
import type { AttemptId, SessionId, TaskId } from '../../src/core/ids.ts';
import type {
  ActionEnd,
  ActionStart,
  OutputBatch,
  TaskProcesses,
  TaskProcessEvents,
} from '../../src/core/ports/task-processes.ts';
import type { Mishap } from './common-causes.ts';
import type { Random } from './random.ts';
import type { RunningProcesses } from './running-processes.ts';
import { SessionRules, type ActionKind } from './session-rules.ts';

/** Longest time from SIGKILL to the end of a process. */
const KILL_MS_MAX = 1_500;
/** Longest time until a process that handles SIGTERM ends. */
const TERM_MS_MAX = 500;
/** Share of processes that ignore SIGTERM. */
const STUBBORN_SHARE = 0.3;
const OPEN_MS_MAX = 20;
const SPAWN_MS_MAX = 20;
const NOT_STARTED_SHARE = 0.002;
const ENVIRONMENT_MS_MAX = 300;
/** Environments fail less often than tasks. */
const ENVIRONMENT_FAILURES = 0.2;
/** Minimum run time of a task, whatever the mean. */
const TASK_MS_MIN = 10;
/** Maximum run time, to distinguish a slow task from one that hangs. */
const TASK_MS_MAX = 600_000;
/** Maximum number of output batches of an action. */
const BATCHES_MAX = 3;
const LINES_MAX = 3;
/** Bytes of unconsumed output after which further output waits. */
const WINDOW_BYTES = 64;

export interface MachineRules {
  /** Processes end with their daemon, or when it sends no more beats. */
  readonly guardsProcesses: boolean;
  /** Guards end processes when the daemon loses contact to the service. */
  readonly guardsCountContact: boolean;
}

export interface ProcessesWorld {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly processes: RunningProcesses;
  /** Mean run time of a task in milliseconds. */
  readonly taskMs: number;
  /** Share of task runs that fail. */
  readonly failures: number;
  /** Returns why a task that starts on a machine in a location fails; null if only chance decides. */
  mishapOf(taskId: TaskId, machine: string, location: string): Mishap | null;
}

/** The daemon that observes the sessions. It may end before them. */
export interface SessionOwner {
  readonly events: TaskProcessEvents;
  stateOf(sessionId: SessionId): SessionState | undefined;
}

interface Action {
  readonly run: number;
  readonly kind: ActionKind;
  readonly attempt: { readonly attemptId: AttemptId; readonly taskId: TaskId } | null;
  readonly isStubborn: boolean;
  isSpawned: boolean;
  /** Its result; null while it runs. Reported when its output has been consumed. */
  end: ActionEnd | null;
  cancelExit: () => void;
}

interface Session {
  readonly id: SessionId;
  readonly rules: SessionRules;
  action: Action | null;
  /** Its guard has killed the process and has ended. */
  isFenced: boolean;
  lines: number;
  readonly output: OutputBatch[];
  unconsumed: number;
}

/** The task processes of one machine with their guards. They fail independently of the daemon. */
export class TaskProcessesModel implements TaskProcesses {
  private readonly world: ProcessesWorld;
  private readonly machine: string;
  private readonly location: string;
  private readonly sessions = new Map<SessionId, Session>();
  private readonly rules: MachineRules;
  private owner: SessionOwner | null = null;
  private contactUntil: number | null = null;

  constructor(machine: string, location: string, rules: MachineRules, world: ProcessesWorld) {
    this.location = location;
    this.rules = rules;
    this.machine = machine;
    this.world = world;
  }

  get openSessions(): number {
    return this.sessions.size;
  }

  /** Reports whether the process of a task runs. */
  get isBusy(): boolean {
    return [...this.sessions.values()].some(({ action }) => action?.kind === 'run' && action.end === null);
  }

  /** Resets the model: the daemon has started without leftovers, or has ended. */
  ownedBy(owner: SessionOwner | null): void {
    this.owner = owner;
    this.contactUntil = null;
  }

  contactLasts(leftMs: number | null): void {
    const { time } = this.world;
    this.contactUntil = leftMs === null ? null : time.now + leftMs;
    if (leftMs === null || !this.rules.guardsProcesses || !this.rules.guardsCountContact) return;
    time.after(leftMs, () => {
      if (this.contactUntil !== null && this.contactUntil <= time.now) this.fence();
    });
  }

  open(sessionId: SessionId): void {
    this.sessions.set(sessionId, {
      id: sessionId,
      rules: new SessionRules(sessionId),
      action: null,
      isFenced: false,
      lines: 0,
      output: [],
      unconsumed: 0,
    });
    this.soon(OPEN_MS_MAX, () => {
      this.owner?.events.opened(sessionId, null);
    });
  }

  start(sessionId: SessionId, start: ActionStart): void {
    const session = this.sessions.get(sessionId);
    const state = this.owner?.stateOf(sessionId);
    if (session === undefined || state === undefined) throw new Error(`no session ${sessionId}`);
    if (session.action !== null) throw new Error(`two actions at once in ${sessionId}`);
    const { random } = this.world;
    const kind = kindOf(start.command);
    const assignment = state.attempt?.assignment;
    session.rules.starts(kind, start, state);
    const action: Action = {
      run: start.run,
      kind,
      attempt:
        assignment === undefined ? null : { attemptId: assignment.attempt_id, taskId: assignment.task_id },
      isStubborn: random.chance(STUBBORN_SHARE),
      isSpawned: false,
      end: null,
      cancelExit: () => undefined,
    };
    session.action = action;
    this.soon(SPAWN_MS_MAX, () => {
      if (action.end !== null) return;
      if (session.isFenced) this.die(session, action, { kind: 'fenced' });
      else if (random.chance(NOT_STARTED_SHARE))
        this.die(session, action, { kind: 'not-started', reason: 'no such command' });
      else this.spawn(session, action);
    });
  }

  notify(sessionId: SessionId, run: number): void {
    this.askToEnd(sessionId, run);
  }

  askToEnd(sessionId: SessionId, run: number): void {
    const { session, action } = this.running(sessionId, run);
    if (session === null || action === null || action.isStubborn) return;
    this.soon(TERM_MS_MAX, () => {
      this.die(session, action, { kind: 'signaled', signal: 'SIGTERM' });
    });
  }

  kill(sessionId: SessionId, run: number): void {
    const { session, action } = this.running(sessionId, run);
    if (session === null || action === null) return;
    this.soon(KILL_MS_MAX, () => {
      this.die(session, action, { kind: 'signaled', signal: 'SIGKILL' });
    });
  }

  consumed(sessionId: SessionId, bytes: number): void {
    const session = this.sessions.get(sessionId);
    if (session === undefined) return;
    session.unconsumed -= bytes;
    this.tellOutput(session);
  }

  close(sessionId: SessionId): void {
    const session = this.sessions.get(sessionId);
    // A session that was lost with its actor may be closed twice.
    if (session === undefined) return;
    const state = this.owner?.stateOf(sessionId);
    session.rules.closes(state === undefined || state.isHurried || state.stop !== null || session.isFenced);
    this.soon(KILL_MS_MAX, () => {
      const { action } = session;
      if (action !== null) this.die(session, action, { kind: 'signaled', signal: 'SIGKILL' });
      if (this.sessions.get(sessionId) !== session) return;
      this.sessions.delete(sessionId);
      this.owner?.events.closed(sessionId);
    });
  }

  /** The guards kill their processes. */
  fence(): void {
    for (const session of this.sessions.values()) {
      session.isFenced = true;
      if (session.action !== null) this.die(session, session.action, { kind: 'fenced' });
    }
  }

  /** All processes end at once: the machine lost power, or a new daemon has ended the leftovers. */
  clear(): void {
    for (const session of this.sessions.values()) {
      if (session.action !== null) this.die(session, session.action, { kind: 'fenced' });
    }
    this.sessions.clear();
  }

  private spawn(session: Session, action: Action): void {
    const { random, time, processes, taskMs, failures } = this.world;
    action.isSpawned = true;
    const isRun = action.kind === 'run';
    const fails = random.chance(isRun ? failures : failures * ENVIRONMENT_FAILURES);
    const code = fails ? random.pick([1, 2, 137]) : 0;
    const mishap =
      isRun && action.attempt !== null
        ? this.world.mishapOf(action.attempt.taskId, this.machine, this.location)
        : null;
    const runsMs = isRun
      ? Math.min(TASK_MS_MIN + random.around(taskMs), TASK_MS_MAX)
      : random.between(1, ENVIRONMENT_MS_MAX);
    if (isRun && action.attempt !== null)
      processes.started(action.attempt.taskId, action.attempt.attemptId, this.machine);
    this.owner?.events.started(session.id, action.run);
    for (let batches = random.between(0, BATCHES_MAX); batches > 0; batches--) {
      time.after(random.between(0, runsMs), () => {
        if (action.end === null) this.write(session);
      });
    }
    if (mishap === null) {
      action.cancelExit = time.after(runsMs, () => {
        this.die(session, action, { kind: 'exited', code });
      });
      return;
    }
    action.cancelExit = time.after(mishap.afterMs, () => {
      const bytes = mishap.line.length + 1;
      session.output.push({ stream: 'stderr', lines: [mishap.line], bytes });
      this.die(session, action, { kind: 'exited', code: 1 });
    });
  }

  private write(session: Session): void {
    const lines = Array.from(
      { length: this.world.random.between(1, LINES_MAX) },
      () => `${session.id} ${++session.lines}`,
    );
    const bytes = lines.reduce((sum, line) => sum + line.length + 1, 0);
    session.output.push({ stream: 'stdout', lines, bytes });
    this.tellOutput(session);
  }

  private die(session: Session, action: Action, end: ActionEnd): void {
    if (action.end !== null) return;
    action.end = end;
    action.cancelExit();
    const { attempt, kind } = action;
    const exitCode = end.kind === 'exited' ? end.code : null;
    const isFailure = exitCode !== 0;
    if (kind === 'enter' && isFailure) session.rules.enterFailed();
    if (attempt !== null && action.isSpawned) {
      if (kind === 'run') this.world.processes.ended(attempt.attemptId, exitCode);
      else if (kind === 'enter' && exitCode !== null && isFailure)
        this.world.processes.exited(attempt.attemptId, exitCode);
    }
    this.tellOutput(session);
  }

  /** Passes on as much output as fits, and then the end. */
  private tellOutput(session: Session): void {
    const { action, output } = session;
    if (action === null) return;
    while (output.length > 0 && session.unconsumed < WINDOW_BYTES) {
      const batch = output.shift();
      if (batch === undefined) break;
      session.unconsumed += batch.bytes;
      this.owner?.events.output(session.id, action.run, batch);
    }
    if (output.length > 0 || action.end === null) return;
    session.action = null;
    this.owner?.events.ended(session.id, action.run, action.end);
  }

  private running(
    sessionId: SessionId,
    run: number,
  ): { readonly session: Session | null; readonly action: Action | null } {
    const session = this.sessions.get(sessionId) ?? null;
    const action = session?.action ?? null;
    return { session, action: action?.run === run ? action : null };
  }

  private soon(mostMs: number, action: () => void): void {
    this.world.time.after(this.world.random.between(0, mostMs), action);
  }
}

function kindOf(command: string): ActionKind {
  if (command === 'enter' || command === 'run' || command === 'exit') return command;
  throw new Error(`the simulation has no program ${command}`);
}
