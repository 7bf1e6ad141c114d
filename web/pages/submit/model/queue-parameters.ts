import type { ParameterDefinition } from './definition.ts';
import type { TemplateOutline } from './read-template.ts';

/** Heading of parameters of the queue that have no group of their own. */
const GROUP = 'Parameters of the queue';

/**
 * Returns the outline with the parameters that only the environments of the queue define. `ofEnvironments` has the
 * definitions of each environment in their order. The last definition counts, and the last default. The server checks the
 * values by all definitions.
 */
export function withQueueParameters(
  outline: TemplateOutline,
  ofEnvironments: readonly (readonly ParameterDefinition[])[],
): TemplateOutline {
  const own = new Map(outline.definitions.map((definition) => [definition.name, definition]));
  const declared = new Set(outline.parameterNames);
  const added = new Map<string, ParameterDefinition>();
  for (const definition of ofEnvironments.flat()) {
    const { name, default: value, group } = definition;
    const ofJob = own.get(name);
    if (ofJob !== undefined && ofJob.default === null && value !== null)
      own.set(name, { ...ofJob, default: value });
    if (declared.has(name)) continue;
    added.set(name, {
      ...definition,
      group: group === '' ? GROUP : group,
      default: value ?? added.get(name)?.default ?? null,
    });
  }
  if (added.size === 0 && ofEnvironments.length === 0) return outline;
  return { ...outline, definitions: [...own.values(), ...added.values()] };
}
