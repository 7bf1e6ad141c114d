import type { JobSubmission } from '../../actors/service/farm/messages.ts';
import type { OwnerScope } from '../../src/core/access/owner-scope.ts';
import { farmId, jobId, queueId, type FarmId, type JobId } from '../../src/core/ids.ts';
import type { JobStatus } from '../../src/core/lifecycle/job-transitions.ts';
import type { LargeRows, PlanInParts } from '../../src/core/ports/large-jobs.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import { done, type Outcome } from '../../src/core/problems.ts';
import type { JobRecord, TemplateFormat } from '../../src/core/records/job.ts';
import type { StepPreview } from '../../src/openjd/template/preview-command.ts';
import { keys } from '../../src/core/records/tables.ts';
import { poolKey } from '../../src/core/records/usage-pool.ts';
import type { Header } from '../pipeline/message.ts';
import { pointedProblem } from '../problems.ts';
import type { Ports, PreparedJob } from '../ports.ts';
import { dryRunView } from '../views/dry-run-view.ts';
import { JobViewer } from '../views/job-view.ts';
import { retryOverride } from '../views/retry-view.ts';
import { StoreNames } from '../views/store-names.ts';
import { askForWorkers } from './query-schedulers.ts';
import { invalid, problem, type Call, type Handler, type ProblemReply, type Reply } from './operation.ts';
import { findJob } from './find-task.ts';
import { created, submitIdempotently } from './idempotent-submit.ts';
import { jobIdentityOf, type JobIdentity } from './job-identity.ts';
import type { IdempotencyKeyRow } from '../../actors/service/job/messages.ts';

/** docs/contract/errors.md, 503: no verdict on the template. */
const DEADLINE_DETAIL = 'template evaluation timed out; the template may be valid, so retry the request';

const BUSY_HEADERS: readonly Header[] = [['Retry-After', '1']];

const PARAMETER_PREFIX = 'param.';

/** docs/contract/submission.md. A dry run differs only in its last step. */
export const submitJob = (): Handler<'submitJob'> => {
  const submitted = submitIdempotently(submit);
  return (call, ports) => (call.query.dry_run ? dryRun(call, ports) : submitted(call, ports));
};

async function submit(
  call: Call<'submitJob'>,
  ports: Ports,
  once: IdempotencyKeyRow | null,
): Promise<Reply<'submitJob'>> {
  const checked = await submissionOf(call, ports);
  if ('kind' in checked) return checked;
  const { plan, rows } = checked;
  const submission: Submission = { ...checked.submission, ...(once !== null && { once }) };
  const farm = farmId(call.query.farm_id);
  const outcome = await (rows === null
    ? ports.actors.submit(farm, submission, plan)
    : submitAfterRows(farm, submission, { plan, rows }, ports));
  if (!outcome.ok) return { kind: 'problem', problem: outcome.problem };
  const job = new JobViewer(ports.store, ports.serverRetry).view(outcome.value);
  return created(job);
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

async function dryRun(call: Call<'submitJob'>, ports: Ports): Promise<Reply<'submitJob'>> {
  const checked = await submissionOf(call, ports);
  if ('kind' in checked) return checked;
  const { queueId: queue } = checked.submission;
  const { shape } = checked.plan;
  const farm = farmId(call.query.farm_id);
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
  call: Call<'submitJob'>,
  ports: Ports,
): Promise<CheckedSubmission | ProblemReply> {
  const { query, body, principal } = call;
  const identity = jobIdentityOf(query.owner, principal, ports);
  if (!identity.ok) return { kind: 'problem', problem: identity.problem };
  if (!ports.acceptsSubmissions()) {
    return problem('unavailable', 'the disk of the service is nearly full; new jobs are not accepted');
  }
  const farm = farmId(query.farm_id);
  if (ports.store.get('farm', keys.farm(farm)) === undefined) {
    return invalid('/query/farm_id', `no farm ${query.farm_id}`);
  }
  if (ports.store.get('queue', keys.queue(queueId(query.queue_id)))?.farmId !== farm) {
    return invalid('/query/queue_id', `the farm has no queue ${query.queue_id}`);
  }
  const templateFormat: TemplateFormat = body.mediaType === 'application/json' ? 'json' : 'yaml';
  const prepared = await ports.prepareJob({
    client: call.client(),
    text: body.text,
    format: templateFormat,
    values: parameterValues(query),
    previews: query.dry_run === true,
  });
  if (!prepared.ok) {
    if ('busy' in prepared) return busy(prepared.busy);
    return 'deadline' in prepared
      ? problem('unavailable', DEADLINE_DETAIL)
      : { kind: 'problem', problem: pointedProblem('unprocessable', prepared.errors) };
  }
  const upstreams = upstreamsOf(ports.store, farm, query.depends_on ?? [], principal.ownerScope);
  if (!upstreams.ok) return { kind: 'problem', problem: upstreams.problem };
  const submission = submissionFrom(call, identity.value, prepared.job, templateFormat, upstreams.value);
  const { plan, rows } = prepared.job;
  return { submission, plan, rows, previews: prepared.previews };
}

/** Returns the reply to a submission that was not looked at. */
function busy(share: 'client' | 'service'): ProblemReply {
  const reply =
    share === 'client'
      ? problem('too-many-requests', 'too many templates of this address wait for their evaluation')
      : problem('unavailable', 'the service is busy with other templates; retry in a moment');
  return { ...reply, headers: BUSY_HEADERS };
}

function submissionFrom(
  { query, body }: Call<'submitJob'>,
  identity: JobIdentity,
  job: PreparedJob,
  templateFormat: TemplateFormat,
  upstreams: JobSubmission['upstreams'],
): Submission {
  return {
    queueId: queueId(query.queue_id),
    description: job.description,
    extensions: job.extensions,
    template: { text: body.text },
    templateFormat,
    ...identity,
    project: query.project ?? '',
    priority: query.priority,
    retry: retryOverride(query),
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
  ids: readonly string[],
  scope: OwnerScope,
): Outcome<JobSubmission['upstreams']> {
  const upstreams: { jobId: JobId; status: JobStatus }[] = [];
  for (const id of new Set(ids)) {
    const found = findJob(store, id, scope);
    const job = found.ok ? found.value : null;
    if (job?.farmId !== farm) {
      return {
        ok: false,
        problem: pointedProblem('bad-request', [
          { pointer: '/query/depends_on', detail: `the farm has no job ${id}` },
        ]),
      };
    }
    upstreams.push({ jobId: job.id, status: job.status });
  }
  return done(upstreams);
}

function parameterValues(query: Call<'submitJob'>['query']): Record<string, string> {
  const members = Object.entries(query.parameters ?? {});
  return Object.fromEntries(members.map(([name, value]) => [name.slice(PARAMETER_PREFIX.length), value]));
}
