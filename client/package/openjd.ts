/**
 * OpenJD templates (`jobtemplate-2023-09`, `environment-2023-09`) as a library, for submitters and tools of a pipeline: `import ... from 'callsheet/openjd'`. Everything
 * here is synchronous, has no state, and never throws for what a template contains.
 *
 * ```js
 * import { createJob, openSpace, readTemplate } from 'callsheet/openjd';
 *
 * const read = readTemplate(text);
 * const made = read.ok ? createJob(read.document, { Frames: '1-100' }) : read;
 * if (!made.ok) for (const { pointer, detail, line, column } of made.errors) console.error(line, column, pointer, detail);
 * else for (const step of made.job.plan.steps) console.log(step.name, step.taskCount, openSpace(step.space).at(0));
 * ```
 */
import { createRe2Engine } from '../../src/adapters/regex/re2-engine.ts';
import { readDocument } from '../../src/adapters/yaml/read-document.ts';
import {
  checkEnvironmentTemplate as checkEnvironmentDocument,
  environmentNameOf,
  errorsOfSource,
  type OuterEnvironment,
} from '../../src/openjd/template/check-environment.ts';
import { checkTemplate as checkDocument } from '../../src/openjd/template/check-template.ts';
import { DOCUMENT_LIMITS, type DocumentLimits } from '../../src/openjd/primitives/document-limits.ts';
import type { DocumentNode } from '../../src/openjd/primitives/document.ts';
import { EXPR_LIMITS, type ExprLimits } from '../../src/openjd/expr/expr-limits.ts';
import type { LanguageOptions } from '../../src/openjd/template/language/options.ts';
import { prepareJob, type PreparedJob } from '../../src/openjd/template/expand/prepare-job.ts';
import { LANGUAGE_FEATURES, type SupportedFeatures } from '../../src/openjd/template/extensions.ts';
import type { HostContext } from '../../src/openjd/template/host-symbols.ts';
import { hostResolver, type HostResolver } from '../../src/openjd/template/language/host-texts.ts';
import type { ReadResult } from '../../src/openjd/template/read-result.ts';
import { TEMPLATE_LIMITS, type TemplateLimits } from '../../src/openjd/template/template-limits.ts';
import type { PointedError } from '../../src/openjd/primitives/pointed-error.ts';

export type { DocumentLimits } from '../../src/openjd/primitives/document-limits.ts';
export type {
  DocumentNode,
  MappingEntry,
  MappingNode,
  Position,
  ScalarNode,
  SequenceNode,
} from '../../src/openjd/primitives/document.ts';
export type { PreparedJob } from '../../src/openjd/template/expand/prepare-job.ts';
export type {
  ExtensionName,
  ExtraExtension,
  SupportedFeatures,
} from '../../src/openjd/template/extensions.ts';
export type {
  HostContext,
  SessionValues,
  TaskValues,
  TypedContext,
} from '../../src/openjd/template/host-symbols.ts';
export type { ExprLimits } from '../../src/openjd/expr/expr-limits.ts';
export type { HostResolver, HostText, HostTexts } from '../../src/openjd/template/language/host-texts.ts';
export type { PathFormat, PathMappingRule } from '../../src/openjd/template/path-mapping.ts';
export type {
  ActionPlan,
  AmountRequirement,
  AttributeRequirement,
  BaseType,
  CancelationPlan,
  ChunksPlan,
  EmbeddedFilePlan,
  EndOfLine,
  EnvironmentPlan,
  HookFormats,
  HookPlan,
  JobPlan,
  LetPlan,
  LetValue,
  ParameterType,
  ParameterValue,
  ScriptPlan,
  StepPlan,
  StepRequirements,
  TaskParameterPlan,
  TaskParameterType,
  WrapPlan,
} from '../../src/openjd/template/plan.ts';
export type { ReadResult } from '../../src/openjd/template/read-result.ts';
export type {
  AxisValues,
  ChunkCut,
  RangeConstraint,
  SpaceDescription,
} from '../../src/openjd/template/space-description.ts';
export type { Space } from '../../src/openjd/template/space/open-space.ts';
export type { BundleLimits, TemplateLimits } from '../../src/openjd/template/template-limits.ts';
export type { IntegerRun } from '../../src/openjd/primitives/integer-set.ts';
export type { PointedError } from '../../src/openjd/primitives/pointed-error.ts';

export { pathMapper } from '../../src/openjd/template/path-mapping.ts';
export { openSpace } from '../../src/openjd/template/space/open-space.ts';
export { textOfErrors } from '../../src/core/problems.ts';

/** Options of a call. */
export interface TemplateOptions {
  /** Limits on the content of a template; default `TEMPLATE_LIMITS`. */
  readonly limits?: Partial<TemplateLimits>;
  /** Extensions and features that the caller supports. A template that needs others is rejected with the position. */
  readonly supported?: SupportedFeatures;
  /** Limits on the evaluation of one expression; default `EXPR_LIMITS`. */
  readonly exprLimits?: Partial<ExprLimits>;
}

/** Options of `createJob`. */
export interface JobOptions extends TemplateOptions {
  /** Parsed environment templates, the outermost first. */
  readonly environments?: readonly DocumentNode[];
}

export interface ReadOptions {
  /** Default `yaml`. It also accepts most JSON, but is slower. */
  readonly format?: 'yaml' | 'json';
  /** Limits on reading; default `DOCUMENT_LIMITS`. */
  readonly limits?: Partial<DocumentLimits>;
}

export type TemplateVerdict =
  /** `farmNotes`: why a farm can reject the template, as sentences; mostly none. */
  | { readonly ok: true; readonly farmNotes: readonly string[] }
  | { readonly ok: false; readonly errors: readonly PointedError[] };

export type CreatedJob =
  | { readonly ok: true; readonly job: PreparedJob }
  | { readonly ok: false; readonly errors: readonly PointedError[] };

export { DOCUMENT_LIMITS, EXPR_LIMITS, LANGUAGE_FEATURES, TEMPLATE_LIMITS };

/** Parses the text of a template. Hostile text is rejected within milliseconds. Errors have line and column, from 1. */
export function readTemplate(text: string, options: ReadOptions = {}): ReadResult {
  return readDocument(text, options.format ?? 'yaml', { ...DOCUMENT_LIMITS, ...options.limits });
}

/** Validates a parsed template without parameter values. Returns all errors by position, each with its JSON pointer. */
export function checkTemplate(document: DocumentNode, options: TemplateOptions = {}): TemplateVerdict {
  const checked = checkDocument(document, languageOf(options));
  return checked.ok ? { ok: true, farmNotes: checked.template.farmNotes } : checked;
}

/** Validates a parsed environment template. Returns all errors by position, each with its JSON pointer. */
export function checkEnvironmentTemplate(
  document: DocumentNode,
  options: TemplateOptions = {},
): TemplateVerdict {
  const checked = checkEnvironmentDocument(document, languageOf(options));
  return checked.ok ? { ok: true, farmNotes: checked.template.farmNotes } : checked;
}

/**
 * Creates a job from a parsed template: validates it, applies parameter values (text by name, else defaults), and
 * resolves names, requirements and parameter spaces. Does not list tasks: `openSpace(step.space)` computes each on
 * demand. The environments of `options.environments` come before those of the job, in their order, and their parameters
 * are merged with those of the job.
 */
export function createJob(
  document: DocumentNode,
  values: Readonly<Record<string, string>> = {},
  options: JobOptions = {},
): CreatedJob {
  const given = new Map(Object.entries(values));
  const language = languageOf(options);
  const environments: OuterEnvironment[] = [];
  for (const [index, outer] of (options.environments ?? []).entries()) {
    const checked = checkEnvironmentDocument(outer, language);
    if (!checked.ok) return { ok: false, errors: errorsOfSource(`environment ${index}`, checked.errors) };
    const source = `environment ${JSON.stringify(environmentNameOf(checked.template))}`;
    environments.push({ source, template: checked.template });
  }
  return prepareJob(document, given, language, { environments });
}

/**
 * Returns a resolver for the format strings of a script, as a worker uses it. `withLets` adds the bindings of `let`.
 */
export const scriptResolver = (context: HostContext, options: TemplateOptions = {}): HostResolver =>
  hostResolver(context, languageOf(options).expressions);

const regex = createRe2Engine();

const languageOf = ({
  limits,
  supported = LANGUAGE_FEATURES,
  exprLimits,
}: TemplateOptions): LanguageOptions => ({
  limits: { ...TEMPLATE_LIMITS, ...limits },
  supported,
  expressions: { limits: { ...EXPR_LIMITS, ...exprLimits }, regex },
});
