import { encodeStepBody, encodeValue } from '../../src/adapters/lmdb/value-encoder.ts';
import { readDefinition } from '../../src/adapters/yaml/read-definition.ts';
import { readDocument } from '../../src/adapters/yaml/read-document.ts';
import type { DescribedProduct } from '../../src/core/products/product-library.ts';
import type { ExprLimits } from '../../src/openjd/expr/expr-limits.ts';
import { serviceFeatures, type ExtraExtension } from '../../src/openjd/template/extensions.ts';
import { checkTemplate } from '../../src/openjd/template/check-template.ts';
import { describeTemplate, type TemplateDescription } from '../../src/openjd/template/describe-template.ts';
import { prepareJob } from '../../src/openjd/template/expand/prepare-job.ts';
import { previewJob, type StepPreview } from '../../src/openjd/template/preview-command.ts';
import type { TemplateLimits } from '../../src/openjd/template/template-limits.ts';
import type { JobPlan } from '../../src/openjd/template/plan.ts';
import type { LargeRows, PlanInParts } from '../../src/core/ports/large-jobs.ts';
import type { PointedError } from '../../src/openjd/primitives/pointed-error.ts';
import { templateRecord, type JobEnvironment, type TemplateFormat } from '../../src/core/records/job.ts';
import { WIRE_LIMITS } from '../../src/core/wire/limits.ts';
import { createRe2Engine } from '../../src/adapters/regex/re2-engine.ts';
import {
  describeEnvironments,
  readEnvironments,
  type QueueEnvironments,
  type QueueEnvironmentsResult,
  type SubmittedEnvironment,
} from './environment-task.ts';
import { splitPlan } from './plan-parts.ts';

/** One per thread: it caches compiled patterns. */
const regex = createRe2Engine();

/** Minimum number of characters of a large template. For a smaller one, additional commits cost more than they save. */
const LARGE_TEXT = 262_144;

/** Shared memory for the time at which the thread begins, of `process.hrtime`; 0 before. */
export interface Started {
  readonly startedAt: BigInt64Array<SharedArrayBuffer>;
}

/** Task of a pool thread. */
export type PoolTask = (PreparationTask | DescriptionTask | DefinitionTask | EnvironmentsTask) & Started;

export interface LanguageLimits {
  readonly limits: TemplateLimits;
  /** Limits of each evaluated expression. */
  readonly exprLimits: ExprLimits;
  /** Extensions that the operator admits. */
  readonly extraExtensions: readonly ExtraExtension[];
}

/** Checks and describes a template without values. */
export interface DescriptionTask extends LanguageLimits {
  readonly kind: 'describe';
  readonly text: string;
  readonly format: TemplateFormat;
}

/** Reads a definition file of a product and checks its template. */
export interface DefinitionTask extends LanguageLimits {
  readonly kind: 'definition';
  readonly text: string;
}

/** Checks and describes the environment templates of a queue. */
export interface EnvironmentsTask extends LanguageLimits, QueueEnvironments {
  readonly kind: 'environments';
}

export type DescriptionResult =
  | { readonly ok: true; readonly description: TemplateDescription }
  | { readonly ok: false; readonly errors: readonly PointedError[] };

export type DefinitionTaskResult =
  | { readonly ok: true; readonly product: DescribedProduct }
  | { readonly ok: false; readonly errors: readonly PointedError[] };

/** Creates a job from a template. */
export interface PreparationTask extends LanguageLimits {
  readonly kind: 'prepare';
  readonly text: string;
  readonly format: TemplateFormat;
  /** Replaces the job name of the template, unless empty. */
  readonly jobName: string;
  readonly values: Readonly<Record<string, string>>;
  /** Values of an earlier job: they apply where there is such a parameter and no other value. */
  readonly inherited: Readonly<Record<string, string>>;
  /** Environment templates of the job, the outermost first. */
  readonly environments: readonly SubmittedEnvironment[];
  /** Returns the commands of the steps too. */
  readonly previews: boolean;
}

export type PreparationResult =
  | {
      readonly ok: true;
      readonly job: {
        readonly plan: PlanInParts;
        /** Plan and template of a large job, which are stored before it; null for another job and for a dry run. */
        readonly rows: LargeRows | null;
        readonly description: string;
        readonly extensions: readonly string[];
        readonly environments: readonly JobEnvironment[];
      };
      /** By order of the step; empty if not requested. */
      readonly previews: readonly StepPreview[];
    }
  | { readonly ok: false; readonly errors: readonly PointedError[] };

/** Parses, validates and resolves a template. Pure computation, which the pool may abort at any point. */
export function prepareTemplate(task: PreparationTask): PreparationResult {
  const read = readDocument(task.text, task.format);
  if (!read.ok) return { ok: false, errors: read.errors };
  const expressions = { limits: task.exprLimits, regex };
  const language = { limits: task.limits, supported: serviceFeatures(task.extraExtensions), expressions };
  const environments = readEnvironments(task.environments, language);
  if (!environments.ok) return environments;
  const prepared = prepareJob(read.document, new Map(Object.entries(task.values)), language, {
    jobName: task.jobName,
    environments: environments.outer,
    inherited: new Map(Object.entries(task.inherited)),
  });
  if (!prepared.ok) return prepared;
  const errors = oversizedSteps(prepared.job.plan);
  if (errors.length > 0) return { ok: false, errors };
  const { plan, description, extensions } = prepared.job;
  const previews = task.previews ? previewJob(prepared.job, expressions) : [];
  const isLarge = !task.previews && task.text.length >= LARGE_TEXT;
  const { stored } = environments;
  const rows = isLarge ? encodeRows(plan, task, stored) : null;
  return {
    ok: true,
    job: { plan: splitPlan(plan, encodeStepBody), rows, description, extensions, environments: stored },
    previews,
  };
}

/** Checks a template with the limits of the service, and describes it. */
export function describeText({ text, format, ...language }: DescriptionTask): DescriptionResult {
  const read = readDocument(text, format);
  if (!read.ok) return { ok: false, errors: read.errors };
  const { limits, exprLimits, extraExtensions } = language;
  const expressions = { limits: exprLimits, regex };
  const supported = serviceFeatures(extraExtensions);
  const checked = checkTemplate(read.document, { limits, supported, expressions });
  if (!checked.ok) return checked;
  return { ok: true, description: describeTemplate(checked.template) };
}

/** Checks and describes environment templates with the limits of the service. */
export function describeQueueEnvironments({
  limits,
  exprLimits,
  extraExtensions,
  ...queue
}: EnvironmentsTask): QueueEnvironmentsResult {
  const expressions = { limits: exprLimits, regex };
  return describeEnvironments(queue, { limits, supported: serviceFeatures(extraExtensions), expressions });
}

/** Reads a definition file. Positions of errors in an inline template are those of the template alone. */
export function describeDefinition({ text, ...limits }: DefinitionTask): DefinitionTaskResult {
  const read = readDefinition(text);
  if (!read.ok) return read;
  const { definition } = read;
  const { template, format } = definition;
  const described = describeText({ ...limits, kind: 'describe', text: template, format });
  if (described.ok) return { ok: true, product: { definition, description: described.description } };
  return {
    ok: false,
    errors: described.errors.map(({ pointer, detail }) => ({ pointer: `/template${pointer}`, detail })),
  };
}

/** Encodes the rows of a large job here, because leases would wait for it in a shard. */
const encodeRows = (
  plan: JobPlan,
  template: PreparationTask,
  environments: readonly JobEnvironment[],
): LargeRows => ({
  plan: new Uint8Array(encodeValue('plan', plan)),
  template: new Uint8Array(encodeValue('template', templateRecord(template, environments))),
});

/** Returns an error for each step whose part of a lease does not fit a message of the bus. */
function oversizedSteps({ parameters, environments, steps }: JobPlan): PointedError[] {
  const jobBytes = Buffer.byteLength(JSON.stringify([parameters, environments]));
  return steps.flatMap((step, index) => {
    const bytes = jobBytes + Buffer.byteLength(JSON.stringify([step.environments, step.script, step.lets]));
    if (bytes <= WIRE_LIMITS.stepAssignmentBytes) return [];
    const detail = `the step's script, bindings and environments take ${bytes} bytes, more than the ${WIRE_LIMITS.stepAssignmentBytes} that reach a worker`;
    return [{ pointer: `/steps/${index}`, detail }];
  });
}
