import { Ban, RotateCcw, X } from 'lucide-react';
import { useState } from 'react';
import type { JobDetail, Step } from '../../../client/resources.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { counted } from '../../parts/number-text.ts';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { GRID_STATUSES, PROGRESS_PARTS, statusStyle } from '../../parts/status-looks.ts';
import { useService } from '../../state/service.tsx';
import { toasts } from '../../state/toasts.ts';
import { usePermissions } from '../../state/use-permissions.ts';
import { taskAt } from './model/cells.ts';
import { formatIndexRanges, indicesIn, type IndexRange } from './model/index-ranges.ts';
import { bulkInWords, bulkOnTasks } from './bulk-tasks.ts';
import { useJobAction } from './use-job-action.ts';

/** What can be done with the selected tasks of a step. */
export function SelectionBar({
  job,
  step,
  cells,
  runs,
  text,
  onChanged,
  onClear,
}: {
  job: JobDetail;
  step: Step;
  cells: string;
  runs: readonly IndexRange[];
  /** The selection as people write it. */
  text: string;
  onChanged: () => void;
  onClear: () => void;
}) {
  const { rest } = useService();
  const { why } = usePermissions();
  const [isBusy, run] = useJobAction(onChanged);
  const [isCanceling, setIsCanceling] = useState(false);
  const places = [...indicesIn(runs)];
  const counts = new Map<string, number>();
  for (const place of places) {
    const status = GRID_STATUSES[cells[place] ?? ''] ?? 'pending';
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  const retriable = (counts.get('failed') ?? 0) + (counts.get('canceled') ?? 0);
  const live = places.filter((place) => !'SFC'.includes(cells[place] ?? ''));
  const words = PROGRESS_PARTS.filter((part) => counts.has(part)).map(
    (part) =>
      `${(counts.get(part) ?? 0).toLocaleString('en')} ${statusStyle('task', part).label.toLowerCase()}`,
  );
  const off = why('jobs.write');
  return (
    <section className="selection-bar" aria-label="Selected tasks">
      <span className="selection-bar__text" role="status">
        <strong className="mono">{text}</strong> · {counted(places.length, 'task')}: {words.join(', ')}
      </span>
      <Button
        size="small"
        icon={<RotateCcw aria-hidden="true" />}
        isBusy={isBusy}
        disabledReason={off || (retriable === 0 ? 'None of them has failed or was canceled.' : '')}
        onPress={() =>
          run('Retry the selected tasks', async () => {
            const { retried } = await rest.call('post', '/jobs/{id}/retry', {
              path: { id: job.id },
              body: { step: step.name, range: formatIndexRanges(runs) },
            });
            return `${counted(retried, 'task is', 'tasks are')} tried again`;
          })
        }
      >
        Retry{retriable > 0 && ` ${retriable.toLocaleString('en')}`}
      </Button>
      <Button
        size="small"
        icon={<Ban aria-hidden="true" />}
        isBusy={isBusy}
        disabledReason={off || (live.length === 0 ? 'All of them have ended.' : '')}
        onPress={() => setIsCanceling(true)}
      >
        Cancel{live.length > 0 && ` ${live.length.toLocaleString('en')}`}…
      </Button>
      <CopyButton text={text} label="Copy the range" />
      <Button size="small" look="quiet" icon={<X aria-hidden="true" />} onPress={onClear}>
        Clear
      </Button>
      {isCanceling && (
        <ConfirmDialog
          title={`Cancel ${counted(live.length, 'task')}?`}
          action="Cancel the tasks"
          onClose={() => setIsCanceling(false)}
          onConfirm={async () => {
            const ids = live.map((place) => taskAt(step.id, place));
            toasts.done(bulkInWords('cancel', await bulkOnTasks(rest, 'cancel', ids)));
            onChanged();
          }}
        >
          <p>Those that run are stopped. Canceled tasks can be tried again later.</p>
        </ConfirmDialog>
      )}
    </section>
  );
}
