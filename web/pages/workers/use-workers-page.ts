import type { Worker, WorkerSummary } from '../../../client/resources.ts';
import type { BulkTarget } from '../../parts/data-table/bulk-target.ts';
import { useService } from '../../state/service.tsx';
import { ifVersion } from '../../state/if-match.ts';
import { toasts } from '../../state/toasts.ts';
import { usePermissions } from '../../state/use-permissions.ts';
import { choiceField, textField, useUrlState } from '../../state/use-url-state.ts';
import type { ListPageModel } from '../list/list-page-model.ts';
import { useListState } from '../list/use-list-state.ts';
import { useSelectedRows } from '../list/use-selected-rows.ts';
import { useWorkerList } from './use-worker-list.ts';
import { ACTION_LABELS, type WorkerAction } from './worker-actions.ts';
import {
  listQuery,
  WORKER_SORT_KEYS,
  WORKER_STATUSES,
  type WorkerListView,
  type WorkerSortKey,
} from './worker-filters.ts';

const VIEW = {
  status: choiceField(['', ...WORKER_STATUSES], ''),
  search: textField(),
  farm: textField(),
  queue: textField(),
  location: textField(),
  tag: textField(),
  sort: choiceField<WorkerSortKey>(WORKER_SORT_KEYS, 'name'),
  dir: choiceField(['asc', 'desc'] as const, 'asc'),
};

/** Model of the list of workers. */
export interface WorkersPageModel extends ListPageModel<Worker, WorkerListView, WorkerSummary, WorkerAction> {
  /** Applies an action, or opens its dialog. */
  readonly act: (action: WorkerAction, target: BulkTarget<Worker>) => void;
}

export function useWorkersPage(): WorkersPageModel {
  const { rest } = useService();
  const { why } = usePermissions();
  const [view, setView] = useUrlState(VIEW);
  const query = listQuery(view);
  const state = useListState<Worker, WorkerAction>('workers', query);
  const { rows, summary } = useWorkerList(view, state);
  const selected = useSelectedRows(state.selection, rows, (offset, limit) =>
    rest.call('get', '/workers', {
      query: { ...query, sort_by: 'registered_at', sort_dir: 'asc', offset, limit },
    }),
  );
  const reload = (): void => {
    rows.refresh();
    state.clearSelection();
  };
  const setEnabled = async (action: 'enable' | 'disable', target: BulkTarget<Worker>): Promise<void> => {
    const [id] = await target.ids();
    if (id === undefined) return;
    const shown = target.known.find((worker) => worker.id === id);
    try {
      await ifVersion(rest, shown?.settings_version).call('post', `/workers/{id}/${action}`, {
        path: { id },
      });
      toasts.done(`${shown?.name ?? 'Worker'} ${ACTION_LABELS[action].done}`);
    } finally {
      rows.refresh();
    }
  };
  const act = (action: WorkerAction, target: BulkTarget<Worker>): void => {
    if (target.count > 1 || action === 'delete') state.openDialog({ action, target });
    else
      setEnabled(action, target).catch((error: unknown) =>
        toasts.failed(error, `Could not ${action} the worker`),
      );
  };
  return { view, setView, state, rows, summary, selected, forbidden: why('workers.manage'), act, reload };
}
