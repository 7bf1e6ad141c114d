/**
 * State of a session. Phases: opening, working, then reporting and idle (once per task if another task may follow),
 * exiting, closing, ended. Every phase can lead to exiting or closing; the only exit is `ended`, after which the actor
 * is evicted.
 *
 * Invariants: at most one action and one copy run at a time, never both. An attempt gets one result, and `result`, once
 * set, is kept. `entered` contains exactly the environments that are still to be exited, outermost first. `attempt` is
 * null after its end was sent to the registrar.
 */

import type { DeliveredPaths } from '../../../src/core/delivery/delivered-paths.ts';
import type { AttemptId, SessionId, TaskId } from '../../../src/core/ids.ts';
import type { ExprSettings } from '../../../src/openjd/template/language/expressions.ts';
import type { ActionPlan } from '../../../src/openjd/template/plan.ts';
import type { ResourceUsage } from '../../../src/core/resource-usage.ts';
import type { StepAssignment } from '../../../src/core/wire/bus-messages.ts';
import type { LogLevel } from './directives.ts';
import type { SessionTask } from './messages.ts';
import type { LongLine, Redactor } from './redaction.ts';
import type { EnvironmentScript, TaskScript } from './scripts.ts';
import type { StagingDirection } from '../../../src/core/ports/staging.ts';
import type { OutputTail } from '../../../src/core/failure/failure-excerpt.ts';
import type { OutputStream } from '../../../src/core/ports/task-processes.ts';

export type SessionPhase =
  /** The directory and the supervisor are being created. */
  | 'opening'
  /** Environments are entered, then the task runs. */
  | 'working'
  /** The task has succeeded and another may follow. Its end is reported once its logs are stored. */
  | 'reporting'
  /** All environments are entered, and there is no task. */
  | 'idle'
  /** Environments are exited, innermost first. */
  | 'exiting'
  /** Remaining processes are being ended and the last logs are being stored. */
  | 'closing'
  | 'ended';

/** Result of the attempt for its report. */
export interface SessionResult {
  readonly status: 'succeeded' | 'failed' | 'canceled';
  readonly exitCode?: number;
  readonly message: string;
  /** Of the task's own action. Absent: unknown. */
  readonly usage?: ResourceUsage;
}

/** Reason for stopping without a result: the worker stops it, or the service has closed the attempt. */
export type StopReason = 'interrupted' | 'revoked';

/** The action in progress. */
export interface RunningAction {
  readonly run: number;
  readonly kind: 'enter' | 'run' | 'exit';
  /** The environment of the action; null for the task's own action. */
  readonly environment: EnvironmentScript | null;
  /** The hook that runs instead of it, for messages; null for none. */
  readonly wrapper: string | null;
  /** The plan of its process: that of the hook if there is one. */
  readonly plan: ActionPlan;
  /** Whether it was asked to end. */
  isStopping: boolean;
  hasTimedOut: boolean;
  /** The text of the last `openjd_fail`. */
  failText: string | null;
  /** Error of an invalid directive: the action fails, whatever its exit code. */
  directiveError: string | null;
  /** The log level that the action has set for its own output; null for none. */
  logLevel: LogLevel | null;
}

/** An environment that was entered, or whose onEnter was tried. */
export interface EnteredEnvironment {
  readonly script: EnvironmentScript;
  /** Its resolved `variables`. */
  readonly variables: Readonly<Record<string, string>>;
  /** Variables set by directives of its onEnter; null for unset ones. They override `variables`. */
  readonly directives: Map<string, string | null>;
}

/** The current attempt, from its assignment to its report. */
export interface CurrentAttempt extends Omit<SessionTask, 'isLast'> {
  /** Whether no other task of the step is expected. */
  isLast: boolean;
  readonly script: TaskScript;
  isReportedRunning: boolean;
  /** When its first process was started: milliseconds since the epoch. Null before. */
  startedAt: number | null;
  /** Last progress of its running action, from 0 to 100, or null; the status message is limited by statusLineOf. */
  progress: number | null;
  statusMessage: string;
  /** Last lines of its log, without redacted values. */
  readonly output: OutputTail;
  /** Paths that its own action has named as outputs. */
  outputs: readonly string[];
  /** Result of its action while its output files are being copied out. */
  outcome: SessionResult | null;
  result: SessionResult | null;
  isDrained: boolean;
}

/** The attempt whose log gets the session's output. */
export interface LogOwner {
  readonly attemptId: AttemptId;
  readonly taskId: TaskId;
}

/** A line that is delivered in pieces. */
export interface LongOutput {
  /** The action whose output it is. */
  readonly run: number;
  readonly isLogged: boolean;
  readonly rest: LongLine;
}

export interface SessionState {
  readonly sessionId: SessionId;
  readonly directory: string;
  readonly keepsDirectory: boolean;
  readonly step: StepAssignment;
  /** Indices of the GPUs that its tasks run on; empty if none were assigned. */
  readonly gpus: readonly number[];
  /** Redacts secrets of the session's processes in everything that leaves the session. */
  readonly redactor: Redactor;
  /** The long line of each stream whose end has not arrived yet. */
  readonly longLines: Record<OutputStream, LongOutput | null>;
  /** Log level of all actions. */
  logLevel: LogLevel;
  /** In the order of entering: the job's, then the step's. */
  readonly environments: readonly EnvironmentScript[];
  /** Settings for expressions in a template with EXPR. */
  readonly expressions: ExprSettings;
  /** Paths after the deliveries of the step. */
  readonly paths: DeliveredPaths;
  readonly staging: SessionStaging;
  phase: SessionPhase;
  /** Null if no attempt is waiting for its report. */
  attempt: CurrentAttempt | null;
  /** The current attempt, or the last one. */
  log: LogOwner;
  /** Number of environments whose onEnter was tried. */
  tried: number;
  readonly entered: EnteredEnvironment[];
  action: RunningAction | null;
  runs: number;
  /** Failures of onExit, for the report. */
  readonly exitFailures: string[];
  stop: StopReason | null;
  /** Whether the session must end now: remaining exits are skipped. */
  isHurried: boolean;
  isClosed: boolean;
}

/** Copies between storage locations and the session's directory (delivery `stage_locally`). */
export interface SessionStaging {
  runs: number;
  /** The copy in progress, or null. */
  underWay: { readonly run: number; readonly direction: StagingDirection } | null;
  /** Whether staging in has started: input files are copied once per session. */
  isIn: boolean;
}
