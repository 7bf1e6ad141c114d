import { displayOf } from '../../expr/values/display.ts';
import { typeOf, type Value } from '../../expr/values/value.ts';
import type { PointedError } from '../../primitives/pointed-error.ts';
import type { OuterEnvironment } from '../check-environment.ts';
import { checkTemplate, type CheckedTemplate } from '../check-template.ts';
import type { DocumentNode } from '../../primitives/document.ts';
import { LANGUAGE_FEATURES, type ExtensionName } from '../extensions.ts';
import { Findings } from '../findings.ts';
import type { LanguageOptions } from '../language/options.ts';
import type { JobPlan, StepPlan } from '../plan.ts';
import { jobActionScope, jobScopes, stepActionScope, stepCreationScope, type JobScopes } from '../scope.ts';
import type { TemplateShape } from '../shape/template-shape.ts';
import { limitsOf, TEMPLATE_LIMITS, type TemplateLimits } from '../template-limits.ts';
import { TextChecker } from '../text-checker.ts';
import { characters, hasControl } from '../../primitives/text-rules.ts';
import { bindSteps, checkHostTexts, NO_LETS } from '../validate/09-format-strings.ts';
import { ActionValues } from './action-values.ts';
import { CreationValues } from './creation-values.ts';
import { checkOuterWraps, knownTo, outerPlans } from './outer-environments.ts';
import { parameterValues } from './parameter-values.ts';
import { resolveRequirements } from './resolve-requirements.ts';
import { resolveSpace } from './resolve-space.ts';
import { deliveryPlans } from './delivery-plans.ts';
import { environmentPlan, scriptPlan } from './script-plans.ts';
import { withWorkerExtensions } from './worker-extensions.ts';

const EXPR: ExtensionName = 'EXPR';

/** A job created from a template: its plan, and further fields for display. */
export interface PreparedJob {
  readonly plan: JobPlan;
  readonly description: string;
  readonly extensions: readonly string[];
  /** Why a farm can reject the template, as sentences; mostly none. */
  readonly farmNotes: readonly string[];
}

/** Further parts that a job is created from, besides its template and the submitted values. */
export interface JobAdditions {
  /** Replaces the name in the template, unless empty. */
  readonly jobName?: string;
  /** Environment templates, the outermost first. Their environments are entered before those of the job. */
  readonly environments?: readonly OuterEnvironment[];
  /** Values of an earlier job: they apply where there is such a parameter and no submitted value. */
  readonly inherited?: ReadonlyMap<string, string>;
}

export type PrepareResult =
  | { readonly ok: true; readonly job: PreparedJob }
  | { readonly ok: false; readonly errors: readonly PointedError[] };

/**
 * Creates a job from a template and the submitted parameter values, which are texts by parameter name. Validates the
 * template, checks the values, resolves everything that is resolved at job creation and checks it again (specification,
 * section 7.4). Returns all errors of a stage, by position. Errors of environment templates name them in their text.
 */
export function prepareJob(
  document: DocumentNode,
  values: ReadonlyMap<string, string>,
  options: LanguageOptions,
  additions: JobAdditions = {},
): PrepareResult {
  const checked = checkTemplate(document, options);
  if (!checked.ok) return checked;
  return createJob(checked.template, values, options, additions);
}

/** Second half of `prepareJob`: creates a job from a checked template. */
function createJob(
  template: CheckedTemplate,
  submitted: ReadonlyMap<string, string>,
  { limits: given = TEMPLATE_LIMITS, supported = LANGUAGE_FEATURES, expressions, localPath }: LanguageOptions,
  { jobName: givenName = '', environments: outer = [], inherited }: JobAdditions,
): PrepareResult {
  const findings = new Findings();
  const { shape } = template;
  const limits = limitsOf(given, shape.extensions);
  const values = { limits, localPath, environments: outer, inherited };
  const parameters = parameterValues(findings, template, submitted, values);
  checkOuterWraps(findings, outer, shape);
  if (findings.count > 0) return { ok: false, errors: findings.sorted() };

  const isExpr = shape.extensions.has('EXPR');
  const checker = new TextChecker(findings, isExpr ? expressions : null);
  const known = knownTo(template, parameters);
  const facts = { isExpr, parameters: known, namesAtCreation: supported.namesAtCreation === true };
  const before = jobScopes({ ...facts, jobName: null });
  const jobName =
    givenName === ''
      ? resolveJobName(findings, new CreationValues(checker, before.creation), shape, limits)
      : givenName;
  const job = jobScopes({ ...facts, jobName: jobName ?? null });
  const lets = bindSteps(checker, shape, job);
  const actionsOfJob = new ActionValues(new CreationValues(checker, jobActionScope(job)));
  const ownEnvironments = shape.jobEnvironments.map((each) => environmentPlan(each, actionsOfJob));
  const usesExpressions = [template, ...outer.map((each) => each.template)].some((each) =>
    each.shape.extensions.has(EXPR),
  );
  const steps = resolveSteps(findings, checker, job, shape, lets, { limits, usesExpressions });
  // The template check covered only names; the results of expressions with the now known values are checked here.
  const needed = isExpr ? checkHostTexts(checker, shape, job, lets) : [];
  if (findings.count > 0 || jobName === undefined) return { ok: false, errors: findings.sorted() };
  const made = outer.map((each) => outerPlans(each, parameters, jobName, expressions));
  const outerErrors = made.flatMap(({ errors }) => errors);
  if (outerErrors.length > 0) return { ok: false, errors: outerErrors };
  const environments = [...made.flatMap(({ plans }) => plans), ...ownEnvironments];
  return {
    ok: true,
    job: {
      plan: {
        version: 1,
        jobName,
        parameters: Object.fromEntries(parameters),
        environments,
        steps: steps.map((step) => ({
          ...step,
          requirements: withWorkerExtensions(
            step.requirements,
            [...environments, ...step.environments],
            step.script,
          ),
          ...letValues(lets[step.order], needed[step.order]),
        })),
      },
      description: shape.description?.value ?? '',
      extensions: [...shape.extensions],
      farmNotes: [
        ...new Set([template, ...outer.map((each) => each.template)].flatMap((each) => each.farmNotes)),
      ],
    },
  };
}

/** Returns the bindings of a step that its scripts need, with their values. */
function letValues(
  lets: ReadonlyMap<string, Value> | undefined,
  needed: ReadonlySet<string> | undefined,
): Pick<StepPlan, 'lets'> {
  const values = [...(lets ?? [])]
    .filter(([name]) => needed?.has(name) === true)
    .map(([name, value]) => ({ name, type: typeOf(value).text, value: displayOf(value) }));
  return values.length === 0 ? {} : { lets: values };
}

/** Section 1.1.1: the constraints apply after resolution. */
function resolveJobName(
  findings: Findings,
  creation: CreationValues,
  shape: TemplateShape,
  limits: TemplateLimits,
): string | undefined {
  if (shape.name === undefined) return undefined;
  const name = creation.resolveText(shape.name);
  if (name === undefined) return undefined;
  const length = characters(name);
  if (length === 0) findings.add(shape.name.at, 'resolves to an empty name');
  if (length > limits.maxJobName) {
    findings.add(
      shape.name.at,
      `must not have more than ${limits.maxJobName} characters, and has ${length} when resolved`,
    );
  }
  if (hasControl(name)) findings.add(shape.name.at, 'resolves to a name with control characters');
  return name;
}

function resolveSteps(
  findings: Findings,
  checker: TextChecker,
  job: JobScopes,
  shape: TemplateShape,
  lets: readonly ReadonlyMap<string, Value>[],
  { limits, usesExpressions }: { readonly limits: TemplateLimits; readonly usesExpressions: boolean },
): StepPlan[] {
  const orders = new Map(shape.steps.map((step, order) => [step.name?.value, order]));
  return shape.steps.flatMap((step, order) => {
    const deliveries = step.deliveries ?? shape.deliveries;
    const bound = lets[order] ?? NO_LETS;
    const scope = stepCreationScope(job, step, bound);
    const actions = new ActionValues(new CreationValues(checker, stepActionScope(job, step, bound)));
    const creation = new CreationValues(checker, scope);
    const space = resolveSpace(findings, creation, step, limits);
    const requirements = {
      ...resolveRequirements(findings, creation, step.hostRequirements, limits),
      ...(usesExpressions && { usesExpressions }),
    };
    if (space === undefined || step.name === undefined) return [];
    return {
      name: step.name.value,
      order,
      dependsOn: step.dependencies.flatMap((dependency) => orders.get(dependency.value) ?? []),
      ...space,
      requirements,
      environments: step.environments.map((each) => environmentPlan(each, actions)),
      script: scriptPlan(step, actions),
      ...(deliveries === undefined ? {} : { deliveries: deliveryPlans(deliveries) }),
    };
  });
}
