import { parseTaskId, taskIdOf, type JobId } from '../../src/core/ids.ts';
import type { PreviewQuery } from '../../src/core/ports/log-store.ts';
import type { StoredPreview } from '../../src/core/previews/preview-record.ts';
import { taggedBytes } from '../pipeline/conditional.ts';
import { previewView } from '../views/previews.ts';
import type { Schemas } from '../views/schemas.ts';
import { TaskViewer } from '../views/task-viewer.ts';
import { findJob, findTask, stepsOf } from './find-task.ts';
import { invalid, notFound, type Handler } from './operation.ts';

/** Bytes of images at which a page is closed: a page of 50 usual previews is smaller. */
const PAGE_BYTES_MAX = 2 ** 20;
const CURSOR = /^([^:]{1,200}):([0-9])$/;

export const listJobPreviews: Handler<'listJobPreviews'> = ({ path, query, principal }, { store, logs }) => {
  const found = findJob(store, path.id, principal.ownerScope);
  if (!found.ok) return { kind: 'problem', problem: found.problem };
  const job = found.value;
  const after = query.after === undefined ? null : placeOf(query.after, job.id);
  if (query.after !== undefined && after === null)
    return invalid('/after', 'must be the `next` of an earlier page of these previews');
  const { items, isMore } = logs.jobPreviews(job.id, { after, limit: query.limit, enough: PAGE_BYTES_MAX });
  const steps = stepsOf(store, job.id);
  const tasks = new TaskViewer(store, job);
  const viewed = (item: StoredPreview): Schemas['Preview'][] => {
    const step = steps[item.task.stepOrder];
    return step === undefined ? [] : [previewView(item, step, tasks)];
  };
  const last = items.at(-1);
  const newest = after === null ? logs.newestPreview(job.id) : null;
  const [newestView] = newest === null ? [] : viewed(newest);
  return {
    kind: 'json',
    status: 200,
    body: {
      items: items.flatMap(viewed),
      ...(newestView !== undefined && { newest: newestView }),
      ...(isMore && last !== undefined && { next: `${taskIdOf(last.task)}:${last.number}` }),
    },
    isTransient: true,
  };
};

export const getTaskPreview: Handler<'getTaskPreview'> = ({ path, query, principal }, { store, logs }) => {
  const task = findTask(store, path.id, principal.ownerScope);
  if (!task.ok) return { kind: 'problem', problem: task.problem };
  const found = logs.previews(task.value.address).find(({ number }) => String(number) === path.number);
  const content = found?.record.content;
  const isWanted = query.attempt === undefined || query.attempt === found?.record.attemptNumber;
  if (content?.kind !== 'image' || !isWanted) return notFound('preview', path.number);
  return { kind: 'image', contentType: 'image/webp', image: taggedBytes(content.data) };
};

/** Returns the preview that a cursor names; null if it is not one of the job. */
function placeOf(cursor: string, job: JobId): PreviewQuery['after'] {
  const [, id = '', number] = CURSOR.exec(cursor) ?? [];
  const task = parseTaskId(id);
  return task?.jobId === job ? { task, number: Number(number) } : null;
}
