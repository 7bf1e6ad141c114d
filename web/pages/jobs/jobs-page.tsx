import { useQuery } from '@tanstack/react-query';
import { ExternalLink, Filter, Plus, Rows4 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { runBulk } from '../../../client/bulk.ts';
import type { Job } from '../../../client/resources.ts';
import { Button, IconButton, LinkButton } from '../../parts/button.tsx';
import { copyItem } from '../../parts/copy-item.tsx';
import { counted } from '../../parts/number-text.ts';
import { BulkBar } from '../../parts/data-table/bulk-bar.tsx';
import {
  rowsToCheck,
  targetOfRow,
  targetOfSelection,
  type BulkTarget,
} from '../../parts/data-table/bulk-target.ts';
import { loadedRows } from '../../parts/data-table/column.ts';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import {
  ALL_SELECTED,
  NOTHING_SELECTED,
  withoutDeleted,
  isSelected,
  selectedCount,
} from '../../parts/data-table/row-selection.ts';
import { useRowSelection } from '../../parts/data-table/use-row-selection.ts';
import type { ActionItem } from '../../parts/menu.tsx';
import { Page } from '../../parts/page.tsx';
import { ShareMenu } from '../../parts/share-menu.tsx';
import { JOB_STATUSES } from '../../parts/status-looks.ts';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { toasts } from '../../state/toasts.ts';
import { usePermissions } from '../../state/use-permissions.ts';
import { asBoolean, usePreference } from '../../state/use-preference.ts';
import { choiceField, choicesField, textField, useUrlState } from '../../state/use-url-state.ts';
import { BulkDialog, deedOf, doneInWords } from './bulk-dialog.tsx';
import {
  ACTION_LABELS,
  formatJobCount,
  disabledReason,
  disabledReasonForAll,
  type JobAction,
} from './job-actions.ts';
import { JOB_ACTION_REQUESTS } from './job-action-requests.ts';
import { JOB_COLUMNS } from './job-columns.tsx';
import { JobFilterBar } from './job-filter-bar.tsx';
import {
  isFiltered,
  JOB_SORT_KEYS,
  listCommand,
  listCurl,
  listQuery,
  NO_FILTERS,
  type JobListView,
  type JobSortKey,
} from './job-filters.ts';
import { NoJobs, NoMatch } from './no-jobs.tsx';
import { useJobList } from './use-job-list.ts';
import { ViewsMenu } from './views-menu.tsx';
import './jobs-page.css';

const VIEW = {
  status: choicesField(JOB_STATUSES),
  search: textField(),
  farm: textField(),
  queue: textField(),
  owner: textField(),
  project: textField(),
  sort: choiceField<JobSortKey>(JOB_SORT_KEYS, 'created_at'),
  dir: choiceField(['asc', 'desc'] as const, 'desc'),
};

/** Jobs that are changed at once without being asked about. */
const UNASKED_MAX = 100;
const OFFERED_MAX = 200;

interface OpenDialog {
  readonly action: JobAction;
  readonly target: BulkTarget<Job>;
}

/** The list of jobs. */
export function JobsPage() {
  const { rest } = useService();
  const { can, why } = usePermissions();
  const [, navigate] = useLocation();
  const query = useSearch();
  const [view, setView] = useUrlState(VIEW);
  const [isAtRest, setIsAtRest] = useState(true);
  const [topWanted, setTopWanted] = useState(0);
  const [isCompact, setIsCompact] = usePreference('jobs.compact', false, asBoolean);
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const listed = JSON.stringify(listQuery(view));
  const [selection, setSelection] = useRowSelection(listed);
  const { rows, summary } = useJobList(view, isAtRest, (gone) =>
    setSelection((before) => withoutDeleted(before, gone)),
  );
  const total = rows.total ?? 0;
  const count = selectedCount(selection, total);
  const forbidden = why('jobs.write');

  const loaded = useMemo(() => loadedRows(rows), [rows]);
  const owners = useMemo(() => distinct(loaded.map((job) => job.owner)), [loaded]);
  const projects = useMemo(() => distinct(loaded.map((job) => job.project)), [loaded]);
  const changed = (): void => {
    rows.refresh();
    setSelection(NOTHING_SELECTED);
  };
  const act = (action: JobAction, target: BulkTarget<Job>, isSelection: boolean): void => {
    const { isDestructive } = ACTION_LABELS[action];
    const isAsked =
      isDestructive || action === 'set-priority' || action === 'move' || target.count > UNASKED_MAX;
    if (isAsked) {
      setDialog({ action, target });
      return;
    }
    const run = async (): Promise<void> => {
      const ids = await target.ids();
      const deed = deedOf(action, '', '');
      const outcome = await runBulk(ids, (lot) =>
        rest.call('post', '/jobs/bulk', { body: { ...deed, ids: lot } }),
      );
      if (isSelection) changed();
      else rows.refresh();
      if (outcome.done > 0) toasts.done(doneInWords(action, outcome));
      if (outcome.refused.length > 0) {
        const [first] = outcome.refused;
        const others = outcome.refused.length - 1;
        const detail = first?.problem?.detail ?? first?.problem?.title ?? '';
        toasts.failed(
          new Error(others === 0 ? detail : `${detail} (and ${formatJobCount(others)} more)`),
          `${formatJobCount(outcome.refused.length)} not ${ACTION_LABELS[action].done}`,
        );
      }
    };
    run().catch((error: unknown) =>
      toasts.failed(error, ACTION_LABELS[action].deed(formatJobCount(target.count))),
    );
  };
  const selectedTarget = (): BulkTarget<Job> =>
    targetOfSelection(selection, loaded, total, (offset, limit) =>
      rest.call('get', '/jobs', {
        query: { ...listQuery(view), sort_by: 'created_at', sort_dir: 'asc', offset, limit },
      }),
    );
  const actionsOf = (job: Job): readonly ActionItem[] => {
    // On a row of a selection the menu is about all of it.
    const isOfMany = count > 1 && isSelected(selection, job.id);
    const target = isOfMany ? selectedTarget() : targetOfRow(job);
    return [
      {
        id: 'open',
        label: 'Open',
        icon: <ExternalLink aria-hidden="true" />,
        act: () => navigate(`/jobs/${job.id}`),
      },
      ...JOB_ACTION_REQUESTS.map(({ action, label, Icon }): ActionItem => {
        const { deed } = ACTION_LABELS[action];
        const dots = label.endsWith('…') ? '…' : '';
        const off = isOfMany
          ? disabledReasonForAll(action, rowsToCheck(target))
          : disabledReason(action, job);
        return {
          id: action,
          label: isOfMany ? `${deed(formatJobCount(count))}${dots}` : label,
          icon: <Icon aria-hidden="true" />,
          startsGroup: action === 'pause' || action === 'cancel',
          isDanger: action === 'delete',
          disabledReason: forbidden === '' ? off : forbidden,
          act: () => act(action, target, isOfMany),
        };
      }),
      {
        id: 'owner',
        label: `Only jobs of ${job.owner}`,
        icon: <Filter aria-hidden="true" />,
        startsGroup: true,
        act: () => setView({ owner: job.owner }),
      },
      ...(job.project === ''
        ? []
        : [
            {
              id: 'project',
              label: `Only project ${job.project}`,
              icon: <Filter aria-hidden="true" />,
              act: () => setView({ project: job.project }),
            },
          ]),
      copyItem('id', job.id, true),
      copyItem('link', `${location.origin}${jobHref(job)}`),
    ];
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
        {rows.drift > 0 && !isAtRest && (
          <div className="jobs-page__new">
            <Button
              size="small"
              look="primary"
              onPress={() => {
                rows.refresh();
                setTopWanted((before) => before + 1);
              }}
            >
              {counted(rows.drift, 'new job')}
            </Button>
          </div>
        )}
        <DataTable
          id="jobs"
          label="Jobs"
          isFilling
          isCompact={isCompact}
          columns={JOB_COLUMNS}
          rows={rows}
          rowId={jobIdOf}
          rowName={jobNameOf}
          listKey={`${listed} ${topWanted}`}
          sort={{ key: view.sort, dir: view.dir }}
          onSort={({ key, dir }) =>
            setView({ sort: JOB_SORT_KEYS.find((one) => one === key) ?? 'created_at', dir })
          }
          selection={selection}
          onSelect={setSelection}
          href={jobHref}
          actions={actionsOf}
          onDelete={() => {
            if (count > 0 && forbidden === '') act('delete', selectedTarget(), true);
          }}
          onKey={(key) => {
            const target = selectedTarget();
            const action = actionOfKey(key, target);
            if (action === null || count === 0) return false;
            const off = forbidden === '' ? disabledReasonForAll(action, rowsToCheck(target)) : forbidden;
            if (off === '') act(action, target, true);
            else toasts.failed(new Error(off), ACTION_LABELS[action].deed(formatJobCount(count)));
            return true;
          }}
          rowClass={classOfJob}
          onAtRest={setIsAtRest}
          empty={isFiltered(view) ? <NoMatch onClear={() => setView(NO_FILTERS)} /> : <NoJobs />}
          toolbar={
            <div className="jobs-page__tools">
              {count > 0 ? (
                <BulkBar
                  label="Selected jobs"
                  target={selectedTarget()}
                  total={total}
                  actions={JOB_ACTION_REQUESTS}
                  forbidden={forbidden}
                  disabledReasonForAll={disabledReasonForAll}
                  onAction={(action) => act(action, selectedTarget(), true)}
                  onSelectAll={() => setSelection(ALL_SELECTED)}
                  onClear={() => setSelection(NOTHING_SELECTED)}
                />
              ) : (
                <span className="jobs-page__count" role="status">
                  {rows.total === null ? '' : formatJobCount(rows.total)}
                </span>
              )}
              {count === 0 && (
                <>
                  <ViewsMenu query={query} />
                  <ShareJobs view={view} />
                  <IconButton
                    size="small"
                    label="Compact rows"
                    icon={<Rows4 aria-hidden="true" />}
                    isPressed={isCompact}
                    onPress={() => setIsCompact(!isCompact)}
                  />
                </>
              )}
            </div>
          }
        />
      </div>
      {dialog !== null && <BulkDialog {...dialog} onChanged={changed} onClose={() => setDialog(null)} />}
    </Page>
  );
}

/** The view for others, with the names that the command takes. */
function ShareJobs({ view }: { view: JobListView }) {
  const { rest } = useService();
  const farms = useQuery(queries.farms(rest)).data ?? [];
  const queues = useQuery(queries.queues(rest)).data ?? [];
  const chosenQueue = queues.find((queue) => queue.id === view.queue);
  const names = {
    // In a shell a queue is named together with its farm.
    farm: farms.find((farm) => farm.id === (view.farm === '' ? chosenQueue?.farm_id : view.farm))?.name,
    queue: chosenQueue?.name,
  };
  return (
    <ShareMenu command={listCommand(view, names, location.origin)} curl={listCurl(view, location.origin)} />
  );
}

/** What a letter does with the selected jobs: p holds them, or lets them go on where all are held. */
function actionOfKey(key: string, target: BulkTarget<Job>): JobAction | null {
  if (key === 'r') return 'retry';
  if (key === 'c') return 'cancel';
  if (key !== 'p') return null;
  const judged = rowsToCheck(target);
  return judged.length > 0 && judged.every(({ status }) => status === 'paused') ? 'resume' : 'pause';
}

const jobIdOf = (job: Job): string => job.id;
const jobNameOf = (job: Job): string => job.name;
const jobHref = (job: Job): string => `/jobs/${job.id}`;
const classOfJob = (job: Job): string => (job.status === 'failed' ? 'jobs-page__row--failed' : '');

const distinct = (texts: readonly string[]): readonly string[] =>
  [...new Set(texts)]
    .filter((text) => text !== '')
    .sort()
    .slice(0, OFFERED_MAX);
