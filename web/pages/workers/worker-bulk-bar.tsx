import { CirclePlay, Pause, Trash2, X, type LucideIcon } from 'lucide-react';
import type { Worker } from '../../api/resources.ts';
import { Button, IconButton } from '../../parts/button.tsx';
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
  return (
    <div className="workers-page__bulk" role="toolbar" aria-label="Selected workers">
      <strong className="number" role="status">
        {count.toLocaleString()} selected
      </strong>
      {count < total && (
        <Button size="small" look="quiet" onPress={onSelectAll}>
          {`Select all ${total.toLocaleString()}`}
        </Button>
      )}
      {WORKER_ACTIONS.map((action) => {
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
            {action === 'delete' ? 'Delete…' : ACTION_WORDS[action].label}
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
