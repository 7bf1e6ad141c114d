import { ExternalLink, Plus, RotateCcw, Rows4, SearchX, Server, SquareTerminal } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import type { Worker } from '../../../client/resources.ts';
import { Button, IconButton } from '../../parts/button.tsx';
import { copyItem } from '../../parts/copy-item.tsx';
import { BulkBar } from '../../parts/data-table/bulk-bar.tsx';
import { targetOfRow, targetOfSelection, type BulkTarget } from '../../parts/data-table/bulk-target.ts';
import { loadedRows } from '../../parts/data-table/column.ts';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import {
  ALL_SELECTED,
  withoutDeleted,
  isSelected,
  NOTHING_SELECTED,
  selectedCount,
} from '../../parts/data-table/row-selection.ts';
import { useRowSelection } from '../../parts/data-table/use-row-selection.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import type { ActionItem } from '../../parts/menu.tsx';
import { Page } from '../../parts/page.tsx';
import { ShareMenu } from '../../parts/share-menu.tsx';
import { useService } from '../../state/service.tsx';
import { toasts } from '../../state/toasts.ts';
import { usePermissions } from '../../state/use-permissions.ts';
import { asBoolean, usePreference } from '../../state/use-preference.ts';
import { choiceField, textField, useUrlState } from '../../state/use-url-state.ts';
import { workerLogHref } from '../../state/worker-component.ts';
import { AddWorkerDialog, WorkerCommand } from './add-worker-dialog.tsx';
import { useWorkerRetry } from './use-worker-retry.ts';
import { useWorkerList } from './use-worker-list.ts';
import {
  ACTION_LABELS,
  disabledReason,
  disabledReasonForAll,
  workersInWords,
  type WorkerAction,
} from './worker-actions.ts';
import { WorkerBulkDialog } from './worker-bulk-dialog.tsx';
import { WORKER_DEEDS } from './worker-action-requests.ts';
import { WORKER_COLUMNS } from './worker-columns.tsx';
import { WorkerFilterBar } from './worker-filter-bar.tsx';
import {
  isFiltered,
  listCommand,
  listCurl,
  listQuery,
  NO_FILTERS,
  WORKER_SORT_KEYS,
  WORKER_STATUSES,
  type WorkerSortKey,
} from './worker-filters.ts';
import { WorkersTop } from './workers-top.tsx';
import './workers-page.css';

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

interface OpenDialog {
  readonly action: WorkerAction;
  readonly target: BulkTarget<Worker>;
}

/** The list of workers, and how busy they are. */
export function WorkersPage() {
  const { rest } = useService();
  const { why } = usePermissions();
  const [, navigate] = useLocation();
  const [view, setView] = useUrlState(VIEW);
  const [isAtRest, setIsAtRest] = useState(true);
  const [isCompact, setIsCompact] = usePreference('workers.compact', false, asBoolean);
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const [isAdding, setIsAdding] = useState(false);
  const retryFailed = useWorkerRetry();
  const query = listQuery(view);
  const listed = JSON.stringify(query);
  const [selection, setSelection] = useRowSelection(listed);
  const { rows, summary } = useWorkerList(view, isAtRest, (gone) =>
    setSelection((before) => withoutDeleted(before, gone)),
  );
  const total = rows.total ?? 0;
  const count = selectedCount(selection, total);
  const forbidden = why('workers.manage');
  const loaded = useMemo(() => loadedRows(rows), [rows]);

  const act = (action: WorkerAction, target: BulkTarget<Worker>): void => {
    if (target.count > 1 || action === 'delete') {
      setDialog({ action, target });
      return;
    }
    const run = async (): Promise<void> => {
      const [id] = await target.ids();
      if (id === undefined) return;
      const path = action === 'disable' ? '/workers/{id}/disable' : '/workers/{id}/enable';
      await rest.call('post', path, { path: { id } });
      toasts.done(`${target.known[0]?.name ?? 'The worker'} is ${ACTION_LABELS[action].done}`);
      rows.refresh();
    };
    run().catch((error: unknown) => toasts.failed(error, `${ACTION_LABELS[action].label} the worker`));
  };
  const selectedTarget = (): BulkTarget<Worker> =>
    targetOfSelection(selection, loaded, total, (offset, limit) =>
      rest.call('get', '/workers', {
        query: { ...query, sort_by: 'registered_at', sort_dir: 'asc', offset, limit },
      }),
    );
  const actionsOf = (worker: Worker): readonly ActionItem[] => {
    // On a row of a selection the menu is about all of it.
    const isOfMany = count > 1 && isSelected(selection, worker.id);
    const target = isOfMany ? selectedTarget() : targetOfRow(worker);
    return [
      {
        id: 'open',
        label: 'Open',
        icon: <ExternalLink aria-hidden="true" />,
        act: () => navigate(workerHref(worker)),
      },
      ...WORKER_DEEDS.map(({ action, label, Icon }): ActionItem => {
        return {
          id: action,
          label: isOfMany ? `${label} (${workersInWords(count)})` : label,
          icon: <Icon aria-hidden="true" />,
          startsGroup: action !== 'enable',
          isDanger: action === 'delete',
          disabledReason: forbidden === '' ? (isOfMany ? '' : disabledReason(action, worker)) : forbidden,
          act: () => act(action, target),
        };
      }),
      {
        id: 'retry',
        label: 'Retry what failed here',
        icon: <RotateCcw aria-hidden="true" />,
        startsGroup: true,
        disabledReason: worker.failed_attempts === 0 ? 'Nothing has failed on it.' : why('jobs.write'),
        act: () => retryFailed(worker),
      },
      {
        id: 'log',
        label: 'Its log',
        icon: <SquareTerminal aria-hidden="true" />,
        act: () => navigate(workerLogHref(worker.id)),
      },
      copyItem('id', worker.id, true),
      copyItem('link', `${location.origin}${workerHref(worker)}`),
    ];
  };

  const isEmptyFarm = rows.total === 0 && rows.isPrevious !== true && !isFiltered(view);
  return (
    <Page
      title="Workers"
      isFull
      actions={
        <Button look="primary" icon={<Plus aria-hidden="true" />} onPress={() => setIsAdding(true)}>
          Add a worker
        </Button>
      }
    >
      {!isEmptyFarm && (
        <>
          <WorkersTop summary={summary} farm={view.farm} />
          <WorkerFilterBar filters={view} summary={summary} onChange={setView} />
        </>
      )}
      <DataTable
        id="workers"
        label="Workers"
        isFilling
        isCompact={isCompact}
        columns={WORKER_COLUMNS}
        rows={rows}
        rowId={workerIdOf}
        rowName={workerNameOf}
        listKey={listed}
        sort={{ key: view.sort, dir: view.dir }}
        onSort={({ key, dir }) =>
          setView({ sort: WORKER_SORT_KEYS.find((one) => one === key) ?? 'name', dir })
        }
        selection={selection}
        onSelect={setSelection}
        href={workerHref}
        actions={actionsOf}
        onDelete={() => {
          if (count > 0 && forbidden === '') act('delete', selectedTarget());
        }}
        rowClass={classOfWorker}
        onAtRest={setIsAtRest}
        empty={
          isFiltered(view) ? (
            <EmptyState
              title="No worker matches"
              icon={SearchX}
              actions={<Button onPress={() => setView(NO_FILTERS)}>Clear filters</Button>}
            >
              <p>No worker is like what the filters ask for.</p>
            </EmptyState>
          ) : (
            <EmptyState title="There is no worker yet" icon={Server}>
              <p>Run this on each machine that renders, with Callsheet installed:</p>
              <WorkerCommand farm={view.farm} />
            </EmptyState>
          )
        }
        toolbar={
          <div className="workers-page__tools">
            {count > 0 ? (
              <BulkBar
                label="Selected workers"
                target={selectedTarget()}
                total={total}
                actions={WORKER_DEEDS}
                forbidden={forbidden}
                disabledReasonForAll={disabledReasonForAll}
                onAction={(action) => act(action, selectedTarget())}
                onSelectAll={() => setSelection(ALL_SELECTED)}
                onClear={() => setSelection(NOTHING_SELECTED)}
              />
            ) : (
              <span className="workers-page__count" role="status">
                {rows.total === null ? '' : workersInWords(rows.total)}
              </span>
            )}
            {count === 0 && (
              <ShareMenu
                command={listCommand(view, location.origin)}
                curl={listCurl(view, location.origin)}
              />
            )}
            <IconButton
              size="small"
              label="Compact rows"
              icon={<Rows4 aria-hidden="true" />}
              isPressed={isCompact}
              onPress={() => setIsCompact(!isCompact)}
            />
          </div>
        }
      />
      {dialog !== null && (
        <WorkerBulkDialog
          {...dialog}
          onChanged={() => {
            rows.refresh();
            setSelection(NOTHING_SELECTED);
          }}
          onClose={() => setDialog(null)}
        />
      )}
      {isAdding && <AddWorkerDialog farm={view.farm} onClose={() => setIsAdding(false)} />}
    </Page>
  );
}

const workerIdOf = (worker: Worker): string => worker.id;
const workerNameOf = (worker: Worker): string => worker.name;
const workerHref = (worker: Worker): string => `/workers/${encodeURIComponent(worker.id)}`;
const classOfWorker = (worker: Worker): string =>
  worker.status === 'offline' ? 'workers-page__row--offline' : '';
