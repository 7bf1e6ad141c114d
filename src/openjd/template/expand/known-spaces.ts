import { CreationValues } from './creation-values.ts';
import { resolveSpace } from './resolve-space.ts';
import type { Findings } from '../findings.ts';
import { jobScopes, stepCreationScope } from '../scope.ts';
import type { TaskParameterShape, TemplateShape } from '../shape/template-shape.ts';
import type { TemplateLimits } from '../template-limits.ts';
import { TextChecker } from '../text-checker.ts';
import { bindSteps, NO_LETS, type CheckedLanguage } from '../validate/09-format-strings.ts';

/**
 * Last pass of a check, if the others had no findings: reports parameter spaces that make no job with any values of the parameters, such
 * as groups with parts of different lengths (section 3.4). Ranges that depend on values are checked when a job is created.
 */
export function checkKnownSpaces(
  findings: Findings,
  template: TemplateShape,
  limits: TemplateLimits,
  { settings, namesAtCreation }: CheckedLanguage,
): void {
  const checker = new TextChecker(findings, settings);
  const parameters = template.parameters.flatMap(({ name, type }) =>
    name === undefined ? [] : [{ name: name.value, type, value: null }],
  );
  const job = jobScopes({ isExpr: settings !== null, parameters, jobName: null, namesAtCreation });
  const lets = bindSteps(checker, template, job);
  for (const [order, step] of template.steps.entries()) {
    if (step.space?.parameters.some(isTextRange) === true) continue;
    const scope = stepCreationScope(job, step, lets[order] ?? NO_LETS);
    resolveSpace(findings, new CreationValues(checker, scope), step, limits);
  }
}

/** A text as the range of a type without range expressions is valid in a template, and an empty range in a job. */
const isTextRange = ({ range, type }: TaskParameterShape): boolean =>
  range?.kind === 'expression' && !range.text.value.includes('{{') && type !== 'INT' && type !== 'CHUNK[INT]';
