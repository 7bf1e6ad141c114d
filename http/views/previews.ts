import { parseTaskId, taskIdOf, type TaskAddress } from '../../src/core/ids.ts';
import type { LogReader } from '../../src/core/ports/log-store.ts';
import type { StoredPreview } from '../../src/core/previews/preview-record.ts';
import type { StepRecord } from '../../src/core/records/step.ts';
import { timestampOf } from '../../src/core/timestamp.ts';
import type { Schemas } from './schemas.ts';
import type { TaskViewer } from './task-viewer.ts';

export type PreviewOfOutput = Pick<Schemas['Output'], 'preview' | 'preview_missing'>;

const NONE: PreviewOfOutput = {};

/** Returns the address of a preview's image. It differs for each attempt, so that no cache shows another one. */
const urlOf = ({ task, number, record }: StoredPreview): string =>
  `/api/v1/tasks/${taskIdOf(task)}/previews/${number}?attempt=${record.attemptNumber}`;

/** Returns a function that finds the preview of an output. It reads the previews of a task once for outputs in order. */
export function previewsOfOutputs(
  logs: Pick<LogReader, 'previews'>,
): (output: Schemas['Output']) => PreviewOfOutput {
  let last: { readonly id: string; readonly previews: readonly StoredPreview[] } = { id: '', previews: [] };
  return ({ task_id: id, attempt_number: attempt, path }) => {
    const task = id === undefined ? null : parseTaskId(id);
    if (id === undefined || task === null) return NONE;
    if (last.id !== id) last = { id, previews: logs.previews(task) };
    const found = last.previews.find(
      ({ record }) => record.attemptNumber === attempt && record.path === path,
    );
    return found === undefined ? NONE : previewFields(found);
  };
}

function previewFields(found: StoredPreview): PreviewOfOutput {
  const { content } = found.record;
  if (content.kind === 'missing') return { preview_missing: content.reason };
  return { preview: { url: urlOf(found), width: content.width, height: content.height } };
}

/** An output that a worker has found at an OUT parameter, with the number of its preview. */
export interface FoundOutput {
  readonly number: number;
  readonly output: Schemas['Output'];
}

/** Returns the outputs of a task that its worker has found at OUT parameters. */
export const foundOutputs = (logs: Pick<LogReader, 'previews'>, task: TaskAddress): readonly FoundOutput[] =>
  logs.previews(task).flatMap((preview) => {
    const { path, parameter, attemptNumber } = preview.record;
    if (parameter === undefined) return [];
    const output: Schemas['Output'] = {
      path,
      source: 'parameter',
      parameter,
      object_type: 'FILE',
      task_id: taskIdOf(task),
      attempt_number: attemptNumber,
      ...previewFields(preview),
    };
    return [{ number: preview.number, output }];
  });

/** Returns a preview with its image and its task. */
export function previewView(
  { task, number, record }: StoredPreview,
  step: StepRecord,
  tasks: TaskViewer,
): Schemas['Preview'] {
  const { name, status } = tasks.view(step, task.index);
  const { attemptNumber, path, parameter, receivedAt, content } = record;
  return {
    task_id: taskIdOf(task),
    task_name: name,
    task_status: status,
    attempt_number: attemptNumber,
    number,
    path,
    ...(parameter !== undefined && { parameter }),
    received_at: timestampOf(receivedAt),
    ...(content.kind === 'image'
      ? {
          image: {
            width: content.width,
            height: content.height,
            data: Buffer.from(content.data).toString('base64'),
          },
        }
      : { missing: content.reason }),
  };
}
