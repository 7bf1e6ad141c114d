import { ANY, BOOL, INT, PATH, STRING, type ResolvedType } from '../expr/type-system/expr-type.ts';
import { unresolvedOf, type Value } from '../expr/values/value.ts';
import { UNKNOWN_TEXT } from './language/prepared-text.ts';
import { taskValueTypes, valueOfText, valueTypes } from './language/typed-values.ts';
import type { Text } from './located.ts';
import { rowOf } from './parameter-types.ts';
import type { ParameterType } from './plan.ts';
import type { StepShape } from './shape/template-shape.ts';
import { WRAPPED_ELSEWHERE, wrappedSymbolTypes } from './wrapped-action.ts';

/** The values that a format string may refer to (specification, section 7.3.1). Unresolved ones become known later. */
export interface Scope {
  readonly symbols: ReadonlyMap<string, Value>;
  /** Symbols that exist but must not be used here, with the reason. */
  readonly elsewhere: ReadonlyMap<string, string>;
  /** Symbols that have no value here in a service. */
  readonly notInService?: readonly string[];
  /** Set if it is resolved on the worker. */
  readonly isHost: boolean;
}

/** Known facts about a job while its format strings are checked or resolved. */
export interface JobFacts {
  /** Set if symbols have types (the extension EXPR): otherwise all values are text. */
  readonly isExpr: boolean;
  readonly parameters: readonly KnownParameter[];
  /** Null before it is resolved. */
  readonly jobName: string | null;
  /** Whether the names of job and step have values in requirements and parameter spaces (`SupportedFeatures`). */
  readonly namesAtCreation: boolean;
}

export interface KnownParameter {
  readonly name: string;
  /** Undefined if the template has no valid type. */
  readonly type: ParameterType | undefined;
  /** Null before it is submitted. */
  readonly value: string | null;
}

const SESSION_SYMBOLS: readonly (readonly [symbol: string, type: ResolvedType])[] = [
  ['Session.WorkingDirectory', PATH],
  ['Session.PathMappingRulesFile', PATH],
  ['Session.HasPathMappingRules', BOOL],
];

/** Types of a parameter with a reported error: they match everything. */
const UNKNOWN = { value: ANY, raw: ANY };

/** The scopes that all steps and environments of a template share. */
export interface JobScopes {
  readonly facts: JobFacts;
  /** Fields that are resolved at job creation. */
  readonly creation: Scope;
  /** Fields that are resolved on the worker. */
  readonly host: Scope;
}

export function jobScopes(facts: JobFacts): JobScopes {
  const creation = new Map<string, Value>();
  const host = new Map<string, Value>();
  const elsewhere = new Map<string, string>(WRAPPED_ELSEWHERE);
  for (const [symbol, type] of SESSION_SYMBOLS) {
    host.set(symbol, later(type, facts));
    elsewhere.set(symbol, 'it is known on the worker only');
  }
  for (const { name, type, value } of facts.parameters) {
    const types = type === undefined ? UNKNOWN : valueTypes(type);
    const given = (of: ResolvedType): Value =>
      value === null ? later(of, facts) : facts.isExpr ? valueOfText(of, value, 'posix') : value;
    creation.set(`RawParam.${name}`, given(types.raw));
    host.set(`RawParam.${name}`, given(types.raw));
    if (type !== undefined && rowOf(type).isPath) {
      elsewhere.set(`Param.${name}`, `a ${type} is mapped on the worker; use RawParam.${name} here`);
      host.set(`Param.${name}`, later(types.value, facts));
    } else {
      creation.set(`Param.${name}`, given(types.value));
      host.set(`Param.${name}`, given(types.value));
    }
  }
  if (facts.isExpr) host.set('Job.Name', facts.jobName ?? unresolvedOf(STRING));
  return {
    facts,
    creation: { symbols: creation, elsewhere, isHost: false },
    host: { symbols: host, elsewhere: new Map(WRAPPED_ELSEWHERE), isHost: true },
  };
}

/** Returns a value that is not known yet. */
const later = (type: ResolvedType, { isExpr }: JobFacts): Value =>
  isExpr ? unresolvedOf(type) : UNKNOWN_TEXT;

/** Returns the symbols of the names of the job and, inside of it, a step. They exist with EXPR only. */
function nameSymbols({ isExpr, jobName }: JobFacts, step?: StepShape): [string, Value][] {
  if (!isExpr) return [];
  const job: [string, Value] = ['Job.Name', jobName ?? unresolvedOf(STRING)];
  return step === undefined ? [job] : [job, ['Step.Name', step.name?.value ?? '']];
}

/** Returns the scope of a step's own `let`. */
export const stepLetScope = ({ facts, creation }: JobScopes, step: StepShape): Scope =>
  extended(creation, nameSymbols(facts, step));

/**
 * Returns the scope of a step's parameter space and host requirements: without the names of job and step in a service
 * (docs/contract/openjd.md#format-strings).
 */
export function stepCreationScope(
  { facts, creation }: JobScopes,
  step: StepShape,
  lets: ReadonlyMap<string, Value>,
): Scope {
  if (!facts.namesAtCreation) return extended(creation, [...lets]);
  const names = nameSymbols(facts, step);
  return { ...extended(creation, [...names, ...lets]), notInService: names.map(([name]) => name) };
}

/** Returns the scope of the timeouts and cancelations of job environments, which are resolved at job creation. */
export const jobActionScope = ({ facts, creation }: JobScopes): Scope =>
  extended(creation, nameSymbols(facts));

/** Returns the scope of the timeouts and cancelations of a step and its environments. */
export const stepActionScope = (
  { facts, creation }: JobScopes,
  step: StepShape,
  lets: ReadonlyMap<string, Value>,
): Scope => extended(creation, [...nameSymbols(facts, step), ...lets]);

/** Returns the scope of a hook: that of the actions of its environment, and the wrapped action. */
export const hookScope = (inner: Scope, facts: JobFacts, wraps: 'environment' | 'step'): Scope =>
  extended(
    inner,
    wrappedSymbolTypes(wraps).map(([symbol, type]) => [symbol, later(type, facts)]),
  );

/** The scopes of a step that are resolved on the worker. */
export interface StepScopes {
  /** Scope of its environments. */
  readonly environments: Scope;
  /** Scope of its script, without the script's own bindings. */
  readonly script: Scope;
}

/** `lets` are the bindings of the step with their values. */
export function stepScopes(
  { facts, host }: JobScopes,
  step: StepShape,
  lets: ReadonlyMap<string, Value>,
  extensions: ReadonlySet<string>,
): StepScopes {
  const name: [string, Value][] = facts.isExpr ? [['Step.Name', step.name?.value ?? '']] : [];
  const environments = extended(host, [...name, ...lets]);
  return { environments, script: taskScope(environments, facts, step, extensions) };
}

/** Returns the scope of an environment's actions, files and variables, without the bindings of its script. */
export const environmentScope = (
  outer: Scope,
  facts: JobFacts,
  files: readonly { readonly name: Text | undefined }[],
): Scope => extended(outer, fileSymbols('Env.File', files, facts));

function taskScope(outer: Scope, facts: JobFacts, step: StepShape, extensions: ReadonlySet<string>): Scope {
  const files = step.embeddedFiles.filter(({ isGenerated }) => !isGenerated);
  const symbols = fileSymbols('Task.File', files, facts);
  const elsewhere = new Map<string, string>(outer.elsewhere);
  for (const { name, type } of step.space?.parameters ?? []) {
    if (name === undefined) continue;
    const types = type === undefined ? UNKNOWN : taskValueTypes(type);
    symbols.push([`Task.Param.${name.value}`, later(types.value, facts)]);
    symbols.push([`Task.RawParam.${name.value}`, later(types.raw, facts)]);
    if (type !== 'CHUNK[INT]') continue;
    for (const bound of ['Start', 'End']) {
      const symbol = `Task.Param.${name.value}.${bound}`;
      if (extensions.has('SVC_CHUNK_BOUNDS')) symbols.push([symbol, later(INT, facts)]);
      else elsewhere.set(symbol, 'it requires the extension SVC_CHUNK_BOUNDS');
    }
  }
  return { ...extended(outer, symbols), elsewhere };
}

const fileSymbols = (
  prefix: string,
  files: readonly { readonly name: Text | undefined }[],
  facts: JobFacts,
): [string, Value][] =>
  files.flatMap(({ name }) =>
    name === undefined ? [] : [[`${prefix}.${name.value}`, later(PATH, facts)] satisfies [string, Value]],
  );

export const extended = (scope: Scope, symbols: readonly (readonly [string, Value])[]): Scope =>
  symbols.length === 0 ? scope : { ...scope, symbols: new Map([...scope.symbols, ...symbols]) };
