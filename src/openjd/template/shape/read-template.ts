import type { Findings } from '../findings.ts';
import type { Located } from '../located.ts';
import type { TemplateLimits } from '../template-limits.ts';
import { ObjectReader } from './object-reader.ts';
import { readDeliveries } from './read-delivery.ts';
import { readEnvironment, readEnvironments } from './read-script.ts';
import { readParameter } from './read-parameter.ts';
import { readStep } from './read-step.ts';
import type { TemplateShape } from './template-shape.ts';
import { ENVIRONMENT_TEMPLATE_KEYS, TEMPLATE_KEYS } from './template-tables.ts';

/** The specification sets no limit to the number of steps. */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

/**
 * Pass 2: the shape of every object (specification, section 1.1 and the sections that it refers to): allowed and
 * required keys, and the kind of each value. `extensions` are those that the template declares and pass 1 accepted.
 */
export function readTemplate(
  findings: Findings,
  at: Located,
  extensions: ReadonlySet<string>,
  limits: TemplateLimits,
): TemplateShape | undefined {
  const reader = new ObjectReader(findings, extensions);
  const fields = reader.object(at, TEMPLATE_KEYS);
  if (fields === undefined) return undefined;
  const parameters = reader.list(fields.get('parameterDefinitions'), limits.maxParameters) ?? [];
  const steps = reader.list(fields.get('steps'), UNLIMITED) ?? [];
  return {
    at,
    extensions,
    name: reader.text(fields.get('name')),
    description: reader.text(fields.get('description')),
    parameters: parameters.flatMap((item) => readParameter(reader, item, limits) ?? []),
    jobEnvironments: readEnvironments(reader, fields.get('jobEnvironments'), limits),
    steps: steps.flatMap((item) => readStep(reader, item, limits) ?? []),
    deliveries: readDeliveries(reader, fields.get('pathDelivery')),
  };
}

/**
 * Pass 2 of an environment template (specification, section 1.2). Its shape is that of a job template with one job
 * environment and without steps.
 */
export function readEnvironmentTemplate(
  findings: Findings,
  at: Located,
  extensions: ReadonlySet<string>,
  limits: TemplateLimits,
): TemplateShape | undefined {
  const reader = new ObjectReader(findings, extensions);
  const fields = reader.object(at, ENVIRONMENT_TEMPLATE_KEYS);
  if (fields === undefined) return undefined;
  const parameters = reader.list(fields.get('parameterDefinitions'), limits.maxParameters) ?? [];
  const environment = fields.get('environment');
  const read = environment === undefined ? undefined : readEnvironment(reader, environment, limits);
  return {
    at,
    extensions,
    name: undefined,
    description: undefined,
    parameters: parameters.flatMap((item) => readParameter(reader, item, limits) ?? []),
    jobEnvironments: read === undefined ? [] : [read],
    steps: [],
    deliveries: undefined,
  };
}
