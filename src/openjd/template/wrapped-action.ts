import {
  INT,
  listType,
  NULLTYPE,
  STRING,
  unionOfResolved,
  type ResolvedType,
} from '../expr/type-system/expr-type.ts';
import { listOfType, type Value } from '../expr/values/value.ts';

/** The action that a hook replaces (specification, section 4.3.1). */
export interface WrappedAction {
  readonly command: string;
  readonly args: readonly string[];
  /** Variables of the session, as `NAME=value`. */
  readonly environment: readonly string[];
  /** Null if the action has none. */
  readonly timeoutSeconds: number | null;
  /** Null if the action has no method. */
  readonly cancelationMode: string | null;
  /** With its default; null unless the mode is NOTIFY_THEN_TERMINATE. */
  readonly notifyPeriodSeconds: number | null;
  /** Name of the environment of the action, or of the step of the task. */
  readonly owner: { readonly kind: 'environment' | 'step'; readonly name: string };
}

const TEXTS = listType(STRING);
const OPTIONAL_INT = unionOfResolved([INT, NULLTYPE]);
const OPTIONAL_STRING = unionOfResolved([STRING, NULLTYPE]);

const ACTION_SYMBOLS: readonly (readonly [symbol: string, type: ResolvedType])[] = [
  ['WrappedAction.Command', STRING],
  ['WrappedAction.Args', TEXTS],
  ['WrappedAction.Environment', TEXTS],
  ['WrappedAction.Timeout', OPTIONAL_INT],
  ['WrappedAction.Cancelation.Mode', OPTIONAL_STRING],
  ['WrappedAction.Cancelation.NotifyPeriodInSeconds', OPTIONAL_INT],
];

const OWNER_SYMBOL = { environment: 'WrappedEnv.Name', step: 'WrappedStep.Name' } as const;

/** Returns the symbols of a hook with their types, by what it wraps: an environment's action or that of a step's task. */
export const wrappedSymbolTypes = (
  owner: WrappedAction['owner']['kind'],
): readonly (readonly [symbol: string, type: ResolvedType])[] => [
  ...ACTION_SYMBOLS,
  [OWNER_SYMBOL[owner], STRING],
];

/** Why the symbols do not exist in other places. */
export const WRAPPED_ELSEWHERE: readonly (readonly [symbol: string, reason: string])[] = [
  ...ACTION_SYMBOLS.map(
    ([symbol]) => [symbol, 'it exists only in onWrapEnvEnter, onWrapTaskRun and onWrapEnvExit'] as const,
  ),
  [OWNER_SYMBOL.environment, 'it exists only in onWrapEnvEnter and onWrapEnvExit'],
  [OWNER_SYMBOL.step, 'it exists only in onWrapTaskRun'],
];

/** Returns the values of the symbols of a hook. */
export const wrappedValues = (action: WrappedAction): ReadonlyMap<string, Value> =>
  new Map<string, Value>([
    ['WrappedAction.Command', action.command],
    ['WrappedAction.Args', listOfType(TEXTS, action.args)],
    ['WrappedAction.Environment', listOfType(TEXTS, action.environment)],
    ['WrappedAction.Timeout', action.timeoutSeconds],
    ['WrappedAction.Cancelation.Mode', action.cancelationMode],
    ['WrappedAction.Cancelation.NotifyPeriodInSeconds', action.notifyPeriodSeconds],
    [OWNER_SYMBOL[action.owner.kind], action.owner.name],
  ]);
