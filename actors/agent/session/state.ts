import type { AttemptId, WorkerId } from '../../../src/core/ids.ts';
import type { ActionPlan } from '../../../src/core/openjd/plan.ts';
import type { Assignment, StepAssignment } from '../../../src/core/wire/bus-messages.ts';
import type { EnvironmentScript, TaskScript } from './scripts.ts';

export type SessionPhase =
  /** The directory and the guard are being made. */
  | 'opening'
  /** Environments are entered, then the task runs. */
  | 'working'
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
  isStarted: boolean;
  /** It has been asked to end. */
  isStopping: boolean;
  hasTimedOut: boolean;
  /** The text of the last `openjd_fail`. */
  failText: string | null;
  /** A directive that cannot be understood: the action fails, whatever its exit code. */
  directiveError: string | null;
}

/** An environment that has been entered, or whose onEnter was tried. */
export interface EnteredEnvironment {
  readonly script: EnvironmentScript;
  /** Its `variables`, resolved. */
  readonly variables: Readonly<Record<string, string>>;
  /** What directives of its onEnter have set; null for what they have unset. They win over its variables. */
  readonly directives: Map<string, string | null>;
}

export interface SessionState {
  readonly attemptId: AttemptId;
  readonly workerId: WorkerId;
  readonly sessionId: string;
  readonly directory: string;
  readonly assignment: Assignment;
  readonly step: StepAssignment;
  /** In the order of entering: the job's, then the step's. */
  readonly environments: readonly EnvironmentScript[];
  readonly task: TaskScript;
  phase: SessionPhase;
  /** How many environments were tried so far. */
  tried: number;
  readonly entered: EnteredEnvironment[];
  action: RunningAction | null;
  runs: number;
  isReportedRunning: boolean;
  result: SessionResult | null;
  /** Failures of onExit, for the report. */
  readonly exitFailures: string[];
  stop: StopReason | null;
  /** The session has to end now: what is left of the exits is skipped. */
  isHurried: boolean;
  isClosed: boolean;
  isDrained: boolean;
}
