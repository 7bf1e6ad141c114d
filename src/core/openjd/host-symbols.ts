import { replacePaths } from './path-values.ts';
import type { ParameterValue, TaskParameterPlan } from './plan.ts';

/** What is known on the worker when a format string of a script is resolved. */
export interface HostContext {
  /** Values of the job parameters by name. */
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  readonly session: SessionValues;
  /** Whose script it is: names of files begin with `Task.File.` or `Env.File.`, and only a step's script sees the task. */
  readonly scope: { readonly kind: 'environment' } | { readonly kind: 'task'; readonly task: TaskValues };
  /** Absolute paths of the script's embedded files, by name. */
  readonly files: ReadonlyMap<string, string>;
  /** Maps the value of a PATH to this host. */
  readonly mapPath: (path: string) => string;
  /** Paths of job parameters that are found elsewhere than their mapping says, by their names (path-values.ts): copies in the session's directory. */
  readonly staged?: ReadonlyMap<string, string>;
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
 * The values by symbol (specification, section 7.3.1; interface.md, rule 3 and SVC_CHUNK_BOUNDS), for `resolveFormatString`. The lookup gives
 * undefined for a symbol that does not exist in the scope.
 */
export function hostSymbols(context: HostContext): (symbol: string) => string | undefined {
  const { session, scope } = context;
  const symbols = new Map<string, string>([
    ['Session.WorkingDirectory', session.workingDirectory],
    ['Session.PathMappingRulesFile', session.pathMappingRulesFile],
    ['Session.HasPathMappingRules', session.hasPathMappingRules ? 'true' : 'false'],
  ]);
  for (const [name, parameter] of Object.entries(context.parameters)) {
    const mapped = replacePaths(
      name,
      parameter,
      (path) => context.staged?.get(path.name) ?? context.mapPath(path.path),
    );
    symbols.set(`Param.${name}`, mapped);
    symbols.set(`RawParam.${name}`, parameter.value);
  }
  const prefix = scope.kind === 'task' ? 'Task' : 'Env';
  for (const [name, path] of context.files) symbols.set(`${prefix}.File.${name}`, path);
  if (scope.kind === 'task') addTask(symbols, scope.task, context.mapPath);
  return (symbol) => symbols.get(symbol);
}

function addTask(symbols: Map<string, string>, task: TaskValues, mapPath: (path: string) => string): void {
  for (const { name, type } of task.definitions) {
    const value = Object.hasOwn(task.values, name) ? task.values[name] : undefined;
    if (value === undefined) continue;
    symbols.set(`Task.Param.${name}`, type === 'PATH' ? mapPath(value) : value);
    symbols.set(`Task.RawParam.${name}`, value);
    if (type !== 'CHUNK[INT]') continue;
    const start = FIRST_INTEGER.exec(value)?.[0];
    const end = LAST_INTEGER.exec(value)?.[1];
    if (start !== undefined) symbols.set(`Task.Param.${name}.Start`, start);
    if (end !== undefined) symbols.set(`Task.Param.${name}.End`, end);
  }
}
