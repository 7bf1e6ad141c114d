import { encodeStepBody, encodeValue } from '../../src/adapters/lmdb/value-encoder.ts';
import { readDocument } from '../../src/adapters/yaml/read-document.ts';
import type { ExprLimits } from '../../src/openjd/expr/expr-limits.ts';
import { prepareJob } from '../../src/openjd/template/expand/prepare-job.ts';
import { previewJob, type StepPreview } from '../../src/openjd/template/preview-command.ts';
import type { TemplateLimits } from '../../src/openjd/template/template-limits.ts';
import type { JobPlan } from '../../src/openjd/template/plan.ts';
import type { LargeJob } from '../../src/core/ports/large-jobs.ts';
import type { PointedError } from '../../src/openjd/primitives/pointed-error.ts';
import type { TemplateFormat } from '../../src/core/records/job.ts';
import { WIRE_LIMITS } from '../../src/core/wire/limits.ts';
import { createRe2Engine } from '../../src/adapters/regex/re2-engine.ts';
import { RUNNABLE_FEATURES } from '../../src/openjd/template/runnable-features.ts';
import { splitPlan } from './plan-parts.ts';

/** Of this thread: it keeps patterns that it has compiled. */
const regex = createRe2Engine();

/** Characters of a template whose job is large: a smaller one costs a commit less than the commits that it would save. */
const LARGE_TEXT = 262_144;

/** What a pool thread is asked to prepare. */
export interface PreparationTask {
  readonly text: string;
  readonly format: TemplateFormat;
  readonly values: Readonly<Record<string, string>>;
  readonly limits: TemplateLimits;
  /** Of each expression that is evaluated. */
  readonly exprLimits: ExprLimits;
  /** Whether the commands of the job's steps are wanted. */
  readonly previews: boolean;
}

export type PreparationResult =
  | {
      readonly ok: true;
      readonly job: {
        /** Of a large job in parts, with its rows, which are stored before it is. */
        readonly content: { readonly plan: JobPlan } | { readonly large: LargeJob };
        readonly description: string;
        readonly extensions: readonly string[];
      };
      /** By order of the step; empty when they are not wanted. */
      readonly previews: readonly StepPreview[];
    }
  | { readonly ok: false; readonly errors: readonly PointedError[] };

/** Reads, validates and resolves a template: processor time alone, so that the pool may abort it at any point. */
export function prepareTemplate(task: PreparationTask): PreparationResult {
  const read = readDocument(task.text, task.format);
  if (!read.ok) return { ok: false, errors: read.errors };
  const expressions = { limits: task.exprLimits, regex };
  const prepared = prepareJob(read.document, new Map(Object.entries(task.values)), {
    limits: task.limits,
    supported: RUNNABLE_FEATURES,
    expressions,
  });
  if (!prepared.ok) return prepared;
  const errors = oversizedSteps(prepared.job.plan);
  if (errors.length > 0) return { ok: false, errors };
  const { plan, description, extensions } = prepared.job;
  const previews = task.previews ? previewJob(prepared.job, expressions) : [];
  const isLarge = !task.previews && task.text.length >= LARGE_TEXT;
  const content = isLarge ? { large: largeJob(plan, task) } : { plan };
  return { ok: true, job: { content, description, extensions }, previews };
}

/** Encoding the rows of a large job is processor time too, which a shard has better uses for: leases would wait for it. */
function largeJob(plan: JobPlan, { format, text }: PreparationTask): LargeJob {
  const rows = {
    plan: new Uint8Array(encodeValue('plan', plan)),
    template: new Uint8Array(encodeValue('template', { version: 1, format, text })),
  };
  return { rows, plan: splitPlan(plan, encodeStepBody) };
}

/** Steps whose share of a lease would not fit the bus. */
function oversizedSteps({ parameters, environments, steps }: JobPlan): PointedError[] {
  const jobBytes = Buffer.byteLength(JSON.stringify([parameters, environments]));
  return steps.flatMap((step, index) => {
    const bytes = jobBytes + Buffer.byteLength(JSON.stringify([step.environments, step.script, step.lets]));
    if (bytes <= WIRE_LIMITS.stepAssignmentBytes) return [];
    const detail = `the step's script, bindings and environments take ${bytes} bytes, more than the ${WIRE_LIMITS.stepAssignmentBytes} that reach a worker`;
    return [{ pointer: `/steps/${index}`, detail }];
  });
}
