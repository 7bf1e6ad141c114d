import { fieldRules, VARIABLE_NAME } from '../field-rules.ts';
import type { Findings } from '../findings.ts';
import { isFormatString, type Located } from '../located.ts';
import { integerOf } from '../../primitives/numbers.ts';
import type { ActionShape, EnvironmentShape, TemplateShape } from '../shape/template-shape.ts';
import type { TemplateLimits } from '../template-limits.ts';
import { checkText, type TextRule } from '../text-checks.ts';
import { quoteForMessage } from '../../primitives/text-rules.ts';

const ANY_LENGTH = Number.MAX_SAFE_INTEGER;

interface ActionRules {
  readonly argument: TextRule;
  /** Whether timeouts and notify periods can be format strings, which are checked when they are resolved. */
  readonly formats: boolean;
  readonly limits: TemplateLimits;
}

/** Pass 5: actions, cancelation and environment variables (sections 4.4, 5 to 5.3). */
export function checkActions(findings: Findings, template: TemplateShape, limits: TemplateLimits): void {
  const { extensions } = template;
  const { argument, exprArgument } = fieldRules(limits);
  const rules: ActionRules = {
    argument: extensions.has('EXPR') ? exprArgument : argument,
    formats: extensions.has('FEATURE_BUNDLE_1'),
    limits,
  };
  for (const environment of template.jobEnvironments) checkEnvironment(findings, environment, rules);
  const outer = checkOneWrap(findings, template.jobEnvironments, undefined);
  for (const step of template.steps) {
    for (const environment of step.environments) checkEnvironment(findings, environment, rules);
    checkOneWrap(findings, step.environments, outer);
    checkAction(findings, step.onRun, rules);
  }
}

/**
 * Reports an environment that wraps actions inside of another one: a session has at most one (section 4.3). Returns the first
 * that does.
 */
function checkOneWrap(
  findings: Findings,
  environments: readonly EnvironmentShape[],
  outer: EnvironmentShape | undefined,
): EnvironmentShape | undefined {
  let first = outer;
  for (const environment of environments) {
    if (environment.wrap === undefined) continue;
    if (first === undefined) first = environment;
    else {
      const name = quoteForMessage(first.name?.value ?? '');
      findings.add(
        environment.wrap.at,
        `only one environment of a session can wrap actions, and ${name} does so as well`,
      );
    }
  }
  return first;
}

function checkEnvironment(findings: Findings, environment: EnvironmentShape, rules: ActionRules): void {
  const { onEnter, onExit, wrap } = environment;
  const { limits } = rules;
  for (const action of [onEnter, onExit, wrap?.onEnvEnter, wrap?.onTaskRun, wrap?.onEnvExit])
    checkAction(findings, action, rules);
  for (const { name, value } of environment.variables) {
    if (!VARIABLE_NAME.test(name)) {
      findings.addAtKey(
        value.at,
        'the name of a variable has letters, digits and _ and does not begin with a digit',
      );
    } else if (name.length > limits.maxVariableName) {
      findings.addAtKey(
        value.at,
        `the name of a variable must not have more than ${limits.maxVariableName} characters`,
      );
    }
    checkText(findings, value, fieldRules(limits).variableValue);
  }
}

function checkAction(
  findings: Findings,
  action: ActionShape | undefined,
  { argument: argumentRule, formats, limits }: ActionRules,
): void {
  if (action === undefined) return;
  checkText(findings, action.command, fieldRules(limits).command);
  for (const argument of action.args) {
    checkText(findings, argument, argumentRule);
  }
  checkSeconds(findings, action.timeout, ANY_LENGTH, formats);
  checkSeconds(findings, action.cancelation?.notifyPeriod, limits.maxNotifySeconds, formats);
}

/** Checks a positive integer, which may be written as text. `formats`: whether it may be a format string. */
function checkSeconds(findings: Findings, at: Located | undefined, max: number, formats: boolean): void {
  if (at === undefined) return;
  if (isFormatString(at)) {
    if (!formats) findings.add(at, 'must not be a format string without the extension FEATURE_BUNDLE_1');
    return;
  }
  const value = integerOf(at.node);
  if (typeof value === 'string')
    findings.add(at, value.startsWith('must') ? `${value}: the number of seconds` : value);
  else if (value < 1n) findings.add(at, 'must be at least 1');
  else if (value > BigInt(max)) findings.add(at, `must be at most ${max}`);
}
