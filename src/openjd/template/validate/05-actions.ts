import { fieldRules, VARIABLE_NAME } from '../field-rules.ts';
import type { Findings } from '../findings.ts';
import type { Located } from '../located.ts';
import { integerOf } from '../../primitives/numbers.ts';
import type { ActionShape, EnvironmentShape, TemplateShape } from '../shape/template-shape.ts';
import type { TemplateLimits } from '../template-limits.ts';
import { checkText, type TextRule } from '../text-checks.ts';

const ANY_LENGTH = Number.MAX_SAFE_INTEGER;

/** Pass 5: actions, cancelation and environment variables (sections 4.4, 5 to 5.3). */
export function checkActions(findings: Findings, template: TemplateShape, limits: TemplateLimits): void {
  const { argument, exprArgument } = fieldRules(limits);
  const rule = template.extensions.has('EXPR') ? exprArgument : argument;
  for (const environment of template.jobEnvironments) checkEnvironment(findings, environment, rule, limits);
  for (const step of template.steps) {
    for (const environment of step.environments) checkEnvironment(findings, environment, rule, limits);
    checkAction(findings, step.onRun, rule, limits);
  }
}

function checkEnvironment(
  findings: Findings,
  environment: EnvironmentShape,
  argumentRule: TextRule,
  limits: TemplateLimits,
): void {
  checkAction(findings, environment.onEnter, argumentRule, limits);
  checkAction(findings, environment.onExit, argumentRule, limits);
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
  argumentRule: TextRule,
  limits: TemplateLimits,
): void {
  if (action === undefined) return;
  checkText(findings, action.command, fieldRules(limits).command);
  for (const argument of action.args) {
    checkText(findings, argument, argumentRule);
  }
  checkSeconds(findings, action.timeout, ANY_LENGTH);
  checkSeconds(findings, action.cancelation?.notifyPeriod, limits.maxNotifySeconds);
}

/** Checks a positive integer, which may be written as text. */
function checkSeconds(findings: Findings, at: Located | undefined, max: number): void {
  if (at === undefined) return;
  if (at.node.kind === 'string' && at.node.value.includes('{{')) {
    findings.add(at, 'must not be a format string');
    return;
  }
  const value = integerOf(at.node);
  if (typeof value === 'string')
    findings.add(at, value.startsWith('must') ? `${value}: the number of seconds` : value);
  else if (value < 1n) findings.add(at, 'must be at least 1');
  else if (value > BigInt(max)) findings.add(at, `must be at most ${max}`);
}
