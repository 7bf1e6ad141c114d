import type { PointedError } from '../../primitives/pointed-error.ts';
import { errorsOfSource, type OuterEnvironment } from '../check-environment.ts';
import type { CheckedTemplate } from '../check-template.ts';
import type { ExtensionName } from '../extensions.ts';
import { Findings } from '../findings.ts';
import type { LanguageOptions } from '../language/options.ts';
import type { EnvironmentPlan, ParameterValue } from '../plan.ts';
import { jobActionScope, jobScopes, type KnownParameter } from '../scope.ts';
import type { TemplateShape } from '../shape/template-shape.ts';
import { TextChecker } from '../text-checker.ts';
import { checkHostTexts } from '../validate/09-format-strings.ts';
import { ActionValues } from './action-values.ts';
import { CreationValues } from './creation-values.ts';
import { environmentPlan } from './script-plans.ts';

const EXPR: ExtensionName = 'EXPR';

/** Returns the parameters that the texts of a template can refer to: its own. */
export const knownTo = (
  { parameters }: CheckedTemplate,
  values: ReadonlyMap<string, ParameterValue>,
): readonly KnownParameter[] =>
  parameters.flatMap(({ shape }) => {
    const name = shape.name?.value ?? '';
    const value = values.get(name);
    return value === undefined ? [] : [{ name, type: value.type, value: value.value }];
  });

/** Returns the environment of an environment template, or its errors with the values of the job. */
export function outerPlans(
  { source, template }: OuterEnvironment,
  values: ReadonlyMap<string, ParameterValue>,
  jobName: string,
  expressions: LanguageOptions['expressions'],
): { readonly plans: readonly EnvironmentPlan[]; readonly errors: readonly PointedError[] } {
  const { shape } = template;
  const isExpr = shape.extensions.has(EXPR);
  const findings = new Findings();
  const scopes = jobScopes({
    isExpr,
    parameters: knownTo(template, values),
    jobName,
    namesAtCreation: false,
  });
  const checker = new TextChecker(findings, isExpr ? expressions : null);
  const actions = new ActionValues(new CreationValues(checker, jobActionScope(scopes)));
  const plans = shape.jobEnvironments.map((environment) => ({
    ...environmentPlan(environment, actions),
    extensions: [...shape.extensions],
  }));
  if (isExpr) checkHostTexts(checker, shape, scopes, []);
  return { plans, errors: errorsOfSource(source, findings.sorted()) };
}

/**
 * Reports environments that wrap actions inside of an environment template that does so: a session has at most one
 * (section 4.3). The template check did that for the environments of the job among themselves.
 */
export function checkOuterWraps(
  findings: Findings,
  outer: readonly OuterEnvironment[],
  job: TemplateShape,
): void {
  const [first, ...others] = outer.filter(({ template }) => wrapsOf(template.shape).length > 0);
  if (first === undefined) return;
  const detail = `only one environment of a session can wrap actions, and ${first.source} does so as well`;
  for (const { source } of others) findings.add(job.at, `${source}: ${detail}`);
  for (const { at } of wrapsOf(job)) findings.add(at, detail);
}

/** Returns the hooks of all environments of a template. */
const wrapsOf = ({ jobEnvironments, steps }: TemplateShape) =>
  [...jobEnvironments, ...steps.flatMap(({ environments }) => environments)].flatMap(
    ({ wrap }) => wrap ?? [],
  );
