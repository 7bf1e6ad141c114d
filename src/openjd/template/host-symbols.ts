import type { FileStyle } from '../expr/paths/parsed-path.ts';
import { parseType } from '../expr/type-system/type-text.ts';
import { BOOL, INT, PATH, resolvedType, STRING, type ResolvedType } from '../expr/type-system/expr-type.ts';
import { unresolvedOf, type Value } from '../expr/values/value.ts';
import { chunkOfText, taskValueTypes, valueOfText, valueTypes } from './language/typed-values.ts';
import { replacePaths } from './path-values.ts';
import type { LetValue, ParameterValue, TaskParameterPlan } from './plan.ts';

/** Values that a worker has when it resolves a format string of a script. */
export interface HostContext {
  /** Values of the job parameters by name. */
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  /** Null before there is a session: its values are unknown. */
  readonly session: SessionValues | null;
  /**
   * Owner of the script: names of files begin with `Task.File.` or `Env.File.`, and only a step's script can refer to
   * the task.
   */
  readonly scope: { readonly kind: 'environment' } | { readonly kind: 'task'; readonly task: TaskValues };
  /** Absolute paths of the script's embedded files, by name; null if not known yet. */
  readonly files: ReadonlyMap<string, string | null>;
  /** Maps a PATH value to this host. */
  readonly mapPath: (path: string) => string;
  /**
   * Paths of job parameters that override the mapping, by their names (path-values.ts): copies in the session's
   * directory.
   */
  readonly staged?: ReadonlyMap<string, string>;
  /** Set for a template with the extension EXPR: values have types. Absent: all values are text. */
  readonly typed?: TypedContext;
}

/** Additional context with EXPR. */
export interface TypedContext {
  readonly jobName: string;
  /** Absent in the script of a job environment. */
  readonly stepName?: string;
  /** Bindings of the step. */
  readonly lets?: readonly LetValue[];
  /** Path format of this host. */
  readonly pathStyle: FileStyle;
}

export interface SessionValues {
  readonly workingDirectory: string;
  readonly pathMappingRulesFile: string;
  readonly hasPathMappingRules: boolean;
}

export interface TaskValues {
  readonly definitions: readonly TaskParameterPlan[];
  /** Values of the task parameters by name, as `Space.at` gives them. */
  readonly values: Readonly<Record<string, string>>;
}

/** The mapping of a session without path mapping rules. */
export const unmappedPath = (path: string): string => path;

const FIRST_INTEGER = /^-?[0-9]+/;
/** The end of the last part of a range expression, before its step. */
const LAST_INTEGER = /(?:^|,|[0-9]-)(-?[0-9]+)(?::[0-9]+)?$/;

/**
 * Returns the values by symbol (specification, section 7.3.1; docs/contract/openjd.md#format-strings). Symbols outside
 * of the scope are missing; unknown values are unresolved.
 */
export function hostSymbols(context: HostContext): ReadonlyMap<string, Value> {
  const { session, scope, typed } = context;
  const symbols = new Map<string, Value>();
  const set: SetSymbol = (symbol, type, text, read = valueOfText) => {
    const own = typed === undefined ? STRING : type;
    symbols.set(symbol, text === null ? unresolvedOf(own) : read(own, text, typed?.pathStyle ?? 'posix'));
  };
  set('Session.WorkingDirectory', PATH, session?.workingDirectory ?? null);
  set('Session.PathMappingRulesFile', PATH, session?.pathMappingRulesFile ?? null);
  set('Session.HasPathMappingRules', BOOL, session === null ? null : `${session.hasPathMappingRules}`);
  for (const [name, parameter] of Object.entries(context.parameters)) {
    const types = valueTypes(parameter.type);
    const mapped = replacePaths(
      name,
      parameter,
      (path) => context.staged?.get(path.name) ?? context.mapPath(path.path),
    );
    set(`Param.${name}`, types.value, mapped);
    set(`RawParam.${name}`, types.raw, parameter.value);
  }
  const prefix = scope.kind === 'task' ? 'Task' : 'Env';
  for (const [name, path] of context.files) set(`${prefix}.File.${name}`, PATH, path);
  if (scope.kind === 'task') addTask(set, scope.task, context.mapPath);
  if (typed !== undefined) addNames(symbols, set, typed);
  return symbols;
}

type SetSymbol = (symbol: string, type: ResolvedType, text: string | null, read?: typeof valueOfText) => void;

function addTask(set: SetSymbol, task: TaskValues, mapPath: (path: string) => string): void {
  for (const { name, type } of task.definitions) {
    const value = Object.hasOwn(task.values, name) ? task.values[name] : undefined;
    if (value === undefined) continue;
    const types = taskValueTypes(type);
    const read = type === 'CHUNK[INT]' ? chunkOfText : valueOfText;
    set(`Task.Param.${name}`, types.value, type === 'PATH' ? mapPath(value) : value, read);
    set(`Task.RawParam.${name}`, types.raw, value, read);
    if (type !== 'CHUNK[INT]') continue;
    const start = FIRST_INTEGER.exec(value)?.[0];
    const end = LAST_INTEGER.exec(value)?.[1];
    if (start !== undefined) set(`Task.Param.${name}.Start`, INT, start);
    if (end !== undefined) set(`Task.Param.${name}.End`, INT, end);
  }
}

function addNames(
  symbols: Map<string, Value>,
  set: SetSymbol,
  { jobName, stepName, lets = [], pathStyle }: TypedContext,
): void {
  set('Job.Name', STRING, jobName);
  if (stepName !== undefined) set('Step.Name', STRING, stepName);
  for (const { name, type, value } of lets) {
    const parsed = parseType(type);
    if (parsed !== null) symbols.set(name, valueOfText(resolvedType(parsed), value, pathStyle));
  }
}
