import { useQuery } from '@tanstack/react-query';
import { ChartGantt, KeyRound, List, Plus, Server } from 'lucide-react';
import { useState } from 'react';
import type { Worker } from '../../../client/resources.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';
import { ShareMenu } from '../../parts/share-menu.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { usePermissions } from '../../state/use-permissions.ts';
import { choiceField, useUrlState } from '../../state/use-url-state.ts';
import { ListTable } from '../list/list-table.tsx';
import { NoMatches } from '../list/no-matches.tsx';
import { joinMethod } from '../worker-tokens/join-method.ts';
import { AddWorkerDialog, FarmWorkerCommand } from './add-worker-dialog.tsx';
import { useWorkerMenu, workerHref } from './use-worker-menu.tsx';
import { useWorkersPage, type WorkersPageModel } from './use-workers-page.ts';
import { WORKER_ACTION_REQUESTS } from './worker-action-requests.ts';
import { disabledReasonForAll, formatWorkerCount } from './worker-actions.ts';
import { WorkerBulkDialog } from './worker-bulk-dialog.tsx';
import { WORKER_COLUMNS } from './worker-columns.tsx';
import { WorkerFilterBar } from './worker-filter-bar.tsx';
import { isFiltered, listCommand, listCurl, NO_FILTERS, WORKER_SORT_KEYS } from './worker-filters.ts';
import { WorkersTimeline } from './workers-timeline.tsx';
import { WorkersTop } from './workers-top.tsx';
import './workers-page.css';

const FORM = { view: choiceField(['table', 'timeline'] as const, 'table') };

/** The list of workers and their load, or what they ran over time. */
export function WorkersPage() {
  const model = useWorkersPage();
  const [{ view: form }, setForm] = useUrlState(FORM);
  const isTimeline = form === 'timeline';
  const { view, setView, state, rows, summary, selected, reload } = model;
  const { rest } = useService();
  const { has, why } = usePermissions();
  const bus = useQuery(queries.settings(rest)).data?.bus;
  const hasTokens = bus !== undefined && joinMethod(bus) === 'token';
  const [isAdding, setIsAdding] = useState(false);
  const isEmptyFarm = rows.total === 0 && rows.isPrevious !== true && !isFiltered(view);
  return (
    <Page
      title="Workers"
      isFull
      actions={
        <>
          {hasTokens && has('infra.manage') && (
            <LinkButton href="/worker-tokens" icon={<KeyRound aria-hidden="true" />}>
              Join tokens
            </LinkButton>
          )}
          <Button
            icon={isTimeline ? <List aria-hidden="true" /> : <ChartGantt aria-hidden="true" />}
            title={
              isTimeline ? 'Shows the list of workers' : 'Shows when each worker of a farm ran which tasks'
            }
            onPress={() => setForm({ view: isTimeline ? 'table' : 'timeline' })}
          >
            {isTimeline ? 'Table' : 'Timeline'}
          </Button>
          <Button
            look="primary"
            icon={<Plus aria-hidden="true" />}
            disabledReason={hasTokens ? why('infra.manage') : ''}
            onPress={() => setIsAdding(true)}
          >
            Add worker
          </Button>
        </>
      }
    >
      {!isEmptyFarm && (
        <>
          <WorkersTop summary={summary} farm={view.farm} />
          {!isTimeline && (
            <WorkerFilterBar filters={view} summary={summary} loaded={selected.loaded} onChange={setView} />
          )}
        </>
      )}
      {isTimeline ? (
        <WorkersTimeline farm={view.farm} onFarm={(farm) => setView({ farm })} />
      ) : (
        <WorkerTable model={model} />
      )}
      {state.dialog !== null && (
        <WorkerBulkDialog {...state.dialog} onChanged={reload} onClose={state.closeDialog} />
      )}
      {isAdding && <AddWorkerDialog farm={view.farm} onClose={() => setIsAdding(false)} />}
    </Page>
  );
}

function WorkerTable({ model }: { model: WorkersPageModel }) {
  const { view, setView, selected, forbidden, act } = model;
  const menuOf = useWorkerMenu({ selected, forbidden, onAction: act });
  const empty = isFiltered(view) ? (
    <NoMatches what="workers" onClear={() => setView(NO_FILTERS)} />
  ) : (
    <EmptyState title="No workers yet" icon={Server}>
      <p>Install Callsheet on each render machine and run this command:</p>
      <FarmWorkerCommand farm={view.farm} />
    </EmptyState>
  );
  return (
    <ListTable
      table={{
        id: 'workers',
        label: 'Workers',
        columns: WORKER_COLUMNS,
        onSort: ({ key, dir }) =>
          setView({ sort: WORKER_SORT_KEYS.find((one) => one === key) ?? 'name', dir }),
        href: workerHref,
        actions: menuOf,
        rowClass: classOfWorker,
        empty,
      }}
      model={model}
      bulkActions={WORKER_ACTION_REQUESTS}
      disabledReasonForAll={disabledReasonForAll}
      onAction={(action) => act(action, selected.target())}
      deleteAction="delete"
      formatCount={formatWorkerCount}
      tools={
        <ShareMenu command={listCommand(view, location.origin)} curl={listCurl(view, location.origin)} />
      }
    />
  );
}

const classOfWorker = (worker: Worker): string =>
  worker.status === 'offline' ? 'workers-page__row--offline' : '';
