import { setCaps } from '../../src/core/records/job-caps.ts';
import type { TemplateRecord, TemplateText } from '../../src/core/records/job.ts';
import { parameterValuesOf } from '../views/job-view.ts';
import { retryOverride, retryView } from '../views/retry-view.ts';
import type { JobRequest } from './create-job.ts';
import { findJob, readTemplate } from './find-task.ts';
import { bodyFingerprint } from './idempotent-submit.ts';
import { invalid, type Call, type Handler, type ProblemReply } from './operation.ts';
import { sentCaps } from './sent-caps.ts';
import { environmentTexts } from './sent-environments.ts';
import { submissionHandler } from './submission-handler.ts';
import type { Ports } from '../ports.ts';

const sentWith = ({ environments = [] }: TemplateRecord): readonly TemplateText[] =>
  environments.filter(({ origin }) => origin === 'submission');

/** Submits the template of a job again (docs/rest.md#cloning-a-job). */
export const cloneJob = (): Handler<'cloneJob'> =>
  submissionHandler<'cloneJob'>(requestOf, ({ path, body }) => bodyFingerprint('clone', path.id, body));

/**
 * Returns the request for the new job: the job's template, values, queue, project, priority, caps and own retry settings, unless
 * the body has others. Owner, upstream jobs, a pause and a start time come from the body alone.
 */
function requestOf(
  { path, body, principal, client }: Call<'cloneJob'>,
  { store }: Pick<Ports, 'store'>,
): JobRequest | ProblemReply {
  const found = findJob(store, path.id, principal.ownerScope);
  if (!found.ok) return { kind: 'problem', problem: found.problem };
  const job = found.value;
  const { farm_id: farm = job.farmId } = body;
  // Another farm has other queues.
  if (farm !== job.farmId && body.queue_id === undefined)
    return invalid('/queue_id', 'needed with another farm_id than that of the job');
  const template = readTemplate(store, job.id);
  return {
    principal,
    client,
    pointer: '',
    farmId: farm,
    queueId: body.queue_id ?? job.queueId,
    owner: body.owner,
    project: body.project ?? job.project,
    priority: body.priority ?? job.priority,
    // A setting that is null is inherited.
    retry: retryOverride({ ...retryView(job.retry), ...body }),
    retryRules: job.retryRules,
    dependsOn: body.depends_on ?? [],
    isPaused: body.paused ?? false,
    startAfter: body.start_after ?? undefined,
    caps: { ...setCaps(job), ...sentCaps(body) },
    jobName: body.name ?? '',
    text: template.text,
    format: template.format,
    values: body.parameters ?? {},
    inherited: parameterValuesOf(store, job.id),
    environments: environmentTexts(body) ?? sentWith(template),
    product: job.product ?? null,
  };
}
