import type { TaskCounts } from '../../client/resources.ts';
import { PROGRESS_PARTS, statusStyle, type ProgressPart } from './status-looks.ts';

/** One part of a progress bar. */
export interface CountedPart {
  readonly part: ProgressPart;
  readonly count: number;
  /** Share of all tasks, from 0 to 1. */
  readonly share: number;
}

/**
 * Returns the non-empty parts of a progress bar. `unschedulable` tasks are also counted as ready
 * (docs/contract/resources.md#job); here they are separate.
 */
export function countedParts(counts: TaskCounts): readonly CountedPart[] {
  const unschedulable = Math.min(counts.unschedulable, counts.ready);
  const of = (part: ProgressPart): number =>
    part === 'ready' ? counts.ready - unschedulable : part === 'unschedulable' ? unschedulable : counts[part];
  return PROGRESS_PARTS.map((part) => ({
    part,
    count: of(part),
    share: counts.total === 0 ? 0 : of(part) / counts.total,
  })).filter(({ count }) => count > 0);
}

/**
 * Returns how a bar and its legend show a part: finished work is filled, tasks that run are a pale track, and tasks that wait or
 * were canceled leave the bar empty.
 */
export const fillOf = (part: ProgressPart): 'solid' | 'pale' | 'empty' => FILLS[part];

const FILLS = {
  succeeded: 'solid',
  failed: 'solid',
  canceled: 'empty',
  running: 'pale',
  assigned: 'pale',
  ready: 'empty',
  unschedulable: 'empty',
  pending: 'empty',
} as const satisfies Readonly<Record<ProgressPart, string>>;

/** Returns the succeeded tasks in whole percent; 100 only if all have succeeded. */
export const percentDone = ({ succeeded, total }: Pick<TaskCounts, 'succeeded' | 'total'>): number =>
  total === 0 ? 0 : Math.floor((succeeded / total) * 100);

/** Formats the counts as text: "12 succeeded, 3 running". */
export function countsText(counts: TaskCounts): string {
  const parts = countedParts(counts).map(
    ({ part, count }) => `${count.toLocaleString('en')} ${statusStyle('task', part).label.toLowerCase()}`,
  );
  return parts.length === 0 ? 'no tasks' : parts.join(', ');
}
