import type { ExprContext } from '../expr/evaluate/evaluate.ts';
import { STRING, type ExprType } from '../expr/type-system/expr-type.ts';
import { displayOf } from '../expr/values/display.ts';
import type { Value } from '../expr/values/value.ts';
import { taskNameOf } from './task-name.ts';
import type { PreparedJob } from './expand/prepare-job.ts';
import type { ExtensionName } from './extensions.ts';
import { hostSymbols, unmappedPath } from './host-symbols.ts';
import { uncertainHostContext, type ExprSettings } from './language/expressions.ts';
import { ARGUMENT, listedValues } from './language/field-types.ts';
import { bindLets } from './language/let-bindings.ts';
import {
  isUnresolved,
  prepareText,
  previewText,
  resolveText,
  type PreparedText,
} from './language/prepared-text.ts';
import type { ParameterValue, StepPlan } from './plan.ts';
import { openSpace } from './space/open-space.ts';

/** The command of one task, as far as it is known without a worker. */
export interface CommandPreview {
  /** Name of the task. */
  readonly task: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly command: string;
  readonly args: readonly string[];
  /** Set if arguments are omitted at the end because the command is too long. */
  readonly isCut: boolean;
}

/**
 * Maximum number of characters of a command with its arguments: format strings can make long texts from a small
 * template.
 */
export const PREVIEW_CHARACTERS_MAX = 65_536;

/** Fields of a job that a preview needs. */
export interface PreviewedJob {
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  readonly jobName: string;
  /** Null for a template without the extension EXPR. */
  readonly expressions: ExprSettings | null;
}

/** The commands of the first and the last task of a step. */
export interface StepPreview {
  readonly first: CommandPreview;
  readonly last: CommandPreview;
}

const EXPR: ExtensionName = 'EXPR';

/** Returns the previews of all steps, in order. */
export function previewJob(
  { plan, extensions }: Pick<PreparedJob, 'plan' | 'extensions'>,
  expressions: ExprSettings,
): readonly StepPreview[] {
  const { jobName, parameters } = plan;
  const job = { jobName, parameters, expressions: extensions.includes(EXPR) ? expressions : null };
  return plan.steps.map((step) => previewCommands(step, job));
}

/**
 * Returns the commands of the first and the last task of a step. Values that only a worker has stay as written. A PATH
 * is shown as given, because only the worker maps paths.
 */
export function previewCommands(step: StepPlan, job: PreviewedJob): StepPreview {
  const space = openSpace(step.space);
  return {
    first: previewOf(step, job, space.at(0)),
    last: previewOf(step, job, space.at(step.taskCount - 1)),
  };
}

function previewOf(
  step: StepPlan,
  job: PreviewedJob,
  values: Readonly<Record<string, string>>,
): CommandPreview {
  const { onRun } = step.script;
  const script = scriptSymbols(step, job, values);
  const command = textOf(onRun.command, script);
  let left = PREVIEW_CHARACTERS_MAX - command.length;
  const isCommandCut = left < 0;
  const shown: string[] = [];
  for (const format of onRun.args) {
    if (left < 0) break;
    const texts = argumentsOf(format, script);
    left -= texts.reduce((sum, text) => sum + text.length, 0);
    if (left >= 0) shown.push(...texts);
  }
  return {
    task: taskNameOf(step.name, values),
    parameters: values,
    command: isCommandCut ? '' : command,
    args: shown,
    isCut: left < 0,
  };
}

interface ScriptSymbols {
  readonly symbols: ReadonlyMap<string, Value>;
  readonly context: ExprContext | null;
}

/** Returns the values by symbol: values that only a worker has are unresolved. */
function scriptSymbols(
  step: StepPlan,
  { parameters, jobName, expressions }: PreviewedJob,
  values: Readonly<Record<string, string>>,
): ScriptSymbols {
  const context = expressions === null ? null : uncertainHostContext(expressions);
  const symbols = hostSymbols({
    parameters,
    session: null,
    scope: { kind: 'task', task: { definitions: step.taskParameters, values } },
    files: new Map(step.script.embeddedFiles.map(({ name }) => [name, null])),
    mapPath: unmappedPath,
    ...(context !== null && {
      typed: { jobName, stepName: step.name, pathStyle: 'posix', lets: step.lets ?? [] },
    }),
  });
  if (context === null) return { symbols, context };
  const bound = bindLets(step.script.lets ?? [], symbols, context);
  return { symbols: bound.ok ? bound.symbols : symbols, context };
}

/** Returns the texts of one argument: with EXPR it can be none or several. */
function argumentsOf(format: string, { symbols, context }: ScriptSymbols): readonly string[] {
  const text = prepared(format, context, ARGUMENT);
  const resolved = resolveText(text, symbols, context);
  if (resolved.ok && !isUnresolved(resolved.value)) {
    return listedValues(resolved.value).map((value) => displayOf(value));
  }
  return [previewText(text, symbols, context) ?? format];
}

const textOf = (format: string, { symbols, context }: ScriptSymbols): string =>
  previewText(prepared(format, context, STRING), symbols, context) ?? format;

/** A format string of a checked template always parses. Text without a value for this task stays as written. */
function prepared(format: string, context: ExprContext | null, target: ExprType): PreparedText {
  const read = prepareText(format, context !== null, target);
  if (!read.ok) throw new Error(`a checked template has the format string ${format}: ${read.detail}`);
  return read.text;
}
