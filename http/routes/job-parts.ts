import { jobId } from '../../src/core/ids.ts';
import { keys } from '../../src/core/records/tables.ts';
import { failureGroups } from '../views/failure-summary.ts';
import { jobCountsView } from '../views/job-counts-view.ts';
import { stepView } from '../views/step-view.ts';
import { findJob, stepsOf } from './find-task.ts';
import { jobFilterOf } from './jobs.ts';
import { notFound, type Handler, type Reply } from './operation.ts';
import type { WaitingReasons } from './waiting-reasons.ts';

const TEMPLATE_TYPES = { yaml: 'application/x-yaml', json: 'application/json' } as const;

export const getJobSummary: Handler<'getJobSummary'> = ({ query }, { jobLists }) => ({
  kind: 'json',
  status: 200,
  body: jobCountsView(jobLists.counts(jobFilterOf(query))),
});

export const listJobSteps =
  (reasons: WaitingReasons): Handler<'listJobSteps'> =>
  ({ path }, ports) =>
    reasons.reply(ports, (lookup): Reply<'listJobSteps'> => {
      const job = findJob(ports.store, path.id);
      if (job === null) return notFound('job', path.id);
      const steps = stepsOf(ports.store, job.id);
      const items = steps.map((step) => stepView(step, steps, lookup.ofStep(job, step)));
      return { kind: 'json', status: 200, body: { items } };
    });

export const listJobFailures: Handler<'listJobFailures'> = ({ path }, { store }) => {
  const job = findJob(store, path.id);
  if (job === null) return notFound('job', path.id);
  return { kind: 'json', status: 200, body: failureGroups(store, job) };
};

export const getJobTemplate: Handler<'getJobTemplate'> = ({ path }, { store }) => {
  const job = findJob(store, path.id);
  if (job === null) return notFound('job', path.id);
  const template = store.get('template', keys.template(job.id));
  if (template === undefined) throw new Error(`the job ${job.id} has no template`);
  return { kind: 'text', contentType: TEMPLATE_TYPES[template.format], text: template.text };
};

export const listJobDependents: Handler<'listJobDependents'> = ({ path, query }, { store, jobLists }) => {
  const { limit, offset } = query;
  const ids = jobLists.dependents(path.id);
  if (findJob(store, path.id) === null) return notFound('job', path.id);
  const items = ids.slice(offset, offset + limit).flatMap((each) => {
    const job = store.get('job', keys.job(jobId(each)));
    return job === undefined ? [] : [{ id: job.id, name: job.name, status: job.status }];
  });
  return { kind: 'json', status: 200, body: { items, total: ids.length, limit, offset } };
};
