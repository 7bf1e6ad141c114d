import type { DeliveredPaths } from '../../../src/core/delivery/delivered-paths.ts';
import type { ExtensionName } from '../../../src/openjd/template/extensions.ts';
import type { HostContext, TypedContext } from '../../../src/openjd/template/host-symbols.ts';
import type { ExprSettings } from '../../../src/openjd/template/language/expressions.ts';
import { hostResolver, type HostResolver } from '../../../src/openjd/template/language/host-texts.ts';
import type {
  ActionPlan,
  EmbeddedFilePlan,
  EndOfLine,
  EnvironmentPlan,
  ScriptPlan,
} from '../../../src/openjd/template/plan.ts';
import type { SessionFile } from '../../../src/core/ports/task-processes.ts';
import type { Assignment, StepAssignment } from '../../../src/core/wire/bus-messages.ts';

/** A script in its session: the paths of its files and the names in its format strings. */
export interface Script {
  readonly embeddedFiles: readonly EmbeddedFilePlan[];
  /** Absolute paths by the name of the embedded file. */
  readonly paths: ReadonlyMap<string, string>;
  readonly resolver: HostResolver;
}

export interface EnvironmentScript extends Script {
  readonly plan: EnvironmentPlan;
  /** Resolver of its variables, which do not see the bindings of its script (specification, section 3.6.2). */
  readonly variables: HostResolver;
}

export interface TaskScript extends Script {
  readonly plan: ScriptPlan;
}

/** A value, or an error text for the owner of the task. */
export type Resolved<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly detail: string };

/** An action with all format strings resolved. */
export interface ResolvedAction {
  readonly command: string;
  readonly args: readonly string[];
  readonly files: readonly SessionFile[];
}

const PATH_MAPPING_FILE = 'path_mapping_rules.json';
const FILES_DIRECTORY = 'embedded_files';
/** Sessions run only on POSIX systems, so paths are mapped to POSIX. */
const PATH_STYLE = 'posix';
const NAMELESS = new Set(['', '.', '..']);
const NOT_IN_A_NAME = /[/\\\0]/;
/** The operating system ends texts at this character. */
const NUL = '\0';
const HAS_NUL = 'contains a NUL character, which cannot be passed to a program';

const pathMappingFileOf = (directory: string): string => `${directory}/${PATH_MAPPING_FILE}`;

/** The session and step of a script. */
export interface ScriptLocation {
  readonly step: StepAssignment;
  readonly directory: string;
  readonly delivered: DeliveredPaths;
  readonly expressions: ExprSettings;
  /** Returns an unused file name. */
  readonly newName: () => string;
}

const EXPR: ExtensionName = 'EXPR';

/** Returns the scripts of all environments, in the order in which they are entered. */
export function environmentScripts(place: ScriptLocation): readonly EnvironmentScript[] {
  const { step, directory, newName } = place;
  return [...step.job_environments, ...step.step_environments].map((plan, index) => {
    const paths = allocate(
      plan.embeddedFiles,
      `${directory}/${FILES_DIRECTORY}/environment-${index}`,
      newName,
    );
    const isOfStep = index >= step.job_environments.length;
    const variables = resolverOf(place, paths, isOfStep, { kind: 'environment' }, plan.extensions);
    const resolver = variables.withLets(plan.lets);
    return { plan, embeddedFiles: plan.embeddedFiles, paths, variables, resolver };
  });
}

export function taskScript(assignment: Assignment, place: ScriptLocation): TaskScript {
  const { step, directory, newName } = place;
  const plan = step.script;
  const paths = allocate(plan.embeddedFiles, `${directory}/${FILES_DIRECTORY}/task`, newName);
  const parameters = Object.entries(assignment.parameters);
  const task = {
    definitions: parameters.map(([name, { type }]) => ({ name, type })),
    values: Object.fromEntries(parameters.map(([name, { value }]) => [name, value])),
  };
  const resolver = resolverOf(place, paths, true, { kind: 'task', task }).withLets(plan.lets);
  return { plan, embeddedFiles: plan.embeddedFiles, paths, resolver };
}

/**
 * Resolves the format strings of an action and its embedded files, which are written before it runs
 * (docs/contract/sessions.md#embedded-files).
 */
export function resolveAction(
  script: Script,
  action: ActionPlan,
  directory: string,
  pathMappingRules: string,
): Resolved<ResolvedAction> {
  if (script.resolver.fault !== null) return failed(script.resolver.fault);
  const files: SessionFile[] = [
    { path: pathMappingFileOf(directory), data: pathMappingRules, runnable: false },
  ];
  const tally = script.resolver.tally();
  for (const file of script.embeddedFiles) {
    const path = script.paths.get(file.name);
    if (path === undefined || !isPlainName(file)) {
      return failed(`the file name of embedded file ${file.name} must be a plain name without a path`);
    }
    const data = script.resolver.text(file.data);
    if (!data.ok) return failed(`embedded file ${file.name}: ${data.detail}`);
    const exceeded = tally.exceededBy(data.operations, [data.text]);
    if (exceeded !== null) return failed(`embedded file ${file.name}: ${exceeded}`);
    files.push({ path, data: withLineEnds(data.text, file.endOfLine), runnable: file.runnable });
  }
  const command = script.resolver.text(action.command);
  if (!command.ok) return failed(`command: ${command.detail}`);
  const exceeded = tally.exceededBy(command.operations, [command.text]);
  if (exceeded !== null) return failed(`command: ${exceeded}`);
  if (command.text === '') return failed('command is empty');
  if (command.text.includes(NUL)) return failed(`command: ${HAS_NUL}`);
  const args: string[] = [];
  for (const [index, arg] of action.args.entries()) {
    const resolved = script.resolver.listed(arg);
    if (!resolved.ok) return failed(`argument ${index + 1}: ${resolved.detail}`);
    if (resolved.texts.some((text) => text.includes(NUL))) return failed(`argument ${index + 1}: ${HAS_NUL}`);
    const exceeded = tally.exceededBy(resolved.operations, resolved.texts);
    if (exceeded !== null) return failed(`argument ${index + 1}: ${exceeded}`);
    args.push(...resolved.texts);
  }
  return { ok: true, value: { command: command.text, args, files } };
}

/** Returns the text with these line ends. */
function withLineEnds(text: string, endOfLine: EndOfLine | undefined): string {
  if (endOfLine === undefined) return text;
  return text.replaceAll(/\r?\n/g, endOfLine === 'LF' ? '\n' : '\r\n');
}

/** Resolves the environment's own variables. */
export function resolveVariables(script: EnvironmentScript): Resolved<Readonly<Record<string, string>>> {
  const variables: Record<string, string> = {};
  const tally = script.variables.tally();
  for (const [name, text] of Object.entries(script.plan.variables)) {
    const value = script.variables.text(text);
    if (!value.ok) return failed(`variable ${name}: ${value.detail}`);
    if (value.text.includes(NUL)) return failed(`variable ${name}: ${HAS_NUL}`);
    const exceeded = tally.exceededBy(value.operations, [value.text]);
    if (exceeded !== null) return failed(`variable ${name}: ${exceeded}`);
    variables[name] = value.text;
  }
  return { ok: true, value: variables };
}

/**
 * Returns the resolver for format strings of the step's script, or of an environment of the step or job. `extensions`:
 * those of the environment template that the environment comes from.
 */
function resolverOf(
  { step, directory, delivered, expressions }: ScriptLocation,
  files: ReadonlyMap<string, string>,
  isOfStep: boolean,
  scope: HostContext['scope'],
  extensions = step.extensions,
): HostResolver {
  const { hasRules, mapPath, staged } = delivered;
  const isExpr = extensions?.includes(EXPR) === true;
  const context: HostContext = {
    parameters: step.job_parameters,
    session: {
      workingDirectory: directory,
      pathMappingRulesFile: pathMappingFileOf(directory),
      hasPathMappingRules: hasRules,
    },
    files,
    mapPath,
    staged,
    scope,
    ...(isExpr && { typed: typedContext(step, isOfStep) }),
  };
  return hostResolver(context, expressions);
}

const typedContext = (step: StepAssignment, isOfStep: boolean): TypedContext => ({
  jobName: step.job_name,
  pathStyle: PATH_STYLE,
  ...(isOfStep && { stepName: step.step_name, ...(step.lets !== undefined && { lets: step.lets }) }),
});

function allocate(
  files: readonly EmbeddedFilePlan[],
  directory: string,
  newName: () => string,
): ReadonlyMap<string, string> {
  return new Map(files.map((file) => [file.name, `${directory}/${file.filename ?? newName()}`]));
}

/** Checked here again: the name decides where the worker writes. */
const isPlainName = ({ filename }: EmbeddedFilePlan): boolean =>
  filename === undefined || (!NAMELESS.has(filename) && !NOT_IN_A_NAME.test(filename));

const failed = (detail: string): { readonly ok: false; readonly detail: string } => ({ ok: false, detail });
