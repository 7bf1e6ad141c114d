import { RotateCcw, SquareTerminal } from 'lucide-react';
import { useLocation } from 'wouter';
import type { Worker } from '../../../client/resources.ts';
import type { BulkTarget } from '../../parts/data-table/bulk-target.ts';
import type { ActionItem } from '../../parts/menu.tsx';
import { usePermissions } from '../../state/use-permissions.ts';
import { workerLogHref } from '../../state/worker-component.ts';
import { bulkItems, copyItems, openItem } from '../list/list-menu.tsx';
import type { SelectedRows } from '../list/use-selected-rows.ts';
import { useWorkerRetry } from './use-worker-retry.ts';
import { WORKER_ACTION_REQUESTS } from './worker-action-requests.ts';
import { disabledReason, formatWorkerCount, type WorkerAction } from './worker-actions.ts';

export const workerHref = (worker: Worker): string => `/workers/${encodeURIComponent(worker.id)}`;

/** Returns a function that lists the menu items of a worker. On one of several selected workers they are about all of these. */
export function useWorkerMenu(options: {
  readonly selected: SelectedRows<Worker>;
  readonly forbidden: string;
  readonly onAction: (action: WorkerAction, target: BulkTarget<Worker>) => void;
}): (worker: Worker) => readonly ActionItem[] {
  const { selected, forbidden, onAction } = options;
  const { why } = usePermissions();
  const [, navigate] = useLocation();
  const retryFailed = useWorkerRetry();
  return (worker) => {
    const { target, isMany } = selected.targetOfMenu(worker);
    const actions = bulkItems(WORKER_ACTION_REQUESTS, {
      label: ({ label }) => (isMany ? `${label} (${formatWorkerCount(selected.count)})` : label),
      startsGroup: (action) => action !== 'enable',
      disabledReason: (action) => forbidden || (isMany ? '' : disabledReason(action, worker)),
      act: (action) => onAction(action, target),
    });
    return [
      openItem(() => navigate(workerHref(worker))),
      ...actions,
      {
        id: 'retry',
        label: 'Retry failed tasks',
        icon: <RotateCcw aria-hidden="true" />,
        startsGroup: true,
        disabledReason:
          worker.failed_attempts === 0 ? 'No task has failed on this worker.' : why('jobs.write'),
        act: () => retryFailed(worker),
      },
      {
        id: 'log',
        label: 'Show log',
        icon: <SquareTerminal aria-hidden="true" />,
        act: () => navigate(workerLogHref(worker.id)),
      },
      ...copyItems(worker.id, workerHref(worker)),
    ];
  };
}
