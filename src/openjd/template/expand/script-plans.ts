import type { Located, Text } from '../located.ts';
import { integerOf } from '../../primitives/numbers.ts';
import type { ActionPlan, CancelationPlan, EmbeddedFilePlan, EnvironmentPlan, ScriptPlan } from '../plan.ts';
import type {
  ActionShape,
  CancelationShape,
  EmbeddedFileShape,
  EnvironmentShape,
  LetShape,
  StepShape,
} from '../shape/template-shape.ts';

/** Defaults of an action, by its kind (sections 5 and 5.3.2). */
interface ActionDefaults {
  readonly timeoutSeconds?: number;
  readonly notifyPeriodSeconds: number;
}

const ON_RUN: ActionDefaults = { notifyPeriodSeconds: 120 };
const ON_ENTER: ActionDefaults = { notifyPeriodSeconds: 30 };
const ON_EXIT: ActionDefaults = { notifyPeriodSeconds: 30, timeoutSeconds: 300 };

/** Returns the script of a checked step. */
export function scriptPlan(step: StepShape): ScriptPlan {
  if (step.onRun === undefined) throw lacks('onRun');
  return {
    onRun: actionPlan(step.onRun, ON_RUN),
    embeddedFiles: step.embeddedFiles.map(filePlan),
    ...letPlans(step.scriptLets),
  };
}

/** Returns a checked environment. */
export function environmentPlan(environment: EnvironmentShape): EnvironmentPlan {
  const { onEnter, onExit } = environment;
  return {
    name: textOf(environment.name, 'name'),
    variables: Object.fromEntries(environment.variables.map(({ name, value }) => [name, value.value])),
    ...(onEnter === undefined ? {} : { onEnter: actionPlan(onEnter, ON_ENTER) }),
    ...(onExit === undefined ? {} : { onExit: actionPlan(onExit, ON_EXIT) }),
    embeddedFiles: environment.embeddedFiles.map(filePlan),
    ...letPlans(environment.lets),
  };
}

const letPlans = (lets: readonly LetShape[]): Pick<ScriptPlan, 'lets'> =>
  lets.length === 0 ? {} : { lets: lets.map(({ name, expression }) => ({ name, expression })) };

function actionPlan(action: ActionShape, defaults: ActionDefaults): ActionPlan {
  const timeoutSeconds = secondsOf(action.timeout) ?? defaults.timeoutSeconds;
  return {
    command: textOf(action.command, 'command'),
    args: action.args.map((argument) => argument.value),
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
    ...(action.cancelation === undefined
      ? {}
      : { cancelation: cancelationPlan(action.cancelation, defaults) }),
  };
}

function cancelationPlan(cancelation: CancelationShape, defaults: ActionDefaults): CancelationPlan {
  if (cancelation.mode?.value !== 'NOTIFY_THEN_TERMINATE') return { mode: 'TERMINATE' };
  const notifyPeriodSeconds = secondsOf(cancelation.notifyPeriod) ?? defaults.notifyPeriodSeconds;
  return { mode: 'NOTIFY_THEN_TERMINATE', notifyPeriodSeconds };
}

function filePlan(file: EmbeddedFileShape): EmbeddedFilePlan {
  return {
    name: textOf(file.name, 'name'),
    ...(file.filename === undefined ? {} : { filename: file.filename.value }),
    runnable: file.runnable,
    data: textOf(file.data, 'data'),
  };
}

function secondsOf(at: Located | undefined): number | undefined {
  if (at === undefined) return undefined;
  const value = integerOf(at.node);
  if (typeof value === 'string') throw lacks('a number of seconds');
  return Number(value);
}

function textOf(text: Text | undefined, what: string): string {
  if (text === undefined) throw lacks(what);
  return text.value;
}

/** A bug of this program: the passes accepted an incomplete template. */
const lacks = (what: string): Error => new Error(`a checked template lacks ${what}`);
