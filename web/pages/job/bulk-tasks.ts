import type { Rest } from '../../api/rest.ts';

/** Tasks that one request may name (http/routes/bulk.ts). */
const LOT = 1_000;

export interface TaskBulkOutcome {
  readonly done: number;
  readonly refused: number;
  /** Why the first of the refused was refused; empty when none was. */
  readonly reason: string;
}

/** Does the same to tasks, a thousand a request, one request after the other. */
export async function bulkOnTasks(
  rest: Pick<Rest, 'call'>,
  action: 'retry' | 'cancel',
  ids: readonly string[],
): Promise<TaskBulkOutcome> {
  let done = 0;
  let refused = 0;
  let reason = '';
  for (let from = 0; from < ids.length; from += LOT) {
    const { results } = await rest.call('post', '/tasks/bulk', {
      body: { action, ids: ids.slice(from, from + LOT) },
    });
    for (const { ok, problem } of results) {
      if (ok) done += 1;
      else {
        refused += 1;
        if (reason === '') reason = problem?.detail ?? problem?.title ?? '';
      }
    }
  }
  return { done, refused, reason };
}

/** What has become of it: "3 tasks are canceled, 1 refused: …". */
export function bulkInWords(action: 'retry' | 'cancel', { done, refused, reason }: TaskBulkOutcome): string {
  const deed = action === 'retry' ? 'tried again' : 'canceled';
  const words = `${done.toLocaleString('en')} ${done === 1 ? 'task is' : 'tasks are'} ${deed}`;
  return refused === 0 ? words : `${words}, ${refused.toLocaleString('en')} refused: ${reason}`;
}
