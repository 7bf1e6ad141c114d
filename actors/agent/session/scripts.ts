import { parseFormatString, resolveFormatString } from '../../../src/core/openjd/format-string.ts';
import { hostSymbols, unmappedPath, type HostContext } from '../../../src/core/openjd/host-symbols.ts';
import type {
  ActionPlan,
  EmbeddedFilePlan,
  EnvironmentPlan,
  ScriptPlan,
} from '../../../src/core/openjd/plan.ts';
import type { SessionFile } from '../../../src/core/ports/task-processes.ts';
import type { Assignment, StepAssignment } from '../../../src/core/wire/bus-messages.ts';

/** A script in its session: where its files go, and what its format strings can name. */
export interface Script {
  readonly embeddedFiles: readonly EmbeddedFilePlan[];
  /** Absolute paths by the name of the embedded file. */
  readonly paths: ReadonlyMap<string, string>;
  readonly symbols: (symbol: string) => string | undefined;
}

export interface EnvironmentScript extends Script {
  readonly plan: EnvironmentPlan;
}

export interface TaskScript extends Script {
  readonly plan: ScriptPlan;
}

/** A text, or why there is none: in words for the one whose task it is. */
type Resolved<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly detail: string };

/** What an action is started with. */
export interface ResolvedAction {
  readonly command: string;
  readonly args: readonly string[];
  readonly files: readonly SessionFile[];
}

const PATH_MAPPING_FILE = 'path_mapping_rules.json';
const NO_PATH_MAPPING = '{}';
const FILES_DIRECTORY = 'embedded_files';
const NAMELESS = new Set(['', '.', '..']);
const NOT_IN_A_NAME = /[/\\\0]/;

const pathMappingFileOf = (directory: string): string => `${directory}/${PATH_MAPPING_FILE}`;

/** Environments in the order in which they are entered. `newName` gives file names that are free. */
export function environmentScripts(
  step: StepAssignment,
  directory: string,
  newName: () => string,
): readonly EnvironmentScript[] {
  return [...step.job_environments, ...step.step_environments].map((plan, index) => {
    const paths = allocate(
      plan.embeddedFiles,
      `${directory}/${FILES_DIRECTORY}/environment-${index}`,
      newName,
    );
    const symbols = hostSymbols({ ...hostContext(step, directory, paths), scope: { kind: 'environment' } });
    return { plan, embeddedFiles: plan.embeddedFiles, paths, symbols };
  });
}

export function taskScript(
  assignment: Assignment,
  step: StepAssignment,
  directory: string,
  newName: () => string,
): TaskScript {
  const plan = step.script;
  const paths = allocate(plan.embeddedFiles, `${directory}/${FILES_DIRECTORY}/task`, newName);
  const parameters = Object.entries(assignment.parameters);
  const task = {
    definitions: parameters.map(([name, { type }]) => ({ name, type })),
    values: Object.fromEntries(parameters.map(([name, { value }]) => [name, value])),
  };
  const symbols = hostSymbols({ ...hostContext(step, directory, paths), scope: { kind: 'task', task } });
  return { plan, embeddedFiles: plan.embeddedFiles, paths, symbols };
}

/** The action with its format strings resolved and the files that are written before it runs (session_behaviours.md, 5). */
export function resolveAction(
  script: Script,
  action: ActionPlan,
  directory: string,
): Resolved<ResolvedAction> {
  const files: SessionFile[] = [
    { path: pathMappingFileOf(directory), data: NO_PATH_MAPPING, runnable: false },
  ];
  for (const file of script.embeddedFiles) {
    const path = script.paths.get(file.name);
    if (path === undefined || !isPlainName(file)) {
      return failed(`the file name of the embedded file ${file.name} is no plain name`);
    }
    const data = resolveText(file.data, script);
    if (!data.ok) return failed(`embedded file ${file.name}: ${data.detail}`);
    files.push({ path, data: data.value, runnable: file.runnable });
  }
  const command = resolveText(action.command, script);
  if (!command.ok) return failed(`command: ${command.detail}`);
  if (command.value === '') return failed('command: it is empty');
  const args: string[] = [];
  for (const [index, arg] of action.args.entries()) {
    const resolved = resolveText(arg, script);
    if (!resolved.ok) return failed(`argument ${index + 1}: ${resolved.detail}`);
    args.push(resolved.value);
  }
  return { ok: true, value: { command: command.value, args, files } };
}

/** The environment's own variables, resolved. */
export function resolveVariables(script: EnvironmentScript): Resolved<Readonly<Record<string, string>>> {
  const variables: Record<string, string> = {};
  for (const [name, text] of Object.entries(script.plan.variables)) {
    const value = resolveText(text, script);
    if (!value.ok) return failed(`variable ${name}: ${value.detail}`);
    variables[name] = value.value;
  }
  return { ok: true, value: variables };
}

function hostContext(
  step: StepAssignment,
  workingDirectory: string,
  files: ReadonlyMap<string, string>,
): Omit<HostContext, 'scope'> {
  return {
    parameters: step.job_parameters,
    session: {
      workingDirectory,
      pathMappingRulesFile: pathMappingFileOf(workingDirectory),
      hasPathMappingRules: false,
    },
    files,
    mapPath: unmappedPath,
  };
}

function allocate(
  files: readonly EmbeddedFilePlan[],
  directory: string,
  newName: () => string,
): ReadonlyMap<string, string> {
  return new Map(files.map((file) => [file.name, `${directory}/${file.filename ?? newName()}`]));
}

/** Checked again here: the name decides where the worker writes. */
const isPlainName = ({ filename }: EmbeddedFilePlan): boolean =>
  filename === undefined || (!NAMELESS.has(filename) && !NOT_IN_A_NAME.test(filename));

function resolveText(text: string, script: Script): Resolved<string> {
  const format = parseFormatString(text);
  if (!format.ok) return failed(format.detail);
  const resolved = resolveFormatString(format.value, script.symbols);
  return resolved.ok
    ? { ok: true, value: resolved.text }
    : failed(`the value ${resolved.unknown} does not exist here`);
}

const failed = (detail: string): { readonly ok: false; readonly detail: string } => ({ ok: false, detail });
