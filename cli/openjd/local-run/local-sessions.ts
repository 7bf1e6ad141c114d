import { rmSync } from 'node:fs';
import { LOCAL_EXPRESSIONS } from '../../../src/adapters/regex/default-expressions.ts';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentEffect, AgentEnvelope, AgentSystem } from '../../../actors/agent/agent-system.ts';
import { sessionActor } from '../../../actors/agent/session/session-actor.ts';
import { shipperActor } from '../../../actors/agent/shipper/shipper-actor.ts';
import { anyActor } from '../../../actors/kernel/actor.ts';
import { ThreadHost } from '../../../actors/kernel/thread-host.ts';
import { completeImmediately, flushImmediately } from '../../../actors/kernel/immediate-flush.ts';
import { prepareWorkerDirectory } from '../../../src/adapters/host/worker-directory.ts';
import { PROCESS_LIMITS } from '../../../src/adapters/process/limits.ts';
import { NO_LIMITS } from '../../../src/adapters/process/limit-settings.ts';
import { LocalTaskProcesses } from '../../../src/adapters/process/local-task-processes.ts';
import { supervisorScript } from '../../../src/adapters/process/supervisor.ts';
import { removeWorkspace } from '../../../src/adapters/process/workspace.ts';
import { LocalStaging } from '../../../src/adapters/staging/local-staging.ts';
import { Uuid7 } from '../../../src/adapters/system/uuid7.ts';
import type { PathMapping } from '../../../src/core/delivery/path-map.ts';
import { sessionId, workerId, type AttemptId, type SessionId } from '../../../src/core/ids.ts';
import type { TaskProcessEvents } from '../../../src/core/ports/task-processes.ts';
import type {
  Assignment,
  LogMessage,
  StatusMessage,
  StepAssignment,
} from '../../../src/core/wire/bus-messages.ts';
import { executeOnProcesses } from '../../../daemons/worker/process-effects.ts';
import { fileOwnerBy } from '../../../daemons/worker/file-owner.ts';
import { executeOnStaging, stagingEvents } from '../../../daemons/worker/staging-effects.ts';
import { processEvents } from '../../../daemons/worker/external-events.ts';
import { stubActors } from './stub-actors.ts';

export interface LocalSessionsEvents {
  /** Receives output of the task, in order. The task is paused until the promise resolves. */
  output(chunk: LogMessage): Promise<void>;
  /** Receives problems that the task did not cause. */
  warn(text: string): void;
}

/** The report of an ended task, or null if it was ended from outside. */
export type SessionReport = StatusMessage | null;

/** Tasks run as the user of this command, get all variables of that user and have no limits. */
const OWN_ACCOUNT = {
  isEnabled: false,
  environmentPassthrough: [],
  defaultUser: '',
  environmentDeny: [],
  limits: NO_LIMITS,
  network: 'open',
  diskQuotaBytes: 0,
  privateTmp: false,
  hideProcesses: false,
  noNewPrivileges: false,
} as const;

/** The running task. */
interface Current {
  readonly sessionId: SessionId;
  readonly attemptId: AttemptId;
  /** True if another task of the step follows. */
  readonly isFollowed: boolean;
  report: SessionReport;
  readonly onEnded: (report: SessionReport) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Runs tasks on this machine without a service, one after another, those of a step in one session. Uses the session and
 * shipper of the worker on the worker's kernel and processes.
 */
export class LocalSessions {
  private readonly directory: string;
  private readonly events: LocalSessionsEvents;
  private readonly host: ThreadHost<AgentSystem>;
  private readonly processes: LocalTaskProcesses;
  private readonly staging: LocalStaging;
  private readonly mapping: PathMapping;
  private readonly ids = new Uuid7(() => Date.now());
  private current: Current | null = null;
  private hasExitFailures = false;
  /** The session that waits for the next task of its step. */
  private idle: SessionId | null = null;
  /** Called when a session has been removed. */
  private readonly waiting = new Map<SessionId, () => void>();
  /** Resolves when all output so far was processed, so that chunks of different sessions keep their order. */
  private shown: Promise<void> = Promise.resolve();

  private constructor(directory: string, mapping: PathMapping, events: LocalSessionsEvents) {
    this.directory = directory;
    this.mapping = mapping;
    this.events = events;
    const settings = {
      sessionsDirectory: join(directory, 'sessions'),
      keepsSessions: false,
      exprLimits: LOCAL_EXPRESSIONS.limits,
      regex: LOCAL_EXPRESSIONS.regex,
    };
    this.host = new ThreadHost<AgentSystem>(
      [anyActor(sessionActor(settings)), anyActor(shipperActor(false)), ...stubActors],
      {
        reader: { workerId: workerId(''), reports: [] },
        newId: () => this.ids.next(),
        commit: (_changes, onCommit) => completeImmediately(onCommit)(),
        prepareFlush: (outputs) =>
          flushImmediately(() => {
            for (const output of outputs) if (output.kind === 'effect') this.execute(output.effect);
          }),
        log: (level, text) => {
          if (level === 'warn' || level === 'error') this.events.warn(text);
        },
        fatal: (error) => this.current?.failed(error),
      },
    );
    this.processes = new LocalTaskProcesses({
      workerDirectory: directory,
      supervisorScript: supervisorScript(),
      beatTimeoutSeconds: PROCESS_LIMITS.beatTimeoutSeconds,
      tasksBeforeLauncher: PROCESS_LIMITS.tasksBeforeLauncher,
      ownEnvironment: process.env,
      events: this.processEvents(),
      isolation: OWN_ACCOUNT,
      warn: (text) => this.events.warn(text),
      inform: () => undefined,
    });
    this.staging = new LocalStaging({
      events: stagingEvents((envelope) => this.post(envelope)),
      ownerOf: fileOwnerBy(OWN_ACCOUNT),
      platform: process.platform,
      environment: process.env,
    });
  }

  /** Creates a directory for the sessions in the system's temporary directory. */
  static async open(mapping: PathMapping, events: LocalSessionsEvents): Promise<LocalSessions> {
    const directory = await mkdtemp(join(tmpdir(), 'callsheet-run-'));
    const sessions = new LocalSessions(await prepareWorkerDirectory(directory), mapping, events);
    process.once('exit', sessions.leaveNothing);
    return sessions;
  }

  newJobId(): string {
    return this.ids.next();
  }

  /**
   * Runs a task. Uses the session of the previous task if that has succeeded and its `ready_left` announced another
   * task of the step. No other task may be running.
   */
  run(assignment: Assignment, step: StepAssignment): Promise<SessionReport> {
    if (this.current !== null) throw new Error('a task is running already');
    const isFollowed = step.ready_left !== 0;
    const task = { assignment, workerId: workerId(''), isLast: !isFollowed };
    const { idle } = this;
    this.idle = null;
    const id = idle ?? sessionId(this.ids.next());
    return new Promise((onEnded, failed) => {
      const attemptId = assignment.attempt_id;
      this.current = { sessionId: id, attemptId, isFollowed, report: null, onEnded, failed };
      const message =
        idle === null
          ? ({ type: 'session.begin', step, mapping: this.mapping, task } as const)
          : ({ type: 'session.task', task } as const);
      this.post({ actor: 'session', id, message });
    });
  }

  /** Cancels the running task: its action ends by its own method, and the environments are exited. */
  cancel(reason: string): void {
    if (this.current === null) return;
    const { sessionId: id, attemptId } = this.current;
    this.post({ actor: 'session', id, message: { type: 'session.cancel', attemptId, reason } });
  }

  /** Ends the last session and removes all files of the sessions. Returns whether all environments could be exited. */
  async close(): Promise<boolean> {
    await this.endIdle();
    await this.shown;
    this.host.stop();
    await this.processes.settled();
    await removeWorkspace(this.directory);
    process.off('exit', this.leaveNothing);
    return !this.hasExitFailures;
  }

  /** Ends at once: the guards kill the running processes, and the directory is removed as far as possible. */
  private readonly leaveNothing = (): void => {
    try {
      rmSync(this.directory, { recursive: true, force: true, maxRetries: 3 });
    } catch {
      // Something of the task that is still being ended has written to it.
    }
  };

  private async endIdle(): Promise<void> {
    const { idle } = this;
    if (idle === null) return;
    this.idle = null;
    const gone = new Promise<void>((resolve) => this.waiting.set(idle, resolve));
    this.post({ actor: 'session', id: idle, message: { type: 'session.end' } });
    await gone;
  }

  private processEvents(): TaskProcessEvents {
    const events = processEvents((envelope) => this.post(envelope));
    return {
      ...events,
      closed: (id) => {
        events.closed(id);
        this.waiting.get(id)?.();
        this.waiting.delete(id);
      },
    };
  }

  private post(envelope: AgentEnvelope): void {
    this.host.post(envelope);
  }

  private execute(effect: AgentEffect): void {
    switch (effect.kind) {
      case 'report':
        if (this.current !== null) this.current.report = effect.report;
        return;
      case 'ship-logs':
        this.shown = this.shown.then(() => this.show(effect.attemptId, effect.chunks));
        return;
      case 'exit-failed':
        this.hasExitFailures = true;
        return;
      case 'stopped': {
        const { current } = this;
        this.current = null;
        if (current?.isFollowed === true && current.report?.status === 'succeeded') {
          this.idle = current.sessionId;
        }
        current?.onEnded(current.report);
        return;
      }
      case 'report-progress':
      case 'follow-cancels':
      case 'unfollow-cancels':
      case 'make-previews':
        return;
      case 'announce':
      case 'probe-absence':
      case 'request-lease':
      case 'give-up-leases':
      case 'follow-owner':
      case 'spool-logs':
      case 'ship-spool':
      case 'set-contact-deadline':
        throw new Error(`there is no service for ${effect.kind}`);
      case 'stage':
      case 'stop-staging':
      case 'forget-staging':
        executeOnStaging(this.staging, effect);
        return;
      default:
        executeOnProcesses(this.processes, effect);
    }
  }

  private async show(attemptId: AttemptId, chunks: readonly LogMessage[]): Promise<void> {
    try {
      for (const chunk of chunks) await this.events.output(chunk);
    } catch (error) {
      this.current?.failed(error);
    }
    this.post({
      actor: 'shipper',
      id: attemptId,
      message: { type: 'logs.stored', stored: chunks.length, failure: null },
    });
  }
}
