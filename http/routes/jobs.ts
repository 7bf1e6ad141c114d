import type { JobRecord } from '../../src/core/records/job.ts';
import { keys } from '../../src/core/records/tables.ts';
import { JobViewer } from '../views/job-view.ts';
import { pageOf, sortedBy } from '../views/page-view.ts';
import { taskWindow } from '../views/task-window.ts';
import { TaskViewer } from '../views/task-viewer.ts';
import type { Ports } from '../ports.ts';
import { findJob } from './find-task.ts';
import { DONE, notFound, type Call, type Handler, type ProblemReply } from './operation.ts';

const SORT_KEYS = {
  created_at: (job: JobRecord) => job.createdAt,
  priority: (job: JobRecord) => job.priority,
  status: (job: JobRecord) => job.status,
  updated_at: (job: JobRecord) => job.updatedAt,
  name: (job: JobRecord) => job.name,
} as const;

export const listJobs: Handler<'listJobs'> = ({ query }, { store, serverRetry }) => {
  const words = wordsOf(query.search ?? '');
  const found: JobRecord[] = [];
  for (const { value: job } of store.scan('job')) {
    if (isWanted(job, query) && hasWords(job, words)) found.push(job);
  }
  const viewer = new JobViewer(store, serverRetry);
  const sorted = sortedBy(found, SORT_KEYS[query.sort_by], query.sort_dir);
  return { kind: 'json', status: 200, body: pageOf(sorted, query, (job) => viewer.view(job)) };
};

function isWanted(job: JobRecord, query: Call<'listJobs'>['query']): boolean {
  return (
    (query.status === undefined || job.status === query.status) &&
    (query.queue_id === undefined || job.queueId === query.queue_id) &&
    (query.farm_id === undefined || job.farmId === query.farm_id) &&
    (query.owner === undefined || job.owner === query.owner) &&
    (query.project === undefined || job.project === query.project)
  );
}

const wordsOf = (search: string): readonly string[] =>
  search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');

function hasWords(job: JobRecord, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const texts = [job.name, job.id, job.owner, job.project].map((text) => text.toLowerCase());
  return words.every((word) => texts.some((text) => text.includes(word)));
}

export const getJob: Handler<'getJob'> = ({ path }, { store, serverRetry }) => {
  const job = findJob(store, path.id);
  if (job === null) return notFound('job', path.id);
  return { kind: 'json', status: 200, body: new JobViewer(store, serverRetry).detail(job) };
};

export const listJobTasks: Handler<'listJobTasks'> = ({ path, query }, ports) => {
  const job = findJob(ports.store, path.id);
  if (job === null) return notFound('job', path.id);
  const steps = [...ports.store.scan('step', { prefix: keys.stepsOf(job.id) })].map((row) => row.value);
  const { total, places } = taskWindow(ports.store, steps, query);
  const viewer = new TaskViewer(ports.store, job);
  const items = places.map(({ step, index }) => viewer.view(step, index));
  return { kind: 'json', status: 200, body: { items, total, limit: query.limit, offset: query.offset } };
};

export const deleteJob: Handler<'deleteJob'> = ({ path }, ports) => order(path.id, 'job.delete', ports);

export const cancelJob: Handler<'cancelJob'> = ({ path }, ports) => order(path.id, 'job.cancel', ports);

/** Has the job do what needs no more than its word. */
async function order(
  id: string,
  type: 'job.delete' | 'job.cancel',
  ports: Ports,
): Promise<typeof DONE | ProblemReply> {
  const job = findJob(ports.store, id);
  if (job === null) return notFound('job', id);
  const outcome = await ports.actors.ask<null>((replyTo) => ({
    actor: 'job',
    id: job.id,
    message: { type, replyTo },
  }));
  return outcome.ok ? DONE : { kind: 'problem', problem: outcome.problem };
}
