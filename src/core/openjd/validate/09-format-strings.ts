import type { Findings } from '../findings.ts';
import { literalText } from '../format-string.ts';
import { environmentScope, FormatStringChecker, jobScopes, stepScope, type Scope } from '../scope.ts';
import type { ActionShape, EnvironmentShape, StepShape, TemplateShape } from '../shape/template-shape.ts';
import type { Located } from '../located.ts';
import type { TemplateLimits } from '../template-limits.ts';
import { characters, hasControl } from '../text-rules.ts';

/**
 * Pass 9: format strings (section 7.3), each against the values that exist where it is resolved: when the job is created (its name, ranges,
 * chunks, attribute values) or on the worker (actions, embedded files, variables).
 */
export function checkFormatStrings(
  findings: Findings,
  template: TemplateShape,
  limits: TemplateLimits,
): void {
  const checker = new FormatStringChecker(findings);
  const { creation, host } = jobScopes(template.parameters);
  checkJobName(findings, checker, template, creation, limits);
  for (const environment of template.jobEnvironments) checkEnvironment(checker, environment, host);
  for (const step of template.steps) {
    checkCreationFields(checker, step, creation);
    for (const environment of step.environments) checkEnvironment(checker, environment, host);
    const scope = stepScope(host, step, template.extensions);
    checkAction(checker, step.onRun, scope);
    for (const file of step.embeddedFiles) checker.check(file.data, scope);
  }
}

/** Section 1.1.1. The length counts after resolution; what is literal can be too long before. */
function checkJobName(
  findings: Findings,
  checker: FormatStringChecker,
  template: TemplateShape,
  scope: Scope,
  limits: TemplateLimits,
): void {
  const { name } = template;
  if (name === undefined) return;
  if (name.value === '') findings.add(name.at, 'must not be empty');
  const parsed = checker.check(name, scope);
  if (parsed === undefined) return;
  if (hasControl(name.value)) findings.add(name.at, 'must not contain control characters');
  const length = characters(literalText(parsed));
  if (length > limits.maxJobName) {
    findings.add(
      name.at,
      `must not have more than ${limits.maxJobName} characters, and has ${length} at least`,
    );
  }
}

function checkCreationFields(checker: FormatStringChecker, step: StepShape, scope: Scope): void {
  const check = (at: Located | undefined): void => {
    if (at?.node.kind === 'string') checker.check({ value: at.node.value, at }, scope);
  };
  for (const { range, chunks } of step.space?.parameters ?? []) {
    if (range?.kind === 'expression') checker.check(range.text, scope);
    else for (const item of range?.items ?? []) check(item);
    check(chunks?.defaultTaskCount);
    check(chunks?.targetRuntimeSeconds);
  }
  for (const { anyOf, allOf } of step.hostRequirements?.attributes ?? []) {
    for (const value of [...(anyOf ?? []), ...(allOf ?? [])]) checker.check(value, scope);
  }
}

function checkEnvironment(checker: FormatStringChecker, environment: EnvironmentShape, host: Scope): void {
  const scope = environmentScope(host, environment.embeddedFiles);
  for (const { value } of environment.variables) checker.check(value, scope);
  checkAction(checker, environment.onEnter, scope);
  checkAction(checker, environment.onExit, scope);
  for (const file of environment.embeddedFiles) checker.check(file.data, scope);
}

function checkAction(checker: FormatStringChecker, action: ActionShape | undefined, scope: Scope): void {
  checker.check(action?.command, scope);
  for (const argument of action?.args ?? []) checker.check(argument, scope);
}
