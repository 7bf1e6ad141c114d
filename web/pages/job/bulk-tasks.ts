import { runBulk, type BulkOutcome } from '../../../client/bulk.ts';
import type { Rest } from '../../../client/rest.ts';
import { counted } from '../../parts/number-text.ts';

/** Does the same to tasks, however many. */
export const bulkOnTasks = (
  rest: Pick<Rest, 'call'>,
  action: 'retry' | 'cancel',
  ids: readonly string[],
): Promise<BulkOutcome> =>
  runBulk(ids, (lot) => rest.call('post', '/tasks/bulk', { body: { action, ids: lot } }));

/** What has become of it: "3 tasks are canceled, 1 refused: …". */
export function bulkInWords(
  action: 'retry' | 'cancel',
  { done, refused }: Pick<BulkOutcome, 'done' | 'refused'>,
): string {
  const deed = action === 'retry' ? 'tried again' : 'canceled';
  const words = `${counted(done, 'task is', 'tasks are')} ${deed}`;
  const [first] = refused;
  if (first === undefined) return words;
  const reason = first.problem?.detail ?? first.problem?.title ?? '';
  return `${words}, ${refused.length.toLocaleString('en')} refused: ${reason}`;
}
