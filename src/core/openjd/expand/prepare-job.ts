import type { PointedError } from '../../problems.ts';
import { checkTemplate, type CheckedTemplate } from '../check-template.ts';
import type { DocumentNode } from '../document.ts';
import { LANGUAGE_FEATURES, type ExtensionName, type SupportedFeatures } from '../extensions.ts';
import { Findings } from '../findings.ts';
import type { JobPlan, StepPlan } from '../plan.ts';
import type { TemplateShape } from '../shape/template-shape.ts';
import { TEMPLATE_LIMITS, type TemplateLimits } from '../template-limits.ts';
import { characters, hasControl } from '../text-rules.ts';
import { CreationValues } from './creation-values.ts';
import { parameterValues } from './parameter-values.ts';
import { resolveRequirements } from './resolve-requirements.ts';
import { resolveSpace } from './resolve-space.ts';
import { deliveryPlans } from './delivery-plans.ts';
import { environmentPlan, scriptPlan } from './script-plans.ts';

const EXPR: ExtensionName = 'EXPR';

/** A job as it is created from a template: its plan, and what else is shown of it. */
export interface PreparedJob {
  readonly plan: JobPlan;
  readonly description: string;
  readonly extensions: readonly string[];
}

export type PrepareResult =
  | { readonly ok: true; readonly job: PreparedJob }
  | { readonly ok: false; readonly errors: readonly PointedError[] };

/**
 * Makes a job from a template and the submitted parameter values, which are text by parameter name: validates the template, checks the values,
 * resolves what is resolved at job creation and checks it again (specification, section 7.4). All errors of a stage at once, by position.
 */
export function prepareJob(
  document: DocumentNode,
  values: ReadonlyMap<string, string>,
  limits: TemplateLimits = TEMPLATE_LIMITS,
  supported: SupportedFeatures = LANGUAGE_FEATURES,
): PrepareResult {
  const checked = checkTemplate(document, limits, supported);
  if (!checked.ok) return checked;
  return createJob(checked.template, values, limits);
}

/** The second half of `prepareJob`: a job from a template that is already checked. */
function createJob(
  template: CheckedTemplate,
  submitted: ReadonlyMap<string, string>,
  limits: TemplateLimits,
): PrepareResult {
  const findings = new Findings();
  const { shape } = template;
  const parameters = parameterValues(findings, shape.at, template.parameters, submitted, limits);
  if (findings.count > 0) return { ok: false, errors: findings.sorted() };

  const creation = new CreationValues(findings, parameters);
  const jobName = resolveJobName(findings, creation, shape, limits);
  const steps = resolveSteps(findings, creation, shape, limits);
  if (findings.count > 0 || jobName === undefined) return { ok: false, errors: findings.sorted() };
  return {
    ok: true,
    job: {
      plan: {
        version: 1,
        jobName,
        parameters: Object.fromEntries(parameters),
        environments: shape.jobEnvironments.map(environmentPlan),
        steps,
      },
      description: shape.description?.value ?? '',
      extensions: [...shape.extensions],
    },
  };
}

/** Section 1.1.1: the constraints hold after resolution. */
function resolveJobName(
  findings: Findings,
  creation: CreationValues,
  shape: TemplateShape,
  limits: TemplateLimits,
): string | undefined {
  if (shape.name === undefined) return undefined;
  const name = creation.resolve(shape.name);
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
  creation: CreationValues,
  shape: TemplateShape,
  limits: TemplateLimits,
): StepPlan[] {
  const usesExpressions = shape.extensions.has(EXPR);
  const orders = new Map(shape.steps.map((step, order) => [step.name?.value, order]));
  return shape.steps.flatMap((step, order) => {
    const deliveries = step.deliveries ?? shape.deliveries;
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
      environments: step.environments.map(environmentPlan),
      script: scriptPlan(step),
      ...(deliveries === undefined ? {} : { deliveries: deliveryPlans(deliveries) }),
    };
  });
}
