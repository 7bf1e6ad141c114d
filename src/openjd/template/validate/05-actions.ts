import type { Findings } from '../findings.ts';
import type { Located } from '../located.ts';
import { integerOf } from '../../primitives/numbers.ts';
import type { ActionShape, EnvironmentShape, TemplateShape } from '../shape/template-shape.ts';
import type { TemplateLimits } from '../template-limits.ts';
import { checkText } from '../text-checks.ts';

/** Section 4.4.1. */
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const ANY_LENGTH = Number.MAX_SAFE_INTEGER;

const INSTEAD_OF_LINES =
  'put the script into an embedded file, or add the extension EXPR, with which arguments may have line breaks';

/** Control characters that are allowed in an argument. */
type ArgumentControl = 'none' | 'lines';

/** Pass 5: actions, cancelation and environment variables (sections 4.4, 5 to 5.3). */
export function checkActions(findings: Findings, template: TemplateShape, limits: TemplateLimits): void {
  // With EXPR an argument may have several lines (docs/contract/openjd.md#extensions).
  const control = template.extensions.has('EXPR') ? 'lines' : 'none';
  for (const environment of template.jobEnvironments)
    checkEnvironment(findings, environment, control, limits);
  for (const step of template.steps) {
    for (const environment of step.environments) checkEnvironment(findings, environment, control, limits);
    checkAction(findings, step.onRun, control, limits);
  }
}

function checkEnvironment(
  findings: Findings,
  environment: EnvironmentShape,
  control: ArgumentControl,
  limits: TemplateLimits,
): void {
  checkAction(findings, environment.onEnter, control, limits);
  checkAction(findings, environment.onExit, control, limits);
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
    checkText(findings, value, { min: 0, max: limits.maxVariableValue, control: 'any' });
  }
}

function checkAction(
  findings: Findings,
  action: ActionShape | undefined,
  control: ArgumentControl,
  limits: TemplateLimits,
): void {
  if (action === undefined) return;
  checkText(findings, action.command, { min: 1, max: ANY_LENGTH, control: 'none' });
  for (const argument of action.args) {
    checkText(findings, argument, { min: 0, max: ANY_LENGTH, control, hint: INSTEAD_OF_LINES });
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
  if (typeof value === 'string') findings.add(at, value);
  else if (value < 1n) findings.add(at, 'must be at least 1');
  else if (value > BigInt(max)) findings.add(at, `must be at most ${max}`);
}
