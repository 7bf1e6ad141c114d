import type { Located, Text } from '../located.ts';
import type { DataFlow, EndOfLine, ObjectType, ParameterType, TaskParameterType } from '../plan.ts';
import type { DeliveryType } from '../deliveries.ts';

/**
 * The readable parts of a template. A field is undefined if it is absent or was already reported, so that later passes
 * check the rest and no error is reported twice. Without findings, everything that the specification requires is
 * present.
 */
export interface TemplateShape {
  readonly at: Located;
  readonly extensions: ReadonlySet<string>;
  readonly name: Text | undefined;
  readonly description: Text | undefined;
  readonly parameters: readonly ParameterShape[];
  readonly jobEnvironments: readonly EnvironmentShape[];
  readonly steps: readonly StepShape[];
  readonly deliveries: readonly DeliveryShape[] | undefined;
}

/** A word of a field and its position. */
export interface Word<Value extends string> {
  readonly value: Value;
  readonly at: Located;
}

/** Constraints on a value, or on each element of a list. */
export interface ConstraintsShape {
  readonly allowedValues: { readonly at: Located; readonly items: readonly Located[] } | undefined;
  readonly minLength: Located | undefined;
  readonly maxLength: Located | undefined;
  readonly minValue: Located | undefined;
  readonly maxValue: Located | undefined;
  readonly item: ConstraintsShape | undefined;
}

export interface ParameterShape extends ConstraintsShape {
  readonly at: Located;
  readonly name: Text | undefined;
  readonly type: ParameterType | undefined;
  readonly description: Text | undefined;
  readonly default: Located | undefined;
  readonly objectType: Word<ObjectType> | undefined;
  readonly dataFlow: Word<DataFlow | 'NONE'> | undefined;
  readonly userInterface: UserInterfaceShape | undefined;
}

export interface UserInterfaceShape {
  readonly at: Located;
  readonly control: Text | undefined;
  readonly label: Text | undefined;
  readonly groupLabel: Text | undefined;
  readonly decimals: Located | undefined;
  readonly singleStepDelta: Located | undefined;
  readonly fileFilters: { readonly at: Located; readonly items: readonly FileFilterShape[] } | undefined;
  readonly fileFilterDefault: FileFilterShape | undefined;
}

export interface FileFilterShape {
  readonly at: Located;
  readonly label: Text | undefined;
  readonly patterns: readonly Text[];
}

export interface EnvironmentShape {
  readonly at: Located;
  readonly name: Text | undefined;
  readonly description: Text | undefined;
  readonly variables: readonly VariableShape[];
  readonly hasScript: boolean;
  /** Bindings of its script. */
  readonly lets: readonly LetShape[];
  readonly onEnter: ActionShape | undefined;
  readonly onExit: ActionShape | undefined;
  /** Undefined if it wraps nothing. */
  readonly wrap: WrapShape | undefined;
  readonly embeddedFiles: readonly EmbeddedFileShape[];
}

/** The actions that run instead of those of inner environments and tasks (section 4.3, extension WRAP_ACTIONS). */
export interface WrapShape {
  /** The actions of the environment. */
  readonly at: Located;
  readonly onEnvEnter: ActionShape | undefined;
  readonly onTaskRun: ActionShape | undefined;
  readonly onEnvExit: ActionShape | undefined;
}

/** An element of a `let` (section 3.6.1), if it has the form `name = expression`. */
export interface LetShape {
  readonly at: Located;
  readonly name: string;
  readonly expression: string;
}

/** `value.at.key` is the name of the variable. */
export interface VariableShape {
  readonly name: string;
  readonly value: Text;
}

export interface ActionShape {
  readonly at: Located;
  readonly command: Text | undefined;
  /** Format strings of a simple action that the template does not contain; they come before `args`. */
  readonly leadingArgs: readonly string[];
  readonly args: readonly Text[];
  readonly timeout: Located | undefined;
  readonly cancelation: CancelationShape | undefined;
}

export interface CancelationShape {
  readonly at: Located;
  /** A word, or with FEATURE_BUNDLE_1 a format string. */
  readonly mode: Text | undefined;
  readonly notifyPeriod: Located | undefined;
}

export interface EmbeddedFileShape {
  readonly at: Located;
  readonly name: Text | undefined;
  readonly filename: Text | undefined;
  readonly runnable: boolean;
  readonly data: Text | undefined;
  readonly endOfLine: Word<EndOfLine | 'AUTO'> | undefined;
  /** Whether it is the script of a simple action. */
  readonly isGenerated: boolean;
}

export interface StepShape extends StepScriptShape {
  readonly at: Located;
  readonly name: Text | undefined;
  readonly description: Text | undefined;
  readonly dependencies: readonly Text[];
  readonly environments: readonly EnvironmentShape[];
  readonly hostRequirements: HostRequirementsShape | undefined;
  readonly space: SpaceShape | undefined;
  /** Bindings of the step itself: evaluated at job creation. */
  readonly lets: readonly LetShape[];
  /** Replaces the template's deliveries. */
  readonly deliveries: readonly DeliveryShape[] | undefined;
}

/** The `script` of a step, or what its simple action stands for (sections 3.5 and 8). */
export interface StepScriptShape {
  /** Its bindings: evaluated for each task. */
  readonly scriptLets: readonly LetShape[];
  readonly onRun: ActionShape | undefined;
  readonly embeddedFiles: readonly EmbeddedFileShape[];
}

/** An element of `pathDelivery` (docs/decisions/path-delivery.md). Fields of other types are undefined. */
export interface DeliveryShape {
  readonly at: Located;
  readonly type: Word<DeliveryType> | undefined;
  readonly args: readonly Text[];
  readonly position: Word<'START' | 'END'> | undefined;
  readonly variable: Text | undefined;
  readonly entry: Text | undefined;
  readonly separator: Text | undefined;
}

export interface HostRequirementsShape {
  readonly at: Located;
  readonly amounts: readonly AmountShape[];
  readonly attributes: readonly AttributeShape[];
}

export interface AmountShape {
  readonly at: Located;
  readonly name: Text | undefined;
  readonly min: Located | undefined;
  readonly max: Located | undefined;
}

export interface AttributeShape {
  readonly at: Located;
  readonly name: Text | undefined;
  readonly anyOf: readonly Text[] | undefined;
  readonly allOf: readonly Text[] | undefined;
}

export interface SpaceShape {
  readonly at: Located;
  readonly parameters: readonly TaskParameterShape[];
  readonly combination: Text | undefined;
}

export interface TaskParameterShape {
  readonly at: Located;
  readonly name: Text | undefined;
  readonly type: TaskParameterType | undefined;
  readonly range: RangeShape | undefined;
  readonly chunks: ChunksShape | undefined;
}

export type RangeShape =
  | { readonly kind: 'expression'; readonly text: Text }
  | { readonly kind: 'list'; readonly at: Located; readonly items: readonly Located[] };

export interface ChunksShape {
  readonly at: Located;
  readonly defaultTaskCount: Located | undefined;
  readonly targetRuntimeSeconds: Located | undefined;
  readonly rangeConstraint: Text | undefined;
}
