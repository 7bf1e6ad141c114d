import type { TaskCounts } from '../../client/resources.ts';
import { statusColor } from './status-badge.tsx';
import { countedParts, countsText, fillOf, percentDone } from './task-counts.ts';
import './task-progress.css';

/**
 * Bar of the tasks that have succeeded or failed, with a pale track of those that run. The exact counts of all statuses are in the
 * tooltip and for screen readers.
 */
export function TaskProgress({ counts, isBare = false }: { counts: TaskCounts; isBare?: boolean }) {
  const words = countsText(counts);
  const percent = percentDone(counts);
  return (
    <div className="task-progress" title={words}>
      <div className="task-progress__bar" role="img" aria-label={`${percent} % done: ${words}`}>
        {countedParts(counts)
          .filter(({ part }) => fillOf(part) !== 'empty')
          .map(({ part, share }) => (
            <div
              key={part}
              className={`task-progress__part task-fill--${fillOf(part)} task-fill--${part}`}
              style={{ ...statusColor(part), width: `${share * 100}%` }}
            />
          ))}
      </div>
      {!isBare && (
        <span className="task-progress__text" aria-hidden="true">
          {percent} %
        </span>
      )}
    </div>
  );
}
