import { ArrowRightLeft, Ban, Gauge, Pause, Play, RotateCcw, Trash2, type LucideIcon } from 'lucide-react';
import type { Job } from '../../api/resources.ts';
import { BulkBar } from '../../parts/data-table/bulk-bar.tsx';
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
export function JobBulkBar({
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
  const actions = JOB_ACTIONS.map((action) => {
    const Icon = ACTION_ICONS[action];
    return {
      id: action,
      label: ACTION_WORDS[action].label,
      icon: <Icon aria-hidden="true" />,
      isDanger: action === 'delete',
      offBecause: forbidden === '' ? offForAll(action, judged) : forbidden,
      act: () => onAction(action),
    };
  });
  return (
    <BulkBar
      label="Selected jobs"
      count={count}
      total={total}
      actions={actions}
      onSelectAll={onSelectAll}
      onClear={onClear}
    />
  );
}
