import { runBulk, type BulkOutcome } from '../../../client/bulk.ts';
import type { Rest } from '../../../client/rest.ts';
import { counted } from '../../parts/number-text.ts';

/** Applies an action to any number of tasks. */
export const bulkOnTasks = (
  rest: Pick<Rest, 'call'>,
  action: 'retry' | 'cancel',
  ids: readonly string[],
): Promise<BulkOutcome> =>
  runBulk(ids, (batch) => rest.call('post', '/tasks/bulk', { body: { action, ids: batch } }));

/** Formats the result of an action: "3 tasks canceled, 1 refused: …". */
export function formatBulkOutcome(
  action: 'retry' | 'cancel',
  { done, unchanged, refused }: Pick<BulkOutcome, 'done' | 'unchanged' | 'refused'>,
): string {
  const total = done + unchanged.length + refused.length;
  const tasks =
    done === total ? counted(done, 'task') : `${done.toLocaleString('en')} of ${counted(total, 'task')}`;
  const text = `${tasks} ${action === 'retry' ? 'retried' : 'canceled'}`;
  const [first] = refused;
  if (first === undefined) return text;
  const reason = first.problem?.detail ?? first.problem?.title ?? '';
  return `${text}, ${refused.length.toLocaleString('en')} refused: ${reason}`;
}
