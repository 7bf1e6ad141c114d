import type { JobRetry, TaskRetry } from '../../../../client/resources.ts';
import { counted } from '../../../parts/number-text.ts';

/** Formats the result of a retry: "5 tasks retried", "5 tasks and 2 dependents retried, 1 dependent not retried". */
export function retriedText({
  retried,
  dependents,
}: Pick<JobRetry | TaskRetry, 'retried' | 'dependents'>): string {
  const refused = dependents.filter(({ problem }) => problem !== undefined).length;
  const done = dependents.length - refused;
  if (retried + done + refused === 0) return 'No failed or canceled tasks to retry';
  const also = done === 0 ? '' : ` and ${counted(done, 'dependent')}`;
  const missing = refused === 0 ? '' : `, ${counted(refused, 'dependent')} not retried`;
  return `${counted(retried, 'task')}${also} retried${missing}`;
}

/** Formats what a retry would change, one text for each step: "Render: 5 tasks (Frame=1003-1007)". */
export const retryPreviewTexts = ({ steps }: Pick<JobRetry, 'steps'>): readonly string[] =>
  steps.map(
    ({ name, retried, tasks }) =>
      `${name}: ${counted(retried, 'task')}${tasks === undefined ? '' : ` (${tasks})`}`,
  );
