import { SETTINGS, type IfMatch } from '../../src/core/records/settings-version.ts';
import { ifMatchOf, versionHeaders } from './if-match.ts';
import { keys } from '../../src/core/records/tables.ts';
import { jobId } from '../../src/core/ids.ts';
import type { JobFilter } from '../../src/core/lists/job-directory.ts';
import type { JobStatus } from '../../src/core/lifecycle/job-transitions.ts';
import type { TaskStatus } from '../../src/core/lifecycle/task-transitions.ts';
import type { StepRecord } from '../../src/core/records/step.ts';
import { jobCountsView } from '../views/job-counts-view.ts';
import { JobViewer } from '../views/job-view.ts';
import { taskWindow } from '../views/task-window.ts';
import { TaskViewer } from '../views/task-viewer.ts';
import { VisibleJobs } from '../views/visible-jobs.ts';
import type { Ports } from '../ports.ts';
import { findJob, findStep, openTasks } from './find-task.ts';
import { NO_CONTENT, invalid, type Call, type Handler, type ProblemReply, type Reply } from './operation.ts';
import type { ReasonLookup, WaitingReasons } from './waiting-reasons.ts';

export const listJobs =
  (reasons: WaitingReasons): Handler<'listJobs'> =>
  (call, ports) =>
    reasons.reply(ports, call.principal.ownerScope, (lookup) => jobsPage(call, ports, lookup));

function jobsPage(
  { query, principal }: Call<'listJobs'>,
  { store, jobLists, serverRetry }: Ports,
  lookup: ReasonLookup,
): Reply<'listJobs'> {
  const { limit, offset } = query;
  const { ids, total } = jobLists.page(
    {
      ...jobFilterOf({ ...query, ...(query.status !== undefined && { statuses: query.status }) }),
      sortBy: query.sort_by,
      descending: query.sort_dir === 'desc',
      offset,
      limit,
    },
    principal.ownerScope,
  );
  const viewer = new JobViewer(store, serverRetry, lookup);
  const items = ids.flatMap((id) => {
    const job = store.get('job', keys.job(jobId(id)));
    return job === undefined ? [] : [viewer.view(job)];
  });
  const page = { items, total, limit, offset };
  const body = query.summary
    ? { ...page, summary: jobCountsView(jobLists.counts(jobFilterOf(query), principal.ownerScope)) }
    : page;
  return { kind: 'json', status: 200, body };
}

type GivenFilter = Pick<
  Call<'listJobs'>['query'],
  'farm_id' | 'queue_id' | 'owner' | 'project' | 'product' | 'search'
> & { readonly statuses?: readonly JobStatus[] };

/** Converts the filter of a request for a list of jobs. */
export const jobFilterOf = (given: GivenFilter): JobFilter => ({
  ...(given.statuses !== undefined && { statuses: given.statuses }),
  ...(given.farm_id !== undefined && { farmId: given.farm_id }),
  ...(given.queue_id !== undefined && { queueId: given.queue_id }),
  ...(given.owner !== undefined && { owner: given.owner }),
  ...(given.project !== undefined && { project: given.project }),
  ...(given.product !== undefined && { product: given.product }),
  words: searchTerms(given.search ?? ''),
});

/** Returns the words of a search in lower case. */
export const searchTerms = (search: string): readonly string[] =>
  search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');

export const getJob =
  (reasons: WaitingReasons): Handler<'getJob'> =>
  ({ path, principal: { ownerScope } }, ports) =>
    reasons.reply(ports, ownerScope, (lookup): Reply<'getJob'> => {
      const job = findJob(ports.store, path.id, ownerScope);
      if (!job.ok) return { kind: 'problem', problem: job.problem };
      return {
        kind: 'json',
        status: 200,
        body: new JobViewer(ports.store, ports.serverRetry, lookup).detail(
          job.value,
          new VisibleJobs(ports.store, ownerScope),
        ),
        headers: versionHeaders(SETTINGS.job(job.value)),
      };
    });

export const listJobTasks =
  (reasons: WaitingReasons): Handler<'listJobTasks'> =>
  (call, ports) =>
    reasons.reply(ports, call.principal.ownerScope, (lookup) => tasksPage(call, ports, lookup));

function tasksPage(
  { path, query, principal }: Call<'listJobTasks'>,
  ports: Ports,
  lookup: ReasonLookup,
): Reply<'listJobTasks'> {
  const opened = openTasks(ports, path.id, principal.ownerScope);
  if (!opened.ok) return { kind: 'problem', problem: opened.problem };
  const list = opened.value;
  const { job } = list;
  const only = query.step === undefined ? null : findStep(list.steps, query.step);
  if (query.step !== undefined && only === null) return invalid('/query/step', 'the job has no such step');
  const { total, places } = taskWindow(list.tasksOf, only === null ? list.steps : [only], query);
  const viewer = new TaskViewer(ports.store, job, list.spaceOf);
  const reasonOf = (step: StepRecord, index: number, status: TaskStatus): string | null =>
    lookup.ofTask(job, step, index, status);
  let items = '';
  for (const { step, index } of places)
    items += (items === '' ? '' : ',') + viewer.text(step, index, reasonOf);
  const text = `{"items":[${items}],"total":${total},"limit":${query.limit},"offset":${query.offset}}`;
  return { kind: 'text', contentType: 'application/json', text };
}

export const deleteJob: Handler<'deleteJob'> = (call, ports) =>
  order(call, { type: 'job.delete', ...ifMatchOf(call) }, ports);

export const cancelJob: Handler<'cancelJob'> = (call, ports) => order(call, { type: 'job.cancel' }, ports);

/** Sends the job a message. */
async function order(
  { path, principal }: Pick<Call<'cancelJob'>, 'path' | 'principal'>,
  order: { readonly type: 'job.delete'; readonly ifMatch?: IfMatch } | { readonly type: 'job.cancel' },
  ports: Ports,
): Promise<typeof NO_CONTENT | ProblemReply> {
  const job = findJob(ports.store, path.id, principal.ownerScope);
  if (!job.ok) return { kind: 'problem', problem: job.problem };
  const outcome = await ports.actors.ask<null>((replyTo) => ({
    actor: 'job',
    id: job.value.id,
    message: { ...order, replyTo },
  }));
  return outcome.ok ? NO_CONTENT : { kind: 'problem', problem: outcome.problem };
}
