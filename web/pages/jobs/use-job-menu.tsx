import { Filter } from 'lucide-react';
import { useLocation } from 'wouter';
import type { Job } from '../../../client/resources.ts';
import { rowsToCheck, type BulkTarget } from '../../parts/data-table/bulk-target.ts';
import type { ActionItem } from '../../parts/menu.tsx';
import { bulkItems, copyItems, openItem } from '../list/list-menu.tsx';
import type { SelectedRows } from '../list/use-selected-rows.ts';
import { JOB_ACTION_REQUESTS } from './job-action-requests.ts';
import {
  ACTION_LABELS,
  disabledReason,
  disabledReasonForAll,
  formatJobCount,
  type JobAction,
} from './job-actions.ts';
import type { JobFilters } from './job-filters.ts';

export const jobHref = (job: Job): string => `/jobs/${job.id}`;

/** Returns a function that lists the menu items of a job. On one of several selected jobs they are about all of these. */
export function useJobMenu(options: {
  readonly selected: SelectedRows<Job>;
  readonly forbidden: string;
  readonly onAction: (action: JobAction, target: BulkTarget<Job>, isSelection: boolean) => void;
  readonly onFilter: (filters: Partial<JobFilters>) => void;
}): (job: Job) => readonly ActionItem[] {
  const { selected, forbidden, onAction, onFilter } = options;
  const [, navigate] = useLocation();
  return (job) => {
    const { target, isMany } = selected.targetOfMenu(job);
    const actions = bulkItems(JOB_ACTION_REQUESTS, {
      label: ({ action, label }) =>
        isMany
          ? `${ACTION_LABELS[action].title(formatJobCount(selected.count))}${label.endsWith('…') ? '…' : ''}`
          : label,
      startsGroup: (action) => action === 'pause' || action === 'cancel',
      disabledReason: (action) =>
        forbidden ||
        (isMany ? disabledReasonForAll(action, rowsToCheck(target)) : disabledReason(action, job)),
      act: (action) => onAction(action, target, isMany),
    });
    return [
      openItem(() => navigate(jobHref(job))),
      ...actions,
      ...filterItems(job, onFilter),
      ...copyItems(job.id, jobHref(job)),
    ];
  };
}

function filterItems(
  { owner, project }: Job,
  onFilter: (filters: Partial<JobFilters>) => void,
): readonly ActionItem[] {
  const icon = <Filter aria-hidden="true" />;
  const ofOwner: ActionItem = {
    id: 'owner',
    label: `Show only jobs of ${owner}`,
    icon,
    startsGroup: true,
    act: () => onFilter({ owner }),
  };
  if (project === '') return [ofOwner];
  return [
    ofOwner,
    { id: 'project', label: `Show only project ${project}`, icon, act: () => onFilter({ project }) },
  ];
}
