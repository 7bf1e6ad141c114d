import type { IdempotencyKeyRow } from '../../actors/service/job/messages.ts';
import type { JobSubmission } from '../../actors/service/farm/messages.ts';
import type { OwnerScope } from '../../src/core/access/owner-scope.ts';
import { farmId, jobId, queueId, type FarmId, type JobId } from '../../src/core/ids.ts';
import type { JobStatus } from '../../src/core/lifecycle/job-transitions.ts';
import type { RetryOverride } from '../../src/core/lifecycle/retry-policy.ts';
import type { RetryRule } from '../../src/core/retry-rules/retry-rule.ts';
import type { LargeRows, PlanInParts } from '../../src/core/ports/large-jobs.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import { done, type Outcome } from '../../src/core/problems.ts';
import { unknownSteps, type JobCaps } from '../../src/core/records/job-caps.ts';
import type { JobProduct, JobRecord, TemplateFormat, TemplateText } from '../../src/core/records/job.ts';
import type { StepPreview } from '../../src/openjd/template/preview-command.ts';
import { keys } from '../../src/core/records/tables.ts';
import { poolKey } from '../../src/core/records/usage-pool.ts';
import type { Principal } from '../guards/principal.ts';
import { pointedProblem } from '../problems.ts';
import type { Ports, PreparationRequest, PreparedJob } from '../ports.ts';
import { dryRunView } from '../views/dry-run-view.ts';
import { JobViewer } from '../views/job-view.ts';
import { StoreNames } from '../views/store-names.ts';
import { unevaluated } from './evaluation-replies.ts';
import { findJob } from './find-task.ts';
import { created } from './idempotent-submit.ts';
import { jobIdentityOf, type JobIdentity } from './job-identity.ts';
import { invalid, problem, type ProblemReply, type Reply } from './operation.ts';
import { askForWorkers } from './query-schedulers.ts';
import { environmentsOfQueue } from './queue-environments.ts';

/** A request for a new job, from a template or a product. */
export interface JobRequest {
  readonly principal: Principal;
  readonly client: () => string;
  /** Pointer to the parent of the fields in the request, for errors: `/query`, or empty for a body. */
  readonly pointer: string;
  readonly farmId: string;
  readonly queueId: string;
  /** Absent or empty means the principal itself. */
  readonly owner: string | undefined;
  readonly project: string;
  readonly priority: number;
  readonly retry: RetryOverride;
  /** Of the product, or of the job that is cloned. Absent: none. */
  readonly retryRules?: readonly RetryRule[] | undefined;
  readonly dependsOn: readonly string[];
  readonly isPaused: boolean;
  /** RFC 3339 time before which no task starts. */
  readonly startAfter: string | undefined;
  /** Absent: none. */
  readonly caps?: JobCaps | undefined;
  /** Replaces the job name of the template, unless empty. */
  readonly jobName: string;
  readonly text: string;
  readonly format: TemplateFormat;
  /** Values of job parameters by name. */
  readonly values: Readonly<Record<string, string>>;
  /** Values of an earlier job: they apply where there is such a parameter and no other value. */
  readonly inherited?: Readonly<Record<string, string>>;
  /** Environment templates that are sent with the job, the outermost first. */
  readonly environments: readonly TemplateText[];
  /** Null for a template of the client. */
  readonly product: JobProduct | null;
}

type SubmitReply = Reply<'submitJob'>;

/** Creates a job (docs/contract/submission.md). `once` is stored with it. */
export async function createJob(
  request: JobRequest,
  ports: Ports,
  once: IdempotencyKeyRow | null,
): Promise<SubmitReply> {
  const checked = await submissionOf(request, ports, false);
  if ('kind' in checked) return checked;
  const { plan, rows } = checked;
  const submission: Submission = { ...checked.submission, ...(once !== null && { once }) };
  const farm = farmId(request.farmId);
  const outcome = await (rows === null
    ? ports.actors.submit(farm, submission, plan)
    : submitAfterRows(farm, submission, { plan, rows }, ports));
  if (!outcome.ok) return { kind: 'problem', problem: outcome.problem };
  return created(new JobViewer(ports.store, ports.serverRetry).view(outcome.value));
}

/**
 * Stores plan and template of a large job first, so that the commit with the job, and with it leases, does not wait for
 * their bytes.
 */
async function submitAfterRows(
  farm: FarmId,
  submission: Submission,
  { plan, rows }: { readonly plan: PlanInParts; readonly rows: LargeRows },
  ports: Ports,
): Promise<Outcome<JobRecord>> {
  const provisionalJobId = jobId(ports.newId());
  await ports.largeJobs.storeProvisionalJob(provisionalJobId, rows);
  let hasCome = false;
  try {
    const outcome = await ports.actors.submit(farm, { ...submission, template: { provisionalJobId } }, plan);
    hasCome = outcome.ok;
    return outcome;
  } finally {
    if (!hasCome) ports.largeJobs.discardProvisionalJob(provisionalJobId);
  }
}

/** Checks everything like a submission, and returns a preview of the job. */
export async function previewOfJob(request: JobRequest, ports: Ports): Promise<SubmitReply> {
  const checked = await submissionOf(request, ports, true);
  if ('kind' in checked) return checked;
  const { queueId: queue } = checked.submission;
  const { shape } = checked.plan;
  const farm = farmId(request.farmId);
  const requirements = shape.steps.map((step) => step.requirements);
  const workers = await askForWorkers(ports, farm, queue, requirements);
  const pools = [...ports.store.scan('usagePool')].map((row) => poolKey(row.value.name));
  const facts = { farmId: farm, queueId: queue, workers, pools, names: new StoreNames(ports.store) };
  return { kind: 'json', status: 200, body: dryRunView(shape, checked.previews, facts) };
}

/** A submission without its plan, which crosses threads in parts. */
type Submission = Omit<JobSubmission, 'plan'>;

interface CheckedSubmission {
  readonly submission: Submission;
  readonly plan: PlanInParts;
  /** Plan and template of a large job, which are stored before it; null for another job. */
  readonly rows: LargeRows | null;
  /** In order of the steps; only for a dry run. */
  readonly previews: readonly StepPreview[];
}

/** Returns a submission that has passed every check here. */
async function submissionOf(
  request: JobRequest,
  ports: Ports,
  previews: boolean,
): Promise<CheckedSubmission | ProblemReply> {
  const { principal, pointer } = request;
  const identity = jobIdentityOf(request.owner, `${pointer}/owner`, principal, ports);
  if (!identity.ok) return { kind: 'problem', problem: identity.problem };
  if (!ports.acceptsSubmissions()) {
    return problem('unavailable', 'the disk of the service is nearly full; new jobs are not accepted');
  }
  const farm = farmId(request.farmId);
  if (ports.store.get('farm', keys.farm(farm)) === undefined) {
    return invalid(`${pointer}/farm_id`, `no farm ${request.farmId}`);
  }
  if (ports.store.get('queue', keys.queue(queueId(request.queueId)))?.farmId !== farm) {
    return invalid(`${pointer}/queue_id`, `the farm has no queue ${request.queueId}`);
  }
  const { text, format, values, jobName } = request;
  const prepared = await ports.prepareJob({
    client: request.client(),
    text,
    format,
    jobName,
    values,
    inherited: request.inherited ?? {},
    environments: environmentsFor(request, ports.store),
    previews,
  });
  if (!prepared.ok) {
    if (!('errors' in prepared)) return unevaluated(prepared);
    return { kind: 'problem', problem: pointedProblem('unprocessable', prepared.errors) };
  }
  const [unknown] = unknownSteps(request.caps ?? {}, prepared.job.plan.shape.steps);
  if (unknown !== undefined)
    return invalid(
      `${pointer}/step_max_concurrent_tasks`,
      `the template has no step ${JSON.stringify(unknown)}`,
    );
  const upstreams = upstreamsOf(ports.store, farm, request, principal.ownerScope);
  if (!upstreams.ok) return { kind: 'problem', problem: upstreams.problem };
  const submission = submissionFrom(request, identity.value, prepared.job, upstreams.value);
  const { plan, rows } = prepared.job;
  return { submission, plan, rows, previews: prepared.previews };
}

/** Returns the environment templates of a new job: those of its queue, then those that are sent with it. */
const environmentsFor = (
  { queueId: queue, environments }: JobRequest,
  store: StoreReader,
): PreparationRequest['environments'] => [
  ...environmentsOfQueue(store, queueId(queue)).map(({ template, format }) => ({
    origin: 'queue' as const,
    text: template,
    format,
  })),
  ...environments.map(({ text, format }) => ({ origin: 'submission' as const, text, format })),
];

function submissionFrom(
  request: JobRequest,
  identity: JobIdentity,
  job: PreparedJob,
  upstreams: JobSubmission['upstreams'],
): Submission {
  const { project, priority, retry, retryRules, isPaused, startAfter, caps, product } = request;
  return {
    queueId: queueId(request.queueId),
    description: job.description,
    extensions: job.extensions,
    template: { text: request.text, environments: job.environments },
    templateFormat: request.format,
    ...identity,
    project,
    priority,
    retry,
    ...(retryRules !== undefined && { retryRules }),
    isPaused,
    ...(startAfter !== undefined && { startAfter: Date.parse(startAfter) }),
    ...(caps !== undefined && { caps }),
    product,
    upstreams,
  };
}

/**
 * Returns the jobs that must complete first, in their stored state. A job outside the scope is refused like one that does
 * not exist.
 */
function upstreamsOf(
  store: StoreReader,
  farm: FarmId,
  { dependsOn, pointer }: JobRequest,
  scope: OwnerScope,
): Outcome<JobSubmission['upstreams']> {
  const upstreams: { jobId: JobId; status: JobStatus }[] = [];
  for (const id of new Set(dependsOn)) {
    const found = findJob(store, id, scope);
    const job = found.ok ? found.value : null;
    if (job?.farmId !== farm) {
      return {
        ok: false,
        problem: pointedProblem('bad-request', [
          { pointer: `${pointer}/depends_on`, detail: `the farm has no job ${id}` },
        ]),
      };
    }
    upstreams.push({ jobId: job.id, status: job.status });
  }
  return done(upstreams);
}
