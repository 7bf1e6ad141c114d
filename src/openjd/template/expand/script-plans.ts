import { isFormatString, textAt, type Located, type Text } from '../located.ts';
import { integerOf } from '../../primitives/numbers.ts';
import type {
  ActionPlan,
  EmbeddedFilePlan,
  EnvironmentPlan,
  HookFormats,
  HookPlan,
  ScriptPlan,
  WrapPlan,
} from '../plan.ts';
import type {
  ActionShape,
  EmbeddedFileShape,
  EnvironmentShape,
  LetShape,
  StepShape,
  WrapShape,
} from '../shape/template-shape.ts';
import type { ActionValues } from './action-values.ts';

/** Default notify periods in seconds of the action of a task, and of all others (section 5.3.2). */
const NOTIFY_TASK = 120;
const NOTIFY_ENVIRONMENT = 30;

/** Returns the script of a checked step. */
export function scriptPlan(step: StepShape, values: ActionValues): ScriptPlan {
  if (step.onRun === undefined) throw lacks('onRun');
  return {
    onRun: actionPlan(step.onRun, NOTIFY_TASK, values),
    embeddedFiles: step.embeddedFiles.map(filePlan),
    ...letPlans(step.scriptLets),
  };
}

/** Returns a checked environment. */
export function environmentPlan(environment: EnvironmentShape, values: ActionValues): EnvironmentPlan {
  const { onEnter, onExit, wrap } = environment;
  return {
    name: textOf(environment.name, 'name'),
    variables: Object.fromEntries(environment.variables.map(({ name, value }) => [name, value.value])),
    ...(onEnter === undefined ? {} : { onEnter: actionPlan(onEnter, NOTIFY_ENVIRONMENT, values) }),
    ...(onExit === undefined ? {} : { onExit: actionPlan(onExit, NOTIFY_ENVIRONMENT, values) }),
    ...(wrap === undefined ? {} : { wrap: wrapPlan(wrap, values) }),
    embeddedFiles: environment.embeddedFiles.map(filePlan),
    ...letPlans(environment.lets),
  };
}

const letPlans = (lets: readonly LetShape[]): Pick<ScriptPlan, 'lets'> =>
  lets.length === 0 ? {} : { lets: lets.map(({ name, expression }) => ({ name, expression })) };

function actionPlan(action: ActionShape, defaultPeriod: number, values: ActionValues): ActionPlan {
  const timeoutSeconds = values.timeout(action);
  const cancelation = values.cancelation(action.cancelation, defaultPeriod);
  return {
    command: textOf(action.command, 'command'),
    args: [...action.leadingArgs, ...action.args.map((argument) => argument.value)],
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
    ...(cancelation === undefined ? {} : { cancelation }),
  };
}

function wrapPlan({ onEnvEnter, onTaskRun, onEnvExit }: WrapShape, values: ActionValues): WrapPlan {
  if (onEnvEnter === undefined || onTaskRun === undefined || onEnvExit === undefined) throw lacks('a hook');
  return {
    onEnvEnter: hookPlan(onEnvEnter, values),
    onTaskRun: hookPlan(onTaskRun, values),
    onEnvExit: hookPlan(onEnvExit, values),
  };
}

/** Returns a hook. The worker resolves its fields that are format strings. */
function hookPlan(hook: ActionShape, values: ActionValues): HookPlan {
  const { timeout, cancelation } = hook;
  const period = cancelation?.notifyPeriod;
  const timeoutFormat = formatOf(timeout);
  const mode = formatOf(cancelation?.mode?.at);
  // The mode decides whether a period is allowed, so both are resolved together.
  const notifyPeriod = mode === undefined ? formatOf(period) : textOfSeconds(period);
  const formats: HookFormats = {
    ...(timeoutFormat !== undefined && { timeout: timeoutFormat }),
    ...(mode !== undefined && { mode }),
    ...(notifyPeriod !== undefined && { notifyPeriod }),
  };
  const plan = actionPlan(
    {
      ...hook,
      timeout: timeoutFormat === undefined ? timeout : undefined,
      cancelation:
        cancelation === undefined || mode !== undefined
          ? undefined
          : { ...cancelation, notifyPeriod: notifyPeriod === undefined ? period : undefined },
    },
    NOTIFY_ENVIRONMENT,
    values,
  );
  return Object.keys(formats).length === 0 ? plan : { ...plan, formats };
}

/** Returns the format string of a field; undefined for a literal value. */
const formatOf = (at: Located | undefined): string | undefined =>
  at !== undefined && isFormatString(at) ? textAt(at)?.value : undefined;

/** Returns a period as text, whether it is a format string or a literal number. */
function textOfSeconds(at: Located | undefined): string | undefined {
  if (at === undefined) return undefined;
  return formatOf(at) ?? String(integerOf(at.node));
}

function filePlan(file: EmbeddedFileShape): EmbeddedFilePlan {
  const endOfLine = file.endOfLine?.value;
  return {
    name: textOf(file.name, 'name'),
    ...(file.filename === undefined ? {} : { filename: file.filename.value }),
    runnable: file.runnable,
    data: textOf(file.data, 'data'),
    ...(endOfLine === undefined || endOfLine === 'AUTO' ? {} : { endOfLine }),
  };
}

function textOf(text: Text | undefined, what: string): string {
  if (text === undefined) throw lacks(what);
  return text.value;
}

/** A bug of this program: the passes accepted an incomplete template. */
const lacks = (what: string): Error => new Error(`a checked template lacks ${what}`);
