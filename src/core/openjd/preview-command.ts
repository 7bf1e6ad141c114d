import { taskNameOf } from '../records/task-name.ts';
import { parseFormatString, resolveFormatString } from './format-string.ts';
import { hostSymbols, unmappedPath } from './host-symbols.ts';
import type { ParameterValue, StepPlan } from './plan.ts';
import { openSpace } from './space/open-space.ts';

/** What one task would run, as far as it is known without a worker. */
export interface CommandPreview {
  /** Name of the task. */
  readonly task: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly command: string;
  readonly args: readonly string[];
  /** Whether arguments are left out at the end because the whole was too long. */
  readonly isCut: boolean;
}

/** Characters of a command with its arguments; format strings may make very much of a small template. */
export const PREVIEW_CHARACTERS_MAX = 65_536;

/** What begins the names of values that only a worker has: its directories, and the files that it writes. */
const HOST_ONLY = ['Session.', 'Task.File.'] as const;

/**
 * The commands of the first and the last task of a step. Values that only a worker has stay references; a PATH is shown as it was given,
 * because the mapping of paths is the worker's.
 */
export function previewCommands(
  step: StepPlan,
  parameters: Readonly<Record<string, ParameterValue>>,
): { readonly first: CommandPreview; readonly last: CommandPreview } {
  const space = openSpace(step.space);
  return {
    first: previewOf(step, parameters, space.at(0)),
    last: previewOf(step, parameters, space.at(step.taskCount - 1)),
  };
}

function previewOf(
  step: StepPlan,
  parameters: Readonly<Record<string, ParameterValue>>,
  values: Readonly<Record<string, string>>,
): CommandPreview {
  const lookup = symbolsOf(step, parameters, values);
  const { command, args } = step.script.onRun;
  const texts: string[] = [];
  let left = PREVIEW_CHARACTERS_MAX;
  for (const format of [command, ...args]) {
    const text = textOf(format, lookup);
    left -= text.length;
    if (left < 0) break;
    texts.push(text);
  }
  const [resolved = '', ...resolvedArgs] = texts;
  return {
    task: taskNameOf(step.name, values),
    parameters: values,
    command: resolved,
    args: resolvedArgs,
    isCut: left < 0,
  };
}

/** The values by symbol; a symbol that only a worker has stands for itself. */
function symbolsOf(
  step: StepPlan,
  parameters: Readonly<Record<string, ParameterValue>>,
  values: Readonly<Record<string, string>>,
): (symbol: string) => string | undefined {
  const known = hostSymbols({
    parameters,
    session: { workingDirectory: '', pathMappingRulesFile: '', hasPathMappingRules: false },
    scope: { kind: 'task', task: { definitions: step.taskParameters, values } },
    files: new Map(),
    mapPath: unmappedPath,
  });
  return (symbol) => (HOST_ONLY.some((start) => symbol.startsWith(start)) ? `{{${symbol}}}` : known(symbol));
}

/** A format string of a checked template always resolves. */
function textOf(text: string, lookup: (symbol: string) => string | undefined): string {
  const format = parseFormatString(text);
  if (!format.ok) throw new Error(`a checked template has the format string ${text}: ${format.detail}`);
  const resolved = resolveFormatString(format.value, lookup);
  if (!resolved.ok) throw new Error(`a checked template names the value ${resolved.unknown}`);
  return resolved.text;
}
