import { fieldRules, PLAIN_FILENAME } from '../field-rules.ts';
import type { Findings } from '../findings.ts';
import type { EnvironmentShape, StepShape, TemplateShape } from '../shape/template-shape.ts';
import type { TemplateLimits } from '../template-limits.ts';
import { checkIdentifier, checkText, checkUnique } from '../text-checks.ts';
import { quoteForMessage } from '../../primitives/text-rules.ts';

/**
 * Pass 3: names and descriptions, with their characters, lengths and uniqueness (sections 1.1, 2, 3.1, 3.4, 4.1, 6.1,
 * 7.1, 7.2).
 */
export function checkNames(findings: Findings, template: TemplateShape, limits: TemplateLimits): void {
  const { description, name } = fieldRules(limits);
  checkText(findings, template.description, description);

  for (const parameter of template.parameters) {
    checkIdentifier(findings, parameter.name, limits.maxIdentifier);
    checkText(findings, parameter.description, description);
  }
  checkUnique(
    findings,
    'parameter',
    template.parameters.map((parameter) => parameter.name),
  );

  const checkEnvironments = (environments: readonly EnvironmentShape[]): void => {
    for (const environment of environments) {
      checkText(findings, environment.name, name);
      checkText(findings, environment.description, description);
      checkFiles(findings, environment.embeddedFiles, limits);
    }
  };
  checkEnvironments(template.jobEnvironments);
  const jobEnvironments = template.jobEnvironments.map((environment) => environment.name);
  checkUnique(findings, 'environment', jobEnvironments);
  const taken = new Set(jobEnvironments.map((text) => text?.value));

  checkUnique(
    findings,
    'step',
    template.steps.map((step) => step.name),
  );
  for (const step of template.steps) {
    checkText(findings, step.name, name);
    if (step.name?.value.includes('{{') === true) findings.add(step.name.at, 'must not be a format string');
    checkText(findings, step.description, description);
    checkEnvironments(step.environments);
    checkUnique(
      findings,
      'environment',
      step.environments.map((environment) => environment.name),
    );
    for (const environment of step.environments) {
      if (environment.name !== undefined && taken.has(environment.name.value)) {
        findings.add(environment.name.at, 'a job environment has the same name');
      }
    }
    checkFiles(findings, step.embeddedFiles, limits);
    checkShadowing(findings, step);
    const parameters = step.space?.parameters ?? [];
    for (const parameter of parameters) checkIdentifier(findings, parameter.name, limits.maxIdentifier);
    checkUnique(
      findings,
      'task parameter',
      parameters.map((parameter) => parameter.name),
    );
  }
}

/** Section 3.6: a script's binding must not have the name of a binding of its step. */
function checkShadowing(findings: Findings, step: StepShape): void {
  const outer = new Set(step.lets.map(({ name }) => name));
  const scripts = [step.scriptLets, ...step.environments.map(({ lets }) => lets)];
  for (const { name, at } of scripts.flat()) {
    if (outer.has(name))
      findings.add(
        at,
        `${quoteForMessage(name)} shadows enclosing scope: the step has a binding of this name`,
      );
  }
}

/** Specification, section 6.1 and 6.1.1. */
function checkFiles(
  findings: Findings,
  files: EnvironmentShape['embeddedFiles'],
  limits: TemplateLimits,
): void {
  checkUnique(
    findings,
    'embedded file',
    files.map((file) => file.name),
  );
  for (const file of files) {
    checkIdentifier(findings, file.name, limits.maxIdentifier);
    checkText(findings, file.filename, fieldRules(limits).filename);
    if (file.filename !== undefined && !PLAIN_FILENAME.test(file.filename.value)) {
      findings.add(file.filename.at, 'must be the plain name of a file, without directories');
    }
    if (file.data?.value === '') findings.add(file.data.at, 'must not be empty');
  }
}
