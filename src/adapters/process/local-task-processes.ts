import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionId } from '../../core/ids.ts';
import type {
  ActionStart,
  SessionClosing,
  SessionOpening,
  TaskProcesses,
  TaskProcessEvents,
} from '../../core/ports/task-processes.ts';
import { ActionProcess } from './action-process.ts';
import { killTree } from './process-tree.ts';
import { Supervisor } from './supervisor.ts';
import { actionMarker, sessionMarker, taskEnvironment, workerMarker } from './task-environment.ts';
import { makeWorkspace, removeWorkspace, writeCancelInfo, writeSessionFile } from './workspace.ts';

export interface LocalTaskProcessesOptions {
  /** The worker's own directory: absolute, without links in it. */
  readonly workerDirectory: string;
  readonly supervisorScript: string;
  /** Without a beat for this long a supervisor kills what it guards. */
  readonly beatTimeoutSeconds: number;
  /** What a process gets of the worker's own environment. */
  readonly ownEnvironment: Readonly<Record<string, string | undefined>>;
  readonly events: TaskProcessEvents;
  /** What goes wrong without being the task's affair. */
  readonly warn: (text: string, attributes: Readonly<Record<string, string>>) => void;
}

interface Session {
  readonly sessionId: SessionId;
  readonly directory: string;
  readonly supervisor: Supervisor;
  action: { readonly run: number; readonly process: ActionProcess } | null;
  /** Killing that is under way: the session is closed only after it. */
  readonly kills: Set<Promise<void>>;
}

/** The processes of tasks, run on this machine. */
export class LocalTaskProcesses implements TaskProcesses {
  private readonly options: LocalTaskProcessesOptions;
  private readonly pipes: string;
  private readonly sessions = new Map<SessionId, Session>();
  private readonly removals = new Set<Promise<void>>();

  constructor(options: LocalTaskProcessesOptions) {
    this.options = options;
    this.pipes = join(options.workerDirectory, 'pipes');
  }

  open(sessionId: SessionId, { directory }: SessionOpening): void {
    const { supervisorScript, beatTimeoutSeconds } = this.options;
    const supervisor = Supervisor.start(
      supervisorScript,
      sessionMarker(sessionId),
      beatTimeoutSeconds,
      () => {
        this.supervisorGone(sessionId);
      },
    );
    this.sessions.set(sessionId, { sessionId, directory, supervisor, action: null, kills: new Set() });
    void this.prepare(directory, supervisor).then((failure) => {
      this.options.events.opened(sessionId, failure);
    });
  }

  start(sessionId: SessionId, action: ActionStart): void {
    const session = this.sessions.get(sessionId);
    if (session === undefined) throw new Error(`no session ${sessionId}`);
    const { events, ownEnvironment, workerDirectory } = this.options;
    const marker = actionMarker(sessionId, action.run);
    const marks = [workerMarker(workerDirectory), sessionMarker(sessionId), marker];
    const process = new ActionProcess(
      {
        command: action.command,
        args: action.args,
        environment: taskEnvironment(ownEnvironment, action.variables, marks),
        workingDirectory: session.directory,
        marker,
        keepsChildren: action.keepsChildren,
      },
      session.supervisor,
      {
        started: () => {
          events.started(sessionId, action.run);
        },
        output: (batch) => {
          events.output(sessionId, action.run, batch);
        },
        ended: (end) => {
          session.action = null;
          events.ended(sessionId, action.run, end);
        },
      },
    );
    session.action = { run: action.run, process };
    void this.writeAndStart(session, action, process);
  }

  notify(sessionId: SessionId, run: number, notifyEndAt: number): void {
    const session = this.sessions.get(sessionId);
    const process = this.running(sessionId, run);
    if (session === undefined || process === null) return;
    void writeCancelInfo(session.directory, notifyEndAt)
      .catch((error: unknown) => {
        this.options.warn('cancel_info.json could not be written', {
          session: sessionId,
          error: String(error),
        });
      })
      .then(() => {
        process.askToEnd();
      });
  }

  askToEnd(sessionId: SessionId, run: number): void {
    this.running(sessionId, run)?.askToEnd();
  }

  kill(sessionId: SessionId, run: number): void {
    const process = this.running(sessionId, run);
    if (process !== null) this.follow(sessionId, process.kill());
  }

  consumed(sessionId: SessionId, bytes: number): void {
    this.sessions.get(sessionId)?.action?.process.consumed(bytes);
  }

  close(sessionId: SessionId, { keepDirectory }: SessionClosing): void {
    const session = this.sessions.get(sessionId);
    if (session !== undefined) void this.closeSession(session, keepDirectory);
  }

  /** Resolves when the directories of all closed sessions are gone, or could not be removed. */
  async settled(): Promise<void> {
    await Promise.all(this.removals);
  }

  private running(sessionId: SessionId, run: number): ActionProcess | null {
    const action = this.sessions.get(sessionId)?.action ?? null;
    return action?.run === run ? action.process : null;
  }

  /** Why the session cannot be used, or null. */
  private async prepare(directory: string, supervisor: Supervisor): Promise<string | null> {
    try {
      await mkdir(this.pipes, { recursive: true, mode: 0o700 });
      await makeWorkspace(directory);
    } catch (error) {
      return `the session's directory could not be made: ${String(error)}`;
    }
    const state = await supervisor.state();
    return state === 'guarding' ? null : 'the supervisor of its processes could not be started';
  }

  private async writeAndStart(session: Session, action: ActionStart, process: ActionProcess): Promise<void> {
    try {
      for (const file of action.files) await writeSessionFile(file);
    } catch (error) {
      const reason = `an embedded file could not be written: ${String(error)}`;
      session.action = null;
      this.options.events.ended(session.sessionId, action.run, { kind: 'not-started', reason });
      return;
    }
    await process.start(this.pipes, `${session.sessionId}.${action.run}`);
  }

  private supervisorGone(sessionId: SessionId): void {
    const process = this.sessions.get(sessionId)?.action?.process;
    this.options.warn('the supervisor of a session has ended; its processes are killed', {
      session: sessionId,
    });
    if (process !== undefined) this.follow(sessionId, process.supervisorLost());
  }

  private async closeSession(session: Session, keepDirectory: boolean): Promise<void> {
    const { sessionId, directory, supervisor } = session;
    await Promise.all(session.kills);
    await this.report(sessionId, killTree({ marker: sessionMarker(sessionId), group: null }));
    supervisor.end();
    this.sessions.delete(sessionId);
    this.options.events.closed(sessionId);
    if (keepDirectory) return;
    const removal = this.remove(directory).finally(() => this.removals.delete(removal));
    this.removals.add(removal);
  }

  private async remove(directory: string): Promise<void> {
    try {
      await removeWorkspace(directory);
    } catch (error) {
      this.options.warn('a session directory could not be removed', { directory, error: String(error) });
    }
  }

  private follow(sessionId: SessionId, kill: Promise<readonly number[]>): void {
    const kills = this.sessions.get(sessionId)?.kills;
    const reported = this.report(sessionId, kill).finally(() => kills?.delete(reported));
    kills?.add(reported);
  }

  private async report(sessionId: SessionId, kill: Promise<readonly number[]>): Promise<void> {
    const left = await kill;
    if (left.length === 0) return;
    this.options.warn('processes of a session could not be ended', {
      session: sessionId,
      pids: left.join(' '),
    });
  }
}
