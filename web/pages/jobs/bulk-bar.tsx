import { ArrowRightLeft, Ban, Gauge, Pause, Play, RotateCcw, Trash2, X, type LucideIcon } from 'lucide-react';
import type { Job } from '../../api/resources.ts';
import { Button, IconButton } from '../../parts/button.tsx';
import { ACTION_WORDS, JOB_ACTIONS, offForAll, type JobAction } from './job-actions.ts';

export const ACTION_ICONS: Readonly<Record<JobAction, LucideIcon>> = {
  pause: Pause,
  resume: Play,
  retry: RotateCcw,
  'set-priority': Gauge,
  move: ArrowRightLeft,
  cancel: Ban,
  delete: Trash2,
};

/** What can be done with the selected jobs. */
export function BulkBar({
  count,
  total,
  known,
  forbidden,
  onAction,
  onSelectAll,
  onClear,
}: {
  count: number;
  /** Jobs that match. */
  total: number;
  /** The selected jobs that are loaded. */
  known: readonly Job[];
  /** Why nothing may be done; empty when it may. */
  forbidden: string;
  onAction: (action: JobAction) => void;
  onSelectAll: () => void;
  onClear: () => void;
}) {
  // Of jobs that are not loaded it is not known what makes sense for them.
  const judged = known.length === count ? known : [];
  return (
    <div className="bulk-bar" role="toolbar" aria-label="Selected jobs">
      <span className="bulk-bar__count" role="status">
        {count.toLocaleString()} selected
      </span>
      {count < total && (
        <Button size="small" look="quiet" onPress={onSelectAll}>
          {`Select all ${total.toLocaleString()}`}
        </Button>
      )}
      {JOB_ACTIONS.map((action) => {
        const Icon = ACTION_ICONS[action];
        return (
          <Button
            key={action}
            size="small"
            look={action === 'delete' ? 'danger' : 'plain'}
            icon={<Icon aria-hidden="true" />}
            offBecause={forbidden === '' ? offForAll(action, judged) : forbidden}
            onPress={() => onAction(action)}
          >
            {ACTION_WORDS[action].label}
          </Button>
        );
      })}
      <IconButton
        size="small"
        label="Clear the selection"
        icon={<X aria-hidden="true" />}
        onPress={onClear}
      />
    </div>
  );
}
