import type { PathDelivery } from './deliveries.ts';
import type { RangeConstraint, SpaceDescription } from './space-description.ts';

/**
 * The result of resolving a template and its parameter values at job creation: everything that scheduling and the
 * worker need, and nothing that grows with the number of tasks. Immutable; stored with the job.
 */
export interface JobPlan {
  readonly version: 1;
  readonly jobName: string;
  /** Values of the job parameters by name, as text (PATH values raw, not mapped). */
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  readonly environments: readonly EnvironmentPlan[];
  readonly steps: readonly StepPlan[];
}

export type BaseType = 'INT' | 'FLOAT' | 'STRING' | 'PATH';

/** Types of job parameters; those beyond the base types exist only with the extension EXPR (parameter-types.ts). */
export type ParameterType =
  | BaseType
  | 'BOOL'
  | 'RANGE_EXPR'
  | 'LIST[STRING]'
  | 'LIST[PATH]'
  | 'LIST[INT]'
  | 'LIST[FLOAT]'
  | 'LIST[BOOL]'
  | 'LIST[LIST[INT]]';

export interface ParameterValue {
  readonly type: ParameterType;
  /** The canonical text: integers in plain decimal, `true` and `false`, a list as JSON; everything else as given. */
  readonly value: string;
  /** Of a PATH or LIST[PATH] that the job reads or writes; absent is NONE. */
  readonly dataFlow?: DataFlow;
  /** Of a PATH or LIST[PATH] with a dataFlow; absent is DIRECTORY. */
  readonly objectType?: ObjectType;
}

/** Data flow of a PATH (specification, section 2.2). */
export type DataFlow = 'IN' | 'OUT' | 'INOUT';

export type ObjectType = 'FILE' | 'DIRECTORY';

export interface TaskParameterValue {
  readonly type: TaskParameterType;
  readonly value: string;
}

export interface StepPlan {
  readonly name: string;
  /** Position in the template, from 0. */
  readonly order: number;
  /** Orders of the steps that must complete first. */
  readonly dependsOn: readonly number[];
  readonly taskCount: number;
  /** Types of the task parameters, in the order of their definition. */
  readonly taskParameters: readonly TaskParameterPlan[];
  /** Chunking of a parameter; absent if the step has none. */
  readonly chunks?: ChunksPlan;
  readonly space: SpaceDescription;
  readonly requirements: StepRequirements;
  readonly environments: readonly EnvironmentPlan[];
  readonly script: ScriptPlan;
  /** The bindings of its `let` with their values, in order; absent if there are none. */
  readonly lets?: readonly LetValue[];
  /** Path deliveries to its tasks; absent if the template declares none. */
  readonly deliveries?: readonly PathDelivery[];
}

export interface TaskParameterPlan {
  readonly name: string;
  readonly type: TaskParameterType;
}

/** A value of type CHUNK[INT] is a range expression: `1-10`, `1,3,7`. */
export type TaskParameterType = BaseType | 'CHUNK[INT]';

/**
 * Specification, section 3.4.1.5. `defaultTaskCount` determines the described space. With a target, chunks that have
 * not started may get another size (docs/scheduling.md#adaptive-chunks).
 */
export interface ChunksPlan {
  readonly parameter: string;
  readonly defaultTaskCount: number;
  /** 0 means no target. */
  readonly targetRuntimeSeconds: number;
  readonly rangeConstraint: RangeConstraint;
}

/** Host requirements, resolved (docs/contract/openjd.md#host-requirements). */
export interface StepRequirements {
  /** Cores that one task reserves; null reserves the whole machine. */
  readonly cores: number | null;
  /** Promoted compute location; empty if there is none. A promoted location is not among the attributes. */
  readonly computeLocation: string;
  readonly amounts: readonly AmountRequirement[];
  /** Names of the usage pools of which one task holds one slot each, in lower case. */
  readonly pools: readonly string[];
  /** Minimum amounts of these pools above 1, rounded up: only some pools count them (docs/policy.md#what-a-pool-counts). */
  readonly poolAmounts?: Readonly<Record<string, number>>;
  readonly attributes: readonly AttributeRequirement[];
  /** Set if the worker evaluates expressions for its tasks: the template declares EXPR. Absent is false. */
  readonly usesExpressions?: boolean;
}

/** An amount of a worker other than amount.worker.vcpu. Names are lower case. */
export interface AmountRequirement {
  readonly name: string;
  readonly min?: number;
  readonly max?: number;
}

/** Names are lower case; values are as written and case-insensitive. */
export interface AttributeRequirement {
  readonly name: string;
  readonly anyOf?: readonly string[];
  readonly allOf?: readonly string[];
}

/** Strings marked "format string" are resolved by the worker, in host scope. */
export interface ActionPlan {
  /** Format string. */
  readonly command: string;
  /** Format strings. */
  readonly args: readonly string[];
  /** Seconds; absent means the default of the action: 300 for an onExit, else no limit. */
  readonly timeoutSeconds?: number;
  readonly cancelation?: CancelationPlan;
}

export type CancelationPlan =
  | { readonly mode: 'TERMINATE' }
  /** The default period is already filled in. */
  | { readonly mode: 'NOTIFY_THEN_TERMINATE'; readonly notifyPeriodSeconds?: number };

export interface EmbeddedFilePlan {
  readonly name: string;
  /** Literal basename; absent means that the worker chooses one. */
  readonly filename?: string;
  readonly runnable: boolean;
  /** Format string. */
  readonly data: string;
  /** Line ends of the written file. Absent: the resolved text is written as it is. */
  readonly endOfLine?: EndOfLine;
}

export type EndOfLine = 'LF' | 'CRLF';

/** An evaluated `let` binding of a job's creation. */
export interface LetValue {
  readonly name: string;
  /** Its type in the notation of the expression language: `list[int]`. */
  readonly type: string;
  /** The value in the notation of the expression language: a list is JSON. */
  readonly value: string;
}

/** A binding of a script's `let`, which the worker evaluates. */
export interface LetPlan {
  readonly name: string;
  readonly expression: string;
}

export interface ScriptPlan {
  readonly onRun: ActionPlan;
  readonly embeddedFiles: readonly EmbeddedFilePlan[];
  /** In their order; absent when there are none. */
  readonly lets?: readonly LetPlan[];
}

export interface EnvironmentPlan {
  readonly name: string;
  /** Values are format strings. */
  readonly variables: Readonly<Record<string, string>>;
  readonly onEnter?: ActionPlan;
  readonly onExit?: ActionPlan;
  /** Absent if it wraps nothing. A worker that cannot wrap gets no such environment. */
  readonly wrap?: WrapPlan;
  readonly embeddedFiles: readonly EmbeddedFilePlan[];
  /** Extensions of the environment template that it comes from; absent for an environment of the job template. */
  readonly extensions?: readonly string[];
  /** Of its script, in their order; absent when there are none. */
  readonly lets?: readonly LetPlan[];
}

/**
 * The actions of an environment that run instead of the actions of inner environments and of tasks (specification,
 * section 4.3, extension WRAP_ACTIONS).
 */
export interface WrapPlan {
  readonly onEnvEnter: HookPlan;
  readonly onTaskRun: HookPlan;
  readonly onEnvExit: HookPlan;
}

/** An action whose further fields can refer to the action that it replaces. */
export interface HookPlan extends ActionPlan {
  /** Format strings that the worker resolves. They replace `timeoutSeconds` and `cancelation`. */
  readonly formats?: HookFormats;
}

export interface HookFormats {
  readonly timeout?: string;
  /** `TERMINATE`, `NOTIFY_THEN_TERMINATE`, or null for an action without a method. */
  readonly mode?: string;
  readonly notifyPeriod?: string;
}
