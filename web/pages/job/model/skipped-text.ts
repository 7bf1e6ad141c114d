import type { JobSkip, TaskSkipNote } from '../../../../client/resources.ts';
import { counted } from '../../../parts/number-text.ts';

/** Formats the result of a skip: "5 tasks skipped, 40 tasks and 2 dependents continue". */
export function skipResultText({
  skipped,
  retried,
  dependents,
}: Pick<JobSkip, 'skipped' | 'retried' | 'dependents'>): string {
  if (skipped === 0) return 'All selected tasks have succeeded already';
  const done = dependents.filter(({ problem }) => problem === undefined).length;
  const refused = dependents.length - done;
  const continuing = [
    ...(retried > 0 ? [counted(retried, 'task')] : []),
    ...(done > 0 ? [counted(done, 'dependent')] : []),
  ];
  const also = continuing.length === 0 ? '' : `, ${continuing.join(' and ')} continue`;
  const missing = refused === 0 ? '' : `, ${counted(refused, 'dependent')} not retried`;
  return `${counted(skipped, 'task')} skipped${also}${missing}`;
}

/** Formats who skipped a task, and why: "Skipped by ann: plate is missing". */
export const skippedText = ({ by, reason }: Pick<TaskSkipNote, 'by' | 'reason'>): string =>
  `Skipped by ${by}${reason === '' ? '' : `: ${reason}`}`;
