import { Ban, RotateCcw, SkipForward, X } from 'lucide-react';
import { useState } from 'react';
import type { JobDetail, Step } from '../../../client/resources.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { counted } from '../../parts/number-text.ts';
import { CELL_STATUSES, GRID_STATUSES, statusStyle } from '../../parts/status-looks.ts';
import { useService } from '../../state/service.tsx';
import { usePermissions } from '../../state/use-permissions.ts';
import { taskAt } from './model/cells.ts';
import { formatIndexRanges, indicesIn, type IndexRange } from './model/index-ranges.ts';
import { retriedText } from './model/retried-text.ts';
import { CancelTasksDialog } from './cancel-tasks-dialog.tsx';
import { SkipDialog } from './skip-dialog.tsx';
import { useJobAction } from './use-job-action.ts';

interface SelectionBarProps {
  readonly job: JobDetail;
  readonly step: Step;
  /** The grid of the step, one character per task. */
  readonly cells: string;
  readonly runs: readonly IndexRange[];
  /** The selection as a range of frames. */
  readonly text: string;
  readonly onChanged: () => void;
  readonly onClear: () => void;
}

/** The actions on the selected tasks of a step. */
export function SelectionBar(props: SelectionBarProps) {
  const { job, step, cells, runs, text, onChanged, onClear } = props;
  const { rest } = useService();
  const { why } = usePermissions();
  const [isBusy, run] = useJobAction(onChanged);
  const [isCanceling, setIsCanceling] = useState(false);
  const [isSkipping, setIsSkipping] = useState(false);
  const { total, retriable, skippable, active, summary } = summarize(cells, runs);
  const forbidden = why('jobs.write');
  const retry = (): void =>
    run('Could not retry the selected tasks', async () => {
      const answer = await rest.call('post', '/jobs/{id}/retry', {
        path: { id: job.id },
        query: { with_dependents: true },
        body: { step: step.name, index_range: formatIndexRanges(runs) },
      });
      return retriedText(answer);
    });
  return (
    <section className="selection-bar" aria-label="Selected tasks">
      <span className="selection-bar__text" role="status">
        <strong className="mono">{text}</strong> · {counted(total, 'task')}: {summary}
      </span>
      <Button
        size="small"
        icon={<RotateCcw aria-hidden="true" />}
        isBusy={isBusy}
        disabledReason={
          forbidden || (retriable === 0 ? 'Only failed, canceled or skipped tasks can be retried.' : '')
        }
        onPress={retry}
      >
        Retry{retriable > 0 && ` ${retriable.toLocaleString('en')}`}
      </Button>
      <Button
        size="small"
        icon={<Ban aria-hidden="true" />}
        isBusy={isBusy}
        disabledReason={forbidden || (active.length === 0 ? 'All selected tasks have ended.' : '')}
        onPress={() => setIsCanceling(true)}
      >
        Cancel{active.length > 0 && ` ${active.length.toLocaleString('en')}`}…
      </Button>
      <Button
        size="small"
        icon={<SkipForward aria-hidden="true" />}
        isBusy={isBusy}
        disabledReason={forbidden || (skippable === 0 ? 'All selected tasks have succeeded.' : '')}
        onPress={() => setIsSkipping(true)}
      >
        Skip{skippable > 0 && ` ${skippable.toLocaleString('en')}`}…
      </Button>
      <CopyButton text={text} label="Copy range" />
      <Button size="small" look="quiet" icon={<X aria-hidden="true" />} onPress={onClear}>
        Clear selection
      </Button>
      {isSkipping && (
        <SkipDialog
          jobId={job.id}
          title={`Skip ${counted(skippable, 'task')}?`}
          selection={{ step: step.name, index_range: formatIndexRanges(runs) }}
          onChanged={onChanged}
          onClose={() => setIsSkipping(false)}
        />
      )}
      {isCanceling && (
        <CancelTasksDialog
          count={active.length}
          ids={() => Promise.resolve(active.map((index) => taskAt(step.id, index)))}
          onChanged={onChanged}
          onClose={() => setIsCanceling(false)}
        />
      )}
    </section>
  );
}

/** Counts the selected tasks by status. `active` are the indices of those that have not ended. */
function summarize(cells: string, runs: readonly IndexRange[]) {
  const indices = [...indicesIn(runs)];
  const counts = new Map<string, number>();
  for (const index of indices) {
    const status = GRID_STATUSES[cells[index] ?? ''] ?? 'pending';
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  const texts = CELL_STATUSES.filter((part) => counts.has(part)).map(
    (part) =>
      `${(counts.get(part) ?? 0).toLocaleString('en')} ${statusStyle('task', part).label.toLowerCase()}`,
  );
  return {
    total: indices.length,
    retriable: (counts.get('failed') ?? 0) + (counts.get('canceled') ?? 0) + (counts.get('skipped') ?? 0),
    skippable: indices.length - (counts.get('succeeded') ?? 0) - (counts.get('skipped') ?? 0),
    active: indices.filter((index) => !'SKFC'.includes(cells[index] ?? '')),
    summary: texts.join(', '),
  };
}
