import { EXTENSION_PREFIX } from '../capabilities.ts';
import type { ExtraExtension } from '../extensions.ts';
import type { EnvironmentPlan, ScriptPlan, StepRequirements } from '../plan.ts';

/**
 * Returns the requirements of a step whose environments or script need a worker with an extension. Everything else of these
 * extensions is resolved at job creation, so that every worker runs it.
 */
export function withWorkerExtensions(
  requirements: StepRequirements,
  environments: readonly EnvironmentPlan[],
  script: ScriptPlan,
): StepRequirements {
  const needed: ExtraExtension[] = [];
  const files = [script, ...environments].flatMap(({ embeddedFiles }) => embeddedFiles);
  if (files.some(({ endOfLine }) => endOfLine !== undefined)) needed.push('FEATURE_BUNDLE_1');
  if (environments.some(({ wrap }) => wrap !== undefined)) needed.push('WRAP_ACTIONS');
  if (needed.length === 0) return requirements;
  const attributes = needed.map((name) => ({
    name: `${EXTENSION_PREFIX}${name.toLowerCase()}`,
    anyOf: ['true'],
  }));
  return { ...requirements, attributes: [...requirements.attributes, ...attributes] };
}
