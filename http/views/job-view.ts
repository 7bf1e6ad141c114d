import type { JobId } from '../../src/core/ids.ts';
import {
  effectiveRetry,
  type RetryOverride,
  type RetryPolicy,
} from '../../src/core/lifecycle/retry-policy.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import { setCaps } from '../../src/core/records/job-caps.ts';
import { cancelReasonOf, parkReasonOf, type JobRecord } from '../../src/core/records/job.ts';
import type { StepRecord } from '../../src/core/records/step.ts';
import { keys } from '../../src/core/records/tables.ts';
import { failureSummary, firstFailure } from './failure-summary.ts';
import { retryRulesView } from './retry-rules-view.ts';
import { retryView } from './retry-view.ts';
import type { VisibleJobs } from './visible-jobs.ts';
import type { Schemas } from './schemas.ts';
import { stepView } from './step-view.ts';
import { timestampOf } from '../../src/core/timestamp.ts';

/** Returns the values of a job's parameters by name. */
export function parameterValuesOf(store: StoreReader, id: JobId): Readonly<Record<string, string>> {
  const parameters = Object.entries(store.get('plan', keys.plan(id))?.parameters ?? {});
  return Object.fromEntries(parameters.map(([name, { value }]) => [name, value]));
}

/** docs/contract/resources.md#job. `retry` is the result of the cascade. */
export function jobView(job: JobRecord, retry: RetryPolicy): Schemas['Job'] {
  const [parkReason, cancelReason] = [parkReasonOf(job), cancelReasonOf(job)];
  return {
    id: job.id,
    farm_id: job.farmId,
    queue_id: job.queueId,
    name: job.name,
    owner: job.owner,
    submitter: job.submitter,
    priority: job.priority,
    project: job.project,
    status: job.status,
    template_format: job.templateFormat,
    created_at: timestampOf(job.createdAt),
    updated_at: timestampOf(job.updatedAt),
    failed_attempts: job.failedAttempts,
    ...(parkReason !== null && { park_reason: parkReason }),
    ...(cancelReason !== null && { cancel_reason: cancelReason }),
    effective_retry: {
      max_attempts: retry.maxAttempts,
      retry_delay_seconds: retry.retryDelaySeconds,
      failure_limit: retry.failureLimit,
      ...(retry.canaryTasks === true && { canary_tasks: true }),
    },
    task_counts: job.taskCounts,
    ...(job.startAfter !== undefined && { start_after: timestampOf(job.startAfter) }),
    ...capsView(job),
    ...(job.product !== undefined && { product: job.product }),
  };
}

function capsView(
  job: JobRecord,
): Pick<Schemas['Job'], 'max_concurrent_tasks' | 'step_max_concurrent_tasks'> {
  const { maxConcurrentTasks, stepCaps } = setCaps(job);
  return {
    ...(maxConcurrentTasks !== undefined && { max_concurrent_tasks: maxConcurrentTasks }),
    ...(stepCaps !== undefined && { step_max_concurrent_tasks: stepCaps }),
  };
}

/** Returns why a job or step waits; null if it does not wait, or if the reason is unknown. */
interface Reasons {
  readonly ofJob: (job: JobRecord) => string | null;
  readonly ofStep: (job: JobRecord, step: StepRecord) => string | null;
}

const NO_REASONS: Reasons = { ofJob: () => null, ofStep: () => null };

/** Builds views of jobs for one response. Reads shared data once. */
export class JobViewer {
  readonly #store: StoreReader;
  readonly #serverRetry: RetryPolicy;
  readonly #reasons: Reasons;
  readonly #overrides = new Map<string, RetryOverride>();

  /** Views have no `waiting_reason` without `reasons`. */
  constructor(store: StoreReader, serverRetry: RetryPolicy, reasons: Reasons = NO_REASONS) {
    this.#store = store;
    this.#serverRetry = serverRetry;
    this.#reasons = reasons;
  }

  /** Returns the job as lists show it. */
  view(job: JobRecord): Schemas['Job'] {
    const retry = effectiveRetry(this.#serverRetry, this.#farmRetry(job), this.#queueRetry(job), job.retry);
    const reason = this.#reasons.ofJob(job);
    const failure = firstFailure(this.#store, job);
    return {
      ...jobView(job, retry),
      ...(failure !== null && { first_failure: failure }),
      ...(reason !== null && { waiting_reason: reason }),
    };
  }

  /** Returns the job with its steps. Upstream jobs that are not visible are left out. */
  detail(job: JobRecord, visible: Pick<VisibleJobs, 'has'>): Schemas['JobDetail'] {
    const dependsOn = job.dependsOn.filter(visible.has);
    const steps = [...this.#store.scan('step', { prefix: keys.stepsOf(job.id) })].map((row) => row.value);
    const parameters = parameterValuesOf(this.#store, job.id);
    return {
      ...this.view(job),
      ...(job.description !== '' && { description: job.description }),
      steps: steps.map((step) => stepView(step, steps, this.#reasons.ofStep(job, step))),
      failure_summary: failureSummary(this.#store, job),
      own_retry: retryView(job.retry),
      ...retryRulesView(job.retryRules),
      ...(dependsOn.length > 0 && { depends_on: dependsOn }),
      ...(Object.keys(parameters).length > 0 && { parameters }),
      ...(job.extensions.length > 0 && { extensions: job.extensions }),
    };
  }

  #farmRetry(job: JobRecord): RetryOverride {
    return this.#override(job.farmId, () => this.#store.get('farm', keys.farm(job.farmId))?.retry);
  }

  #queueRetry(job: JobRecord): RetryOverride {
    return this.#override(job.queueId, () => this.#store.get('queue', keys.queue(job.queueId))?.retry);
  }

  /** A deleted farm or queue has no settings. */
  #override(id: string, read: () => RetryOverride | undefined): RetryOverride {
    const known = this.#overrides.get(id);
    if (known !== undefined) return known;
    const override = read() ?? {};
    this.#overrides.set(id, override);
    return override;
  }
}
