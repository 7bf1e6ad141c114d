import { ArrowRightLeft, CopyPlus, ListRestart, PackagePlus, Trash2 } from 'lucide-react';
import { useLocation } from 'wouter';
import type { JobDetail } from '../../../client/resources.ts';
import { copyItem } from '../../parts/copy-item.tsx';
import type { ActionItem } from '../../parts/menu.tsx';
import { useService } from '../../state/service.tsx';
import { usePermissions } from '../../state/use-permissions.ts';
import { disabledReason } from '../jobs/job-actions.ts';

/** Dialogs of the page of a job. */
export type JobDialog = 'cancel' | 'delete' | 'move' | 'retry';

/** Returns the menu items of a job; the main actions have buttons of their own. */
export function useJobMenu(job: JobDetail, openDialog: (dialog: JobDialog) => void): readonly ActionItem[] {
  const { rest } = useService();
  const { has, why } = usePermissions();
  const [, navigate] = useLocation();
  const forbidden = why('jobs.write');
  return [
    {
      id: 'retry',
      label: 'Retry…',
      icon: <ListRestart aria-hidden="true" />,
      disabledReason: forbidden || disabledReason('retry', job),
      act: () => openDialog('retry'),
    },
    {
      id: 'move',
      label: 'Move to queue…',
      icon: <ArrowRightLeft aria-hidden="true" />,
      disabledReason: forbidden || disabledReason('move', job),
      act: () => openDialog('move'),
    },
    {
      id: 'again',
      label: 'Clone with changes',
      icon: <CopyPlus aria-hidden="true" />,
      disabledReason: forbidden,
      act: () => navigate(`/submit?from=${encodeURIComponent(job.id)}`),
    },
    ...(has('products.manage')
      ? [
          {
            id: 'product',
            label: 'Save as product…',
            icon: <PackagePlus aria-hidden="true" />,
            disabledReason: why('products.manage'),
            act: () => navigate(`/new-product?job=${encodeURIComponent(job.id)}`),
          },
        ]
      : []),
    copyItem('link', `${location.origin}/jobs/${job.id}`, true),
    copyItem('command', `callsheet job ${job.id} --url ${rest.base}`),
    copyItem('curl', `curl ${rest.url('/jobs/{id}', { path: { id: job.id } }).href}`),
    {
      id: 'delete',
      label: 'Delete…',
      icon: <Trash2 aria-hidden="true" />,
      isDanger: true,
      startsGroup: true,
      disabledReason: forbidden || disabledReason('delete', job),
      act: () => openDialog('delete'),
    },
  ];
}
