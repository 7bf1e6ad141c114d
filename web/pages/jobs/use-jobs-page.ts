import type { Job, JobSummary } from '../../../client/resources.ts';
import { rowsToCheck, type BulkTarget } from '../../parts/data-table/bulk-target.ts';
import { JOB_STATUSES } from '../../parts/status-looks.ts';
import { useService } from '../../state/service.tsx';
import { toasts } from '../../state/toasts.ts';
import { usePermissions } from '../../state/use-permissions.ts';
import { choiceField, choicesField, textField, useUrlState } from '../../state/use-url-state.ts';
import type { ListPageModel } from '../list/list-page-model.ts';
import { useListState } from '../list/use-list-state.ts';
import { useSelectedRows } from '../list/use-selected-rows.ts';
import {
  actionOfKey,
  disabledReasonForAll,
  failureTitle,
  needsDialog,
  type JobAction,
} from './job-actions.ts';
import { JOB_SORT_KEYS, listQuery, type JobListView, type JobSortKey } from './job-filters.ts';
import { useJobBulk } from './use-job-bulk.ts';
import { useJobList } from './use-job-list.ts';

const VIEW = {
  status: choicesField(JOB_STATUSES),
  search: textField(),
  farm: textField(),
  queue: textField(),
  owner: textField(),
  project: textField(),
  product: textField(),
  sort: choiceField<JobSortKey>(JOB_SORT_KEYS, 'created_at'),
  dir: choiceField(['asc', 'desc'] as const, 'desc'),
};

/** Model of the list of jobs. */
export interface JobsPageModel extends ListPageModel<Job, JobListView, JobSummary, JobAction> {
  /** Applies an action, or opens its dialog. `isSelection`: the selection is cleared afterwards. */
  readonly act: (action: JobAction, target: BulkTarget<Job>, isSelection: boolean) => void;
  /** Applies the action of a shortcut key to the selected jobs. Returns false for other keys. */
  readonly actOnKey: (key: string) => boolean;
}

export function useJobsPage(): JobsPageModel {
  const { rest } = useService();
  const { why } = usePermissions();
  const [view, setView] = useUrlState(VIEW);
  const query = listQuery(view);
  const state = useListState<Job, JobAction>('jobs', query);
  const { rows, summary } = useJobList(view, state);
  const selected = useSelectedRows(state.selection, rows, (offset, limit) =>
    rest.call('get', '/jobs', {
      query: { ...query, sort_by: 'created_at', sort_dir: 'asc', offset, limit },
    }),
  );
  const applyAction = useJobBulk();
  const forbidden = why('jobs.write');
  const reload = (): void => {
    rows.refresh();
    state.clearSelection();
  };
  const act = (action: JobAction, target: BulkTarget<Job>, isSelection: boolean): void => {
    if (needsDialog(action, target.count)) state.openDialog({ action, target });
    else void applyAction(action, target, isSelection ? reload : () => rows.refresh());
  };
  const actOnKey = (key: string): boolean => {
    const target = selected.target();
    const action = actionOfKey(key, rowsToCheck(target));
    if (action === null || selected.count === 0) return false;
    const reason = forbidden || disabledReasonForAll(action, rowsToCheck(target));
    if (reason === '') act(action, target, true);
    else toasts.failed(new Error(reason), failureTitle(action, selected.count));
    return true;
  };
  return { view, setView, state, rows, summary, selected, forbidden, act, actOnKey, reload };
}
