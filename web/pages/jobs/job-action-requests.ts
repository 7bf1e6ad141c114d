import { ArrowRightLeft, Ban, Gauge, Pause, Play, RotateCcw, Trash2, type LucideIcon } from 'lucide-react';
import type { BulkAction } from '../../parts/data-table/bulk-bar.tsx';
import { ACTION_LABELS, JOB_ACTIONS, type JobAction } from './job-actions.ts';

const ICONS: Readonly<Record<JobAction, LucideIcon>> = {
  pause: Pause,
  resume: Play,
  retry: RotateCcw,
  'set-priority': Gauge,
  move: ArrowRightLeft,
  cancel: Ban,
  delete: Trash2,
};

/** The actions on jobs, for menus and the bulk bar. */
export const JOB_ACTION_REQUESTS: readonly BulkAction<JobAction>[] = JOB_ACTIONS.map((action) => ({
  action,
  label: ACTION_LABELS[action].label,
  Icon: ICONS[action],
}));
