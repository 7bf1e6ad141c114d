import type { DeliveredPaths } from '../../../src/core/delivery/delivered-paths.ts';
import type { AttemptId, SessionId, TaskId } from '../../../src/core/ids.ts';
import type { ExprSettings } from '../../../src/openjd/template/language/expressions.ts';
import type { ActionPlan } from '../../../src/openjd/template/plan.ts';
import type { StepAssignment } from '../../../src/core/wire/bus-messages.ts';
import type { LogLevel } from './directives.ts';
import type { SessionTask } from './messages.ts';
import type { Redactor } from './redaction.ts';
import type { EnvironmentScript, TaskScript } from './scripts.ts';
import type { StagingDirection } from '../../../src/core/ports/staging.ts';

export type SessionPhase =
  /** The directory and the guard are being made. */
  | 'opening'
  /** Environments are entered, then the task runs. */
  | 'working'
  /** The task has succeeded and another may come: its end is reported once its logs are on the bus. */
  | 'reporting'
  /** Everything is entered, and there is no task. */
  | 'idle'
  /** Environments are exited, the last one first. */
  | 'exiting'
  /** What is left of the session is being ended, and the last logs are on their way. */
  | 'closing'
  | 'over';

/** How the attempt ended, as it will be reported. */
export interface SessionResult {
  readonly status: 'succeeded' | 'failed' | 'canceled';
  readonly exitCode?: number;
  readonly message: string;
}

/** Why the session stops without a result: the worker wants it, or the service has closed the attempt. */
export type StopReason = 'interrupted' | 'void';

/** The action that runs now. */
export interface RunningAction {
  readonly run: number;
  readonly kind: 'enter' | 'run' | 'exit';
  /** The environment whose action it is; null for the task's. */
  readonly environment: EnvironmentScript | null;
  readonly plan: ActionPlan;
  /** It has been asked to end. */
  isStopping: boolean;
  hasTimedOut: boolean;
  /** The text of the last `openjd_fail`. */
  failText: string | null;
  /** A directive that cannot be understood: the action fails, whatever its exit code. */
  directiveError: string | null;
  /** How much of its output is logged, when it has said so itself. */
  logLevel: LogLevel | null;
}

/** An environment that has been entered, or whose onEnter was tried. */
export interface EnteredEnvironment {
  readonly script: EnvironmentScript;
  /** Its `variables`, resolved. */
  readonly variables: Readonly<Record<string, string>>;
  /** What directives of its onEnter have set; null for what they have unset. They win over its variables. */
  readonly directives: Map<string, string | null>;
}

/** The attempt that the session is there for now, from its assignment to its report. */
export interface CurrentAttempt extends Omit<SessionTask, 'isLast'> {
  /** Whether no other task of the step is expected. */
  isLast: boolean;
  readonly script: TaskScript;
  isReportedRunning: boolean;
  /** What its running action has said last, from 0 to 100, or null; see statusLineOf. */
  progress: number | null;
  statusMessage: string;
  /** How its action ended, when its files are still to be copied out. */
  outcome: SessionResult | null;
  result: SessionResult | null;
  isDrained: boolean;
}

/** Whose log takes what the session writes. */
export interface LogOwner {
  readonly attemptId: AttemptId;
  readonly taskId: TaskId;
}

export interface SessionState {
  readonly sessionId: SessionId;
  readonly directory: string;
  readonly keepsDirectory: boolean;
  readonly step: StepAssignment;
  /** Whether the template declares REDACTED_ENV_VARS. */
  readonly setsRedacted: boolean;
  /** Hides in all that leaves the session what its processes want hidden. */
  readonly redactor: Redactor;
  /** How much of the output of actions is logged. */
  logLevel: LogLevel;
  /** In the order of entering: the job's, then the step's. */
  readonly environments: readonly EnvironmentScript[];
  /** What its scripts are evaluated with, in a template with EXPR. */
  readonly expressions: ExprSettings;
  /** What the deliveries of the step change. */
  readonly paths: DeliveredPaths;
  readonly staging: SessionStaging;
  phase: SessionPhase;
  /** Null when there is none whose end is still to be reported. */
  attempt: CurrentAttempt | null;
  /** Of the attempt, and of the last one when there is none. */
  log: LogOwner;
  /** How many environments were tried so far. */
  tried: number;
  readonly entered: EnteredEnvironment[];
  action: RunningAction | null;
  runs: number;
  /** Failures of onExit, for the report. */
  readonly exitFailures: string[];
  stop: StopReason | null;
  /** The session has to end now: what is left of the exits is skipped. */
  isHurried: boolean;
  isClosed: boolean;
}

/** Copies between storage locations and the session's directory (delivery `stage_locally`). */
export interface SessionStaging {
  runs: number;
  /** The copy that is under way, or null. */
  underWay: { readonly run: number; readonly direction: StagingDirection } | null;
  /** What the tasks read is there, or could not be copied. */
  isIn: boolean;
}
