import { keys } from '../../src/core/records/tables.ts';
import { jobId } from '../../src/core/ids.ts';
import type { JobFilter } from '../../src/core/lists/job-directory.ts';
import type { JobStatus } from '../../src/core/lifecycle/job-transitions.ts';
import { JobViewer } from '../views/job-view.ts';
import { taskWindow } from '../views/task-window.ts';
import { TaskViewer } from '../views/task-viewer.ts';
import type { Ports } from '../ports.ts';
import { findJob, findStep } from './find-task.ts';
import { NO_CONTENT, invalid, notFound, type Call, type Handler, type ProblemReply } from './operation.ts';

export const listJobs: Handler<'listJobs'> = ({ query }, { store, jobLists, serverRetry }) => {
  const { limit, offset } = query;
  const { ids, total } = jobLists.page({
    ...jobFilterOf({ ...query, ...(query.status !== undefined && { statuses: query.status }) }),
    sortBy: query.sort_by,
    descending: query.sort_dir === 'desc',
    offset,
    limit,
  });
  const viewer = new JobViewer(store, serverRetry);
  const items = ids.flatMap((id) => {
    const job = store.get('job', keys.job(jobId(id)));
    return job === undefined ? [] : [viewer.view(job)];
  });
  return { kind: 'json', status: 200, body: { items, total, limit, offset } };
};

type GivenFilter = Pick<
  Call<'listJobs'>['query'],
  'farm_id' | 'queue_id' | 'owner' | 'project' | 'search'
> & { readonly statuses?: readonly JobStatus[] };

/** Converts the filter of a request for a list of jobs. */
export const jobFilterOf = (given: GivenFilter): JobFilter => ({
  ...(given.statuses !== undefined && { statuses: given.statuses }),
  ...(given.farm_id !== undefined && { farmId: given.farm_id }),
  ...(given.queue_id !== undefined && { queueId: given.queue_id }),
  ...(given.owner !== undefined && { owner: given.owner }),
  ...(given.project !== undefined && { project: given.project }),
  words: searchTerms(given.search ?? ''),
});

/** Returns the words of a search in lower case. */
export const searchTerms = (search: string): readonly string[] =>
  search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');

export const getJob: Handler<'getJob'> = ({ path }, { store, serverRetry }) => {
  const job = findJob(store, path.id);
  if (job === null) return notFound('job', path.id);
  return { kind: 'json', status: 200, body: new JobViewer(store, serverRetry).detail(job) };
};

export const listJobTasks: Handler<'listJobTasks'> = ({ path, query }, ports) => {
  const list = ports.taskLists.open(path.id);
  if (list === null) return notFound('job', path.id);
  const only = query.step === undefined ? null : findStep(list.steps, query.step);
  if (query.step !== undefined && only === null) return invalid('/query/step', 'the job has no such step');
  const { total, places } = taskWindow(list.tasksOf, only === null ? list.steps : [only], query);
  const viewer = new TaskViewer(ports.store, list.job, list.spaceOf);
  let items = '';
  for (const { step, index } of places) items += (items === '' ? '' : ',') + viewer.text(step, index);
  const text = `{"items":[${items}],"total":${total},"limit":${query.limit},"offset":${query.offset}}`;
  return { kind: 'text', contentType: 'application/json', text };
};

export const deleteJob: Handler<'deleteJob'> = ({ path }, ports) => order(path.id, 'job.delete', ports);

export const cancelJob: Handler<'cancelJob'> = ({ path }, ports) => order(path.id, 'job.cancel', ports);

/** Sends the job a message without content. */
async function order(
  id: string,
  type: 'job.delete' | 'job.cancel',
  ports: Ports,
): Promise<typeof NO_CONTENT | ProblemReply> {
  const job = findJob(ports.store, id);
  if (job === null) return notFound('job', id);
  const outcome = await ports.actors.ask<null>((replyTo) => ({
    actor: 'job',
    id: job.id,
    message: { type, replyTo },
  }));
  return outcome.ok ? NO_CONTENT : { kind: 'problem', problem: outcome.problem };
}
