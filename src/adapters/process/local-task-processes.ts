import { join } from 'node:path';
import type { SessionId } from '../../core/ids.ts';
import type {
  ActionStart,
  SessionClosing,
  SessionOpening,
  TaskProcesses,
  TaskProcessEvents,
} from '../../core/ports/task-processes.ts';
import { isolatedEnvironment } from '../../core/access/isolated-environment.ts';
import type { TaskAccount } from '../host/accounts.ts';
import { ActionProcess } from './action-process.ts';
import { encodeRequest } from './launch-request.ts';
import { LaunchedProcess } from './launched-process.ts';
import { Launcher } from './launcher.ts';
import { messageOf } from './error-code.ts';
import { OutputPipes } from './output-pipe.ts';
import { accountFor, effectiveRunAs, type IsolationSettings } from './isolation.ts';
import type { Mask } from './mask.ts';
import { killTree } from './process-tree.ts';
import { WorkerCgroup, type Cgroup } from './session-cgroup.ts';
import type { SessionView } from './session-view.ts';
import { SessionQuota } from './session-quota.ts';
import { Supervisor } from './supervisor.ts';
import type { ActionEvents, TaskProcess } from './task-process.ts';
import { WorkerLimits, type SessionResources } from './worker-limits.ts';
import {
  ACTION_VARIABLE,
  actionMarker,
  sessionMarker,
  taskEnvironment,
  workerMarker,
} from './task-environment.ts';
import { Workspace } from './workspace.ts';

export interface LocalTaskProcessesOptions {
  /** The worker's own directory: absolute, without links. */
  readonly workerDirectory: string;
  readonly supervisorScript: string;
  /** Time without a heartbeat after which a supervisor kills the processes it guards. */
  readonly beatTimeoutSeconds: number;
  /** Variables of the worker's own environment that processes get. */
  readonly ownEnvironment: Readonly<Record<string, string | undefined>>;
  readonly isolation: IsolationSettings;
  /** Root of the file system in which control groups for limits are looked for. Absent: `/`. */
  readonly controlRoot?: string;
  /** Files that tasks of the worker's own account must not see: null or absent for nothing, or if this machine cannot hide it. */
  readonly mask?: () => Mask | null;
  /** Number of tasks in a session of the worker's own account from which on a launcher starts them; 0: all of them. */
  readonly tasksBeforeLauncher: number;
  readonly events: TaskProcessEvents;
  /** Reports problems that do not belong to a task. */
  readonly warn: (text: string, attributes: Readonly<Record<string, string>>) => void;
  /** Reports information for the operator of the worker. */
  readonly inform: (text: string, attributes: Readonly<Record<string, string>>) => void;
}

interface Session {
  readonly sessionId: SessionId;
  readonly workspace: Workspace;
  readonly supervisor: Supervisor;
  readonly cgroup: Cgroup | null;
  /** Its limits and counters; null with `isolation.limits=off`. */
  readonly resources: SessionResources | null;
  /** Null with no `isolation.disk_quota`. */
  readonly quota: SessionQuota | null;
  /** The account that its actions run as; null for the worker's own account, and until it is resolved. */
  account: TaskAccount | null;
  /** Remaining processes of actions that may continue. */
  readonly known: Map<number, string>;
  action: { readonly run: number; readonly process: TaskProcess } | null;
  /** Number of started tasks. */
  tasks: number;
  /** Null until it runs, and permanently if it cannot run. */
  launcher: Launcher | null;
  /** Pending kills: the session is closed only after them. */
  readonly kills: Set<Promise<void>>;
}

/** The processes of tasks, run on this machine. */
export class LocalTaskProcesses implements TaskProcesses {
  private readonly options: LocalTaskProcessesOptions;
  private readonly pipes: OutputPipes;
  private readonly sessions = new Map<SessionId, Session>();
  private readonly removals = new Set<Promise<void>>();
  /** Null before the first session. */
  private cgroup: { readonly group: WorkerCgroup | null } | null = null;
  private readonly limits: WorkerLimits | null;
  /** Logged already. */
  private readonly knownProblems = new Set<string>();
  /** By the monotonic clock, in milliseconds; null for no limit. */
  private contactUntil: number | null = null;

  constructor(options: LocalTaskProcessesOptions) {
    this.options = options;
    const { workerDirectory, isolation, controlRoot } = options;
    this.limits =
      isolation.limits.mode === 'off'
        ? null
        : new WorkerLimits(workerDirectory, isolation.limits, controlRoot);
    this.pipes = new OutputPipes(join(options.workerDirectory, 'pipes'));
  }

  open(sessionId: SessionId, { directory, runAs, request }: SessionOpening): void {
    const { supervisorScript, beatTimeoutSeconds, workerDirectory } = this.options;
    this.cgroup ??= { group: this.openCgroup() };
    const cgroup = this.cgroup.group?.session(sessionId) ?? null;
    const resources = this.limits?.session(sessionId, cgroup?.path ?? null, request) ?? null;
    const supervisor = Supervisor.start({
      script: supervisorScript,
      marker: sessionMarker(sessionId),
      cgroup: cgroup?.path ?? null,
      groups: resources?.groups ?? [],
      beatTimeoutSeconds,
      contactLeftMs: () => (this.contactUntil === null ? null : this.contactUntil - performance.now()),
      onGone: () => {
        this.supervisorGone(sessionId);
      },
    });
    const session: Session = {
      sessionId,
      workspace: new Workspace(directory, workerDirectory),
      supervisor,
      cgroup,
      resources,
      quota: this.quotaOf(sessionId, directory),
      account: null,
      known: new Map(),
      action: null,
      tasks: 0,
      launcher: null,
      kills: new Set(),
    };
    this.sessions.set(sessionId, session);
    void this.prepare(session, runAs).then((failure) => {
      this.options.events.opened(sessionId, failure);
    });
  }

  start(sessionId: SessionId, action: ActionStart): void {
    const session = this.sessions.get(sessionId);
    if (session === undefined) throw new Error(`no session ${sessionId}`);
    const { events, tasksBeforeLauncher } = this.options;
    const { run } = action;
    const marker = actionMarker(sessionId, run);
    const environment = this.environmentOf(session, action, marker);
    const told: ActionEvents = {
      started: () => {
        events.started(sessionId, run);
      },
      output: (batch) => {
        events.output(sessionId, run, batch);
      },
      left: (known) => {
        for (const [pid, startedAt] of known) session.known.set(pid, startedAt);
      },
      ended: (end) => {
        session.action = null;
        const used = session.resources?.used();
        const usage = session.quota === null ? used : session.quota.end(used);
        if (usage === undefined) events.ended(sessionId, run, end);
        else events.ended(sessionId, run, end, usage);
      },
    };
    if (!action.keepsChildren) session.tasks++;
    session.resources?.begin();
    session.quota?.begin();
    const { launcher, supervisor, workspace } = session;
    // There is no check before a launcher starts a process: without a guard the agent refuses it.
    if (!action.keepsChildren && launcher?.isUsable === true && supervisor.isGuarding) {
      const request = {
        ...action,
        environment,
        varying: ACTION_VARIABLE,
        workingDirectory: workspace.directory,
      };
      const frame = encodeRequest(request);
      if (frame !== null) {
        const process = new LaunchedProcess(request, marker, launcher, supervisor, told);
        session.action = { run, process };
        process.start(frame);
        return;
      }
    }
    const process = new ActionProcess(
      {
        command: action.command,
        args: action.args,
        environment,
        ids: session.account?.ids ?? null,
        mask: this.options.mask?.() ?? null,
        network: this.options.isolation.network,
        view: this.viewOf(session),
        noNewPrivileges: this.options.isolation.noNewPrivileges,
        workingDirectory: session.workspace.directory,
        marker,
        cgroup: session.cgroup?.below(`run-${run}`) ?? null,
        groups: session.resources?.groups ?? [],
        keepsChildren: action.keepsChildren,
      },
      session.supervisor,
      told,
    );
    session.action = { run, process };
    void this.writeAndStart(session, action, process);
    if (!action.keepsChildren && session.tasks === tasksBeforeLauncher) void this.startLauncher(session);
  }

  notify(sessionId: SessionId, run: number, notifyEndAt: number): void {
    const session = this.sessions.get(sessionId);
    const process = this.running(sessionId, run);
    if (session === undefined || process === null) return;
    void session.workspace
      .writeCancelInfo(notifyEndAt)
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

  contactLasts(leftMs: number | null): void {
    this.contactUntil = leftMs === null ? null : performance.now() + leftMs;
    // The remaining time may be shorter than the heartbeat interval.
    for (const { supervisor } of this.sessions.values()) supervisor.beat();
  }

  /** Resolves when the directories of all closed sessions are removed, or could not be. */
  async settled(): Promise<void> {
    await Promise.all(this.removals);
    if (this.sessions.size > 0) return;
    this.cgroup?.group?.remove();
    this.limits?.remove();
    this.cgroup = null;
  }

  private running(sessionId: SessionId, run: number): TaskProcess | null {
    const action = this.sessions.get(sessionId)?.action ?? null;
    return action?.run === run ? action.process : null;
  }

  /** Returns why the session cannot be used, or null. */
  private async prepare(session: Session, runAs: SessionOpening['runAs']): Promise<string | null> {
    const account = effectiveRunAs(runAs, this.options.isolation);
    if (account !== null) {
      const lookup = await accountFor(account, this.options.isolation);
      if (!lookup.ok) return lookup.refusal;
      session.account = lookup.account;
    }
    const refusal = this.limitsRefusal(session);
    if (refusal !== null) return refusal;
    try {
      await this.pipes.prepare();
      await session.workspace.make(session.account?.ids ?? null);
    } catch (error) {
      return `the session's directory could not be made: ${messageOf(error)}`;
    }
    const state = await session.supervisor.state();
    if (state !== 'guarding') return 'the supervisor of its processes could not be started';
    if (this.options.tasksBeforeLauncher === 0) await this.startLauncher(session);
    return null;
  }

  /** Returns why limits that are required are missing, or null. Otherwise logs each problem once. */
  private limitsRefusal({ resources }: Session): string | null {
    const problems = resources?.problems ?? [];
    if (problems.length === 0) return null;
    if (this.options.isolation.limits.mode === 'required')
      return `isolation.limits is required, and this worker cannot set: ${problems.join('; ')}`;
    const unknown = problems.filter((problem) => !this.knownProblems.has(problem));
    for (const problem of unknown) this.knownProblems.add(problem);
    if (unknown.length > 0)
      this.options.inform('tasks run without some limits', { problems: unknown.join('; ') });
    return null;
  }

  /** Returns the complete environment of a process. */
  private environmentOf(
    { sessionId, account }: Session,
    { variables }: ActionStart,
    marker: string,
  ): Readonly<Record<string, string>> {
    const { ownEnvironment, isolation } = this.options;
    const own =
      account === null
        ? ownEnvironment
        : isolatedEnvironment(
            account,
            ownEnvironment,
            isolation.environmentPassthrough,
            isolation.environmentDeny,
          );
    const marks = [...this.marksOf(sessionId), marker];
    return taskEnvironment(own, variables, marks, isolation.environmentDeny);
  }

  private marksOf(sessionId: SessionId): readonly string[] {
    return [workerMarker(this.options.workerDirectory), sessionMarker(sessionId)];
  }

  /**
   * Starts the session's launcher. If it does not run, or was ended with remaining processes of a task, the agent
   * starts the tasks itself.
   */
  private async startLauncher(session: Session): Promise<void> {
    const { sessionId, account, cgroup } = session;
    if (account !== null) return;
    try {
      const launcher = await Launcher.start({
        cgroup: cgroup?.below('launched') ?? null,
        groups: session.resources?.groups ?? [],
        marks: taskEnvironment({}, {}, this.marksOf(sessionId), []),
        pipes: this.pipes,
        mask: this.options.mask?.() ?? null,
        network: this.options.isolation.network,
        view: this.viewOf(session),
        noNewPrivileges: this.options.isolation.noNewPrivileges,
      });
      if (this.sessions.has(sessionId)) session.launcher = launcher;
      else if (launcher !== null) {
        launcher.retire();
        await launcher.exited;
        // The end of the session could not remove the group while the launcher was in it.
        cgroup?.remove();
        session.resources?.remove();
      }
    } catch (error) {
      this.options.warn('the launcher of a session could not be started', {
        session: sessionId,
        error: messageOf(error),
      });
    }
  }

  private viewOf({ workspace }: Session): SessionView {
    const { privateTmp, hideProcesses } = this.options.isolation;
    return { privateTmp: privateTmp ? workspace.directory : null, hidesProcesses: hideProcesses };
  }

  private quotaOf(sessionId: SessionId, directory: string): SessionQuota | null {
    const quotaBytes = this.options.isolation.diskQuotaBytes;
    if (quotaBytes === 0) return null;
    return new SessionQuota({
      directory,
      quotaBytes,
      end: () => {
        const run = this.sessions.get(sessionId)?.action?.run;
        if (run !== undefined) this.kill(sessionId, run);
      },
      failed: (reason) => {
        this.options.warn('the disk space of a session could not be counted', { session: sessionId, reason });
      },
    });
  }

  private openCgroup(): WorkerCgroup | null {
    return WorkerCgroup.open(this.options.workerDirectory, (reason) => {
      this.options.inform(
        'no control groups: processes of tasks are known by their environment, session and parents',
        { reason },
      );
    });
  }

  private async writeAndStart(session: Session, action: ActionStart, process: ActionProcess): Promise<void> {
    try {
      for (const file of action.files) await session.workspace.write(file);
    } catch (error) {
      const reason = `an embedded file could not be written: ${messageOf(error)}`;
      session.action = null;
      this.options.events.ended(session.sessionId, action.run, { kind: 'not-started', reason });
      return;
    }
    await process.start(this.pipes);
  }

  private supervisorGone(sessionId: SessionId): void {
    const process = this.sessions.get(sessionId)?.action?.process;
    this.options.warn('the supervisor of a session has ended; its processes are killed', {
      session: sessionId,
    });
    if (process !== undefined) this.follow(sessionId, process.supervisorLost());
  }

  private async closeSession(session: Session, keepDirectory: boolean): Promise<void> {
    const { sessionId, supervisor, cgroup, known } = session;
    session.quota?.stop();
    await Promise.all(session.kills);
    const since = supervisor.startedAt;
    const marker = sessionMarker(sessionId);
    await this.report(sessionId, killTree({ marker, cgroup, leader: null, known, since }));
    session.launcher?.retire();
    supervisor.end();
    cgroup?.remove();
    session.resources?.remove();
    this.sessions.delete(sessionId);
    this.options.events.closed(sessionId);
    if (keepDirectory) return;
    const removal = this.remove(session.workspace).finally(() => this.removals.delete(removal));
    this.removals.add(removal);
  }

  private async remove(workspace: Workspace): Promise<void> {
    try {
      await workspace.remove();
    } catch (error) {
      const { directory } = workspace;
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
