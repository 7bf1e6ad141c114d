import { Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useSearch } from 'wouter';
import type { Job } from '../../../client/resources.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { counted } from '../../parts/number-text.ts';
import { Page } from '../../parts/page.tsx';
import { usePermissions } from '../../state/use-permissions.ts';
import { ListTable } from '../list/list-table.tsx';
import { NoMatches } from '../list/no-matches.tsx';
import { BulkDialog } from './bulk-dialog.tsx';
import { JOB_ACTION_REQUESTS } from './job-action-requests.ts';
import { disabledReasonForAll, formatJobCount } from './job-actions.ts';
import { JOB_COLUMNS } from './job-columns.tsx';
import { JobFilterBar } from './job-filter-bar.tsx';
import { isFiltered, JOB_SORT_KEYS, NO_FILTERS } from './job-filters.ts';
import { NoJobs } from './no-jobs.tsx';
import { ShareJobs } from './share-jobs.tsx';
import { jobHref, useJobMenu } from './use-job-menu.tsx';
import { useJobsPage, type JobsPageModel } from './use-jobs-page.ts';
import { ViewsMenu } from './views-menu.tsx';
import './jobs-page.css';

/** Owners and projects that the filters suggest at most. */
const MAX_SUGGESTIONS = 200;

/** The list of jobs. */
export function JobsPage() {
  const { can } = usePermissions();
  const model = useJobsPage();
  const { view, setView, state, rows, summary, selected, reload } = model;
  const owners = useMemo(() => distinctTexts(selected.loaded, ({ owner }) => owner), [selected.loaded]);
  const projects = useMemo(() => distinctTexts(selected.loaded, ({ project }) => project), [selected.loaded]);
  const [topRequests, setTopRequests] = useState(0);
  const showNewJobs = (): void => {
    rows.refresh();
    setTopRequests((before) => before + 1);
  };
  const isEmptyFarm = summary?.total === 0 && !isFiltered(view);
  return (
    <Page
      title="Jobs"
      isFull
      actions={
        can('jobs.write') && (
          <LinkButton href="/submit" look="primary" icon={<Plus aria-hidden="true" />}>
            Submit a job
          </LinkButton>
        )
      }
    >
      {!isEmptyFarm && (
        <JobFilterBar
          filters={view}
          summary={summary}
          owners={owners}
          projects={projects}
          onChange={setView}
        />
      )}
      <div className="jobs-page__list">
        {rows.drift > 0 && !state.isAtRest && (
          <div className="jobs-page__new">
            <Button size="small" look="primary" onPress={showNewJobs}>
              {counted(rows.drift, 'new job')}
            </Button>
          </div>
        )}
        <JobTable model={model} listKey={`${state.listKey} ${topRequests}`} />
      </div>
      {state.dialog !== null && (
        <BulkDialog {...state.dialog} onChanged={reload} onClose={state.closeDialog} />
      )}
    </Page>
  );
}

function JobTable({ model, listKey }: { model: JobsPageModel; listKey: string }) {
  const { view, setView, selected, forbidden, act, actOnKey } = model;
  const query = useSearch();
  const menuOf = useJobMenu({ selected, forbidden, onAction: act, onFilter: setView });
  const empty = isFiltered(view) ? <NoMatches what="jobs" onClear={() => setView(NO_FILTERS)} /> : <NoJobs />;
  return (
    <ListTable
      table={{
        id: 'jobs',
        label: 'Jobs',
        columns: JOB_COLUMNS,
        onSort: ({ key, dir }) =>
          setView({ sort: JOB_SORT_KEYS.find((one) => one === key) ?? 'created_at', dir }),
        href: jobHref,
        actions: menuOf,
        onKey: actOnKey,
        rowClass: classOfJob,
        empty,
      }}
      model={model}
      listKey={listKey}
      bulkActions={JOB_ACTION_REQUESTS}
      disabledReasonForAll={disabledReasonForAll}
      onAction={(action) => act(action, selected.target(), true)}
      deleteAction="delete"
      formatCount={formatJobCount}
      hidesCompactForSelection
      tools={
        <>
          <ViewsMenu query={query} />
          <ShareJobs view={view} />
        </>
      }
    />
  );
}

const classOfJob = (job: Job): string => (job.status === 'failed' ? 'jobs-page__row--failed' : '');

const distinctTexts = (jobs: readonly Job[], text: (job: Job) => string): readonly string[] =>
  [...new Set(jobs.map(text))]
    .filter((one) => one !== '')
    .sort()
    .slice(0, MAX_SUGGESTIONS);
