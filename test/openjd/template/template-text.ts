import { readDocument } from '../../../src/adapters/yaml/read-document.ts';
import { EXPRESSIONS } from '../../../src/adapters/regex/default-expressions.ts';
import { checkTemplate } from '../../../src/openjd/template/check-template.ts';
import type { DocumentNode } from '../../../src/openjd/primitives/document.ts';
import {
  prepareJob,
  type PreparedJob,
  type PrepareResult,
} from '../../../src/openjd/template/expand/prepare-job.ts';
import type { SupportedFeatures } from '../../../src/openjd/template/extensions.ts';
import { TEMPLATE_LIMITS, type TemplateLimits } from '../../../src/openjd/template/template-limits.ts';

/** The smallest step, for lists of steps. */
export const STEP = { name: 'S', script: { actions: { onRun: { command: 'true' } } } };

/** Returns a template of one step as an object, with replaced or added parts. */
export function template(parts: object = {}): object {
  return { specificationVersion: 'jobtemplate-2023-09', name: 'Job', steps: [STEP], ...parts };
}

/** Returns a template of one step, with replaced or added parts of the step. */
export const withStep = (parts: object, others: object = {}): object =>
  template({ steps: [{ ...STEP, ...parts }], ...others });

export function documentOf(source: object | string): DocumentNode {
  const text = typeof source === 'string' ? source : JSON.stringify(source);
  const read = readDocument(text, typeof source === 'string' ? 'yaml' : 'json');
  if (!read.ok) throw new Error(read.errors.map((error) => error.detail).join('; '));
  return read.document;
}

/** Returns all check errors as `pointer: detail`. */
export function findings(source: object | string, supported?: SupportedFeatures): string[] {
  const result = checkTemplate(documentOf(source), {
    expressions: EXPRESSIONS,
    ...(supported && { supported }),
  });
  return result.ok ? [] : result.errors.map(({ pointer, detail }) => `${pointer}: ${detail}`);
}

const prepare = (
  source: object | string,
  values: Readonly<Record<string, string>> = {},
  limits: TemplateLimits = TEMPLATE_LIMITS,
  supported?: SupportedFeatures,
): PrepareResult =>
  prepareJob(documentOf(source), new Map(Object.entries(values)), {
    limits,
    expressions: EXPRESSIONS,
    ...(supported && { supported }),
  });

export function prepared(
  source: object | string,
  values: Readonly<Record<string, string>> = {},
  supported?: SupportedFeatures,
): PreparedJob {
  const result = prepare(source, values, TEMPLATE_LIMITS, supported);
  if (!result.ok)
    throw new Error(result.errors.map(({ pointer, detail }) => `${pointer}: ${detail}`).join('; '));
  return result.job;
}

/** Returns all job creation errors as `pointer: detail`. */
export function refusals(
  source: object | string,
  values: Readonly<Record<string, string>> = {},
  limits: TemplateLimits = TEMPLATE_LIMITS,
  supported?: SupportedFeatures,
): string[] {
  const result = prepare(source, values, limits, supported);
  return result.ok ? [] : result.errors.map(({ pointer, detail }) => `${pointer}: ${detail}`);
}
