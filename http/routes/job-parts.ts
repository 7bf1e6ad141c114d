import { jobId, parseTaskId, stepIdOf } from '../../src/core/ids.ts';
import { keys } from '../../src/core/records/tables.ts';
import { failureGroups } from '../views/failure-summary.ts';
import { taskAxis } from '../views/task-axis.ts';
import { jobCountsView } from '../views/job-counts-view.ts';
import { jobEnvironmentView } from '../views/queue-environment-view.ts';
import { stepView } from '../views/step-view.ts';
import { findJob, openTasks, readTemplate, stepsOf } from './find-task.ts';
import { jobFilterOf } from './jobs.ts';
import type { Handler, Reply } from './operation.ts';
import type { WaitingReasons } from './waiting-reasons.ts';

const TEMPLATE_TYPES = { yaml: 'application/x-yaml', json: 'application/json' } as const;

export const getJobSummary: Handler<'getJobSummary'> = ({ query, principal }, { jobLists }) => ({
  kind: 'json',
  status: 200,
  body: jobCountsView(jobLists.counts(jobFilterOf(query), principal.ownerScope)),
});

export const listJobSteps =
  (reasons: WaitingReasons): Handler<'listJobSteps'> =>
  ({ path, principal: { ownerScope } }, ports) =>
    reasons.reply(ports, ownerScope, (lookup): Reply<'listJobSteps'> => {
      const job = findJob(ports.store, path.id, ownerScope);
      if (!job.ok) return { kind: 'problem', problem: job.problem };
      const steps = stepsOf(ports.store, job.value.id);
      const items = steps.map((step) => stepView(step, steps, lookup.ofStep(job.value, step)));
      return { kind: 'json', status: 200, body: { items } };
    });

export const listJobFailures: Handler<'listJobFailures'> = ({ path, principal }, ports) => {
  const opened = openTasks(ports, path.id, principal.ownerScope);
  if (!opened.ok) return { kind: 'problem', problem: opened.problem };
  const { job, steps, shapeOf } = opened.value;
  const failures = failureGroups(ports.store, job);
  const orders = new Set(
    failures.groups.flatMap(({ task_ids: ids }) => ids.map((id) => parseTaskId(id)?.stepOrder)),
  );
  const axes = steps
    .filter(({ order }) => orders.has(order))
    .flatMap((step) => {
      const shape = shapeOf(step);
      const axis = shape === undefined ? null : taskAxis(shape, step.taskCount);
      return axis === null ? [] : [{ step_id: stepIdOf(job.id, step.order), axis }];
    });
  return { kind: 'json', status: 200, body: { ...failures, axes } };
};

export const getJobTemplate: Handler<'getJobTemplate'> = ({ path, principal }, { store }) => {
  const job = findJob(store, path.id, principal.ownerScope);
  if (!job.ok) return { kind: 'problem', problem: job.problem };
  const { format, text } = readTemplate(store, job.value.id);
  return { kind: 'text', contentType: TEMPLATE_TYPES[format], text };
};

export const listJobEnvironments: Handler<'listJobEnvironments'> = ({ path, principal }, { store }) => {
  const job = findJob(store, path.id, principal.ownerScope);
  if (!job.ok) return { kind: 'problem', problem: job.problem };
  const { environments = [] } = readTemplate(store, job.value.id);
  return { kind: 'json', status: 200, body: environments.map(jobEnvironmentView) };
};

export const listJobDependents: Handler<'listJobDependents'> = (
  { path, query, principal: { ownerScope } },
  { store, jobLists },
) => {
  const { limit, offset } = query;
  const ids = jobLists.dependents(path.id, ownerScope);
  const found = findJob(store, path.id, ownerScope);
  if (!found.ok) return { kind: 'problem', problem: found.problem };
  const items = ids.slice(offset, offset + limit).flatMap((each) => {
    const job = store.get('job', keys.job(jobId(each)));
    return job === undefined ? [] : [{ id: job.id, name: job.name, status: job.status }];
  });
  return { kind: 'json', status: 200, body: { items, total: ids.length, limit, offset } };
};
