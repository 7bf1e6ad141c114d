import { CirclePlay, Pause, Trash2, type LucideIcon } from 'lucide-react';
import type { BulkAction } from '../../parts/data-table/bulk-bar.tsx';
import { ACTION_LABELS, WORKER_ACTIONS, type WorkerAction } from './worker-actions.ts';

const ICONS: Readonly<Record<WorkerAction, LucideIcon>> = {
  disable: Pause,
  enable: CirclePlay,
  delete: Trash2,
};

/** The actions on workers, for menus and the bulk bar. */
export const WORKER_ACTION_REQUESTS: readonly BulkAction<WorkerAction>[] = WORKER_ACTIONS.map((action) => ({
  action,
  label: action === 'delete' ? 'Delete…' : ACTION_LABELS[action].label,
  Icon: ICONS[action],
}));
