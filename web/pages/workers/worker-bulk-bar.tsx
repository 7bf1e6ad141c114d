import { CirclePlay, Pause, Trash2, type LucideIcon } from 'lucide-react';
import type { Worker } from '../../api/resources.ts';
import { BulkBar } from '../../parts/data-table/bulk-bar.tsx';
import { ACTION_WORDS, offForAll, WORKER_ACTIONS, type WorkerAction } from './worker-actions.ts';

export const ACTION_ICONS: Readonly<Record<WorkerAction, LucideIcon>> = {
  disable: Pause,
  enable: CirclePlay,
  delete: Trash2,
};

/** What can be done with the selected workers. */
export function WorkerBulkBar({
  count,
  total,
  known,
  forbidden,
  onAction,
  onSelectAll,
  onClear,
}: {
  count: number;
  /** Workers that match. */
  total: number;
  /** The selected workers that are loaded. */
  known: readonly Worker[];
  /** Why nothing may be done; empty when it may. */
  forbidden: string;
  onAction: (action: WorkerAction) => void;
  onSelectAll: () => void;
  onClear: () => void;
}) {
  // Of workers that are not loaded it is not known what makes sense for them.
  const judged = known.length === count ? known : [];
  const actions = WORKER_ACTIONS.map((action) => {
    const Icon = ACTION_ICONS[action];
    return {
      id: action,
      label: action === 'delete' ? 'Delete…' : ACTION_WORDS[action].label,
      icon: <Icon aria-hidden="true" />,
      isDanger: action === 'delete',
      offBecause: forbidden === '' ? offForAll(action, judged) : forbidden,
      act: () => onAction(action),
    };
  });
  return (
    <BulkBar
      label="Selected workers"
      count={count}
      total={total}
      actions={actions}
      onSelectAll={onSelectAll}
      onClear={onClear}
    />
  );
}
