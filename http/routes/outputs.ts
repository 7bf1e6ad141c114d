import type { TaskAddress } from '../../src/core/ids.ts';
import { pathsAt } from '../../src/core/delivery/place-paths.ts';
import { keys } from '../../src/core/records/tables.ts';
import type { Ports } from '../ports.ts';
import { outputPage, startOf, type OutputQuery } from '../views/outputs.ts';
import { foundOutputs, previewsOfOutputs } from '../views/previews.ts';
import type { Schemas } from '../views/schemas.ts';
import { findJob, findTask } from './find-task.ts';
import { invalid, type Handler, type ProblemReply } from './operation.ts';

interface PageQuery {
  readonly limit: number;
  readonly after?: string | undefined;
  readonly compute_location?: string | undefined;
}

interface PageReply {
  readonly kind: 'json';
  readonly status: 200;
  readonly body: Schemas['OutputPage'];
  readonly isTransient: true;
}

export const listJobOutputs: Handler<'listJobOutputs'> = ({ path, query, principal }, { store, logs }) => {
  const job = findJob(store, path.id, principal.ownerScope);
  if (!job.ok) return { kind: 'problem', problem: job.problem };
  return pageOf({ store, logs }, { job: job.value.id, prefix: keys.bulkOf(job.value.id), found: [] }, query);
};

export const listTaskOutputs: Handler<'listTaskOutputs'> = ({ path, query, principal }, { store, logs }) => {
  const task = findTask(store, path.id, principal.ownerScope);
  if (!task.ok) return { kind: 'problem', problem: task.problem };
  const { address } = task.value;
  const found = foundOutputs(logs, address);
  return pageOf({ store, logs }, { job: address.jobId, prefix: keys.attemptsOf(address), found }, query);
};

/** Reports whether a task has any output. */
export function hasOutputs(ports: Pick<Ports, 'store' | 'logs'>, address: TaskAddress): boolean {
  const { store, logs } = ports;
  const found = foundOutputs(logs, address);
  if (found.length > 0) return true;
  const place = { job: address.jobId, prefix: keys.attemptsOf(address), found };
  const { items } = outputPage(store, { ...place, start: null, limit: 1 }, null, previewsOfOutputs(logs));
  return items.length > 0;
}

function pageOf(
  { store, logs }: Pick<Ports, 'store' | 'logs'>,
  place: Pick<OutputQuery, 'job' | 'prefix' | 'found'>,
  { limit, after, compute_location: location }: PageQuery,
): PageReply | ProblemReply {
  const start = after === undefined ? null : startOf(after, place.job);
  if (after !== undefined && start === null)
    return invalid('/after', 'must be the `next` of an earlier page of these outputs');
  const storage =
    location === undefined ? null : [...store.scan('storageLocation')].map(({ value }) => value);
  const pathAt = storage === null ? null : pathsAt(storage, location ?? '');
  const body = outputPage(store, { ...place, start, limit }, pathAt, previewsOfOutputs(logs));
  return { kind: 'json', status: 200, body, isTransient: true };
}
