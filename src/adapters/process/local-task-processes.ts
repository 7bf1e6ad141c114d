import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AttemptId } from '../../core/ids.ts';
import type { ActionStart, TaskProcesses, TaskProcessEvents } from '../../core/ports/task-processes.ts';
import { ActionProcess } from './action-process.ts';
import { killTree } from './process-tree.ts';
import { Supervisor } from './supervisor.ts';
import { actionMarker, attemptMarker, taskEnvironment, workerMarker } from './task-environment.ts';
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
  readonly attemptId: AttemptId;
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
  private readonly sessions = new Map<AttemptId, Session>();
  private readonly removals = new Set<Promise<void>>();

  constructor(options: LocalTaskProcessesOptions) {
    this.options = options;
    this.pipes = join(options.workerDirectory, 'pipes');
  }

  open(attemptId: AttemptId, directory: string): void {
    const { supervisorScript, beatTimeoutSeconds } = this.options;
    const supervisor = Supervisor.start(
      supervisorScript,
      attemptMarker(attemptId),
      beatTimeoutSeconds,
      () => {
        this.supervisorGone(attemptId);
      },
    );
    this.sessions.set(attemptId, { attemptId, directory, supervisor, action: null, kills: new Set() });
    void this.prepare(directory, supervisor).then((failure) => {
      this.options.events.opened(attemptId, failure);
    });
  }

  start(attemptId: AttemptId, action: ActionStart): void {
    const session = this.sessions.get(attemptId);
    if (session === undefined) throw new Error(`no session of the attempt ${attemptId}`);
    const { events, ownEnvironment, workerDirectory } = this.options;
    const marker = actionMarker(attemptId, action.run);
    const marks = [workerMarker(workerDirectory), attemptMarker(attemptId), marker];
    const process = new ActionProcess(
      {
        command: action.command,
        args: action.args,
        environment: taskEnvironment(ownEnvironment, action.variables, marks),
        workingDirectory: session.directory,
        marker,
      },
      session.supervisor,
      {
        started: () => {
          events.started(attemptId, action.run);
        },
        output: (batch) => {
          events.output(attemptId, action.run, batch);
        },
        ended: (end) => {
          session.action = null;
          events.ended(attemptId, action.run, end);
        },
      },
    );
    session.action = { run: action.run, process };
    void this.writeAndStart(session, action, process);
  }

  notify(attemptId: AttemptId, run: number, notifyEndAt: number): void {
    const session = this.sessions.get(attemptId);
    const process = this.running(attemptId, run);
    if (session === undefined || process === null) return;
    void writeCancelInfo(session.directory, notifyEndAt)
      .catch((error: unknown) => {
        this.options.warn('cancel_info.json could not be written', {
          attempt: attemptId,
          error: String(error),
        });
      })
      .then(() => {
        process.askToEnd();
      });
  }

  askToEnd(attemptId: AttemptId, run: number): void {
    this.running(attemptId, run)?.askToEnd();
  }

  kill(attemptId: AttemptId, run: number): void {
    const process = this.running(attemptId, run);
    if (process !== null) this.follow(attemptId, process.kill());
  }

  consumed(attemptId: AttemptId, bytes: number): void {
    this.sessions.get(attemptId)?.action?.process.consumed(bytes);
  }

  close(attemptId: AttemptId): void {
    const session = this.sessions.get(attemptId);
    if (session !== undefined) void this.closeSession(session);
  }

  /** Resolves when the directories of all closed sessions are gone, or could not be removed. */
  async settled(): Promise<void> {
    await Promise.all(this.removals);
  }

  private running(attemptId: AttemptId, run: number): ActionProcess | null {
    const action = this.sessions.get(attemptId)?.action ?? null;
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
      this.options.events.ended(session.attemptId, action.run, { kind: 'not-started', reason });
      return;
    }
    await process.start(this.pipes, `${session.attemptId}.${action.run}`);
  }

  private supervisorGone(attemptId: AttemptId): void {
    const process = this.sessions.get(attemptId)?.action?.process;
    this.options.warn('the supervisor of an attempt has ended; its processes are killed', {
      attempt: attemptId,
    });
    if (process !== undefined) this.follow(attemptId, process.supervisorLost());
  }

  private async closeSession(session: Session): Promise<void> {
    const { attemptId, directory, supervisor } = session;
    await Promise.all(session.kills);
    await this.report(attemptId, killTree({ marker: attemptMarker(attemptId), group: null }));
    supervisor.end();
    this.sessions.delete(attemptId);
    this.options.events.closed(attemptId);
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

  private follow(attemptId: AttemptId, kill: Promise<readonly number[]>): void {
    const kills = this.sessions.get(attemptId)?.kills;
    const reported = this.report(attemptId, kill).finally(() => kills?.delete(reported));
    kills?.add(reported);
  }

  private async report(attemptId: AttemptId, kill: Promise<readonly number[]>): Promise<void> {
    const left = await kill;
    if (left.length === 0) return;
    this.options.warn('processes of an attempt could not be ended', {
      attempt: attemptId,
      pids: left.join(' '),
    });
  }
}
