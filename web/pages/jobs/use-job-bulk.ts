import { runBulk, type BulkOutcome } from '../../../client/bulk.ts';
import type { Job } from '../../../client/resources.ts';
import type { BulkTarget } from '../../parts/data-table/bulk-target.ts';
import { useService } from '../../state/service.tsx';
import { toasts } from '../../state/toasts.ts';
import { formatDone } from './bulk-dialog.tsx';
import { ACTION_LABELS, bulkRequest, failureTitle, formatJobCount, type JobAction } from './job-actions.ts';

/** Returns a function that applies an action without a dialog and reports the result in toasts. */
export function useJobBulk(): (
  action: JobAction,
  target: BulkTarget<Job>,
  onChanged: () => void,
) => Promise<void> {
  const { rest } = useService();
  return async (action, target, onChanged) => {
    try {
      const outcome = await runBulk(await target.ids(), (ids) =>
        rest.call('post', '/jobs/bulk', { body: { ...bulkRequest(action, '', ''), ids } }),
      );
      onChanged();
      reportOutcome(action, outcome);
    } catch (error) {
      toasts.failed(error, failureTitle(action, target.count));
    }
  };
}

function reportOutcome(action: JobAction, outcome: BulkOutcome): void {
  if (outcome.done > 0 || outcome.refused.length === 0) toasts.done(formatDone(action, outcome));
  const [first] = outcome.refused;
  if (first === undefined) return;
  const others = outcome.refused.length - 1;
  const detail = first.problem?.detail ?? first.problem?.title ?? '';
  toasts.failed(
    new Error(others === 0 ? detail : `${detail} (and ${formatJobCount(others)} more)`),
    `${formatJobCount(outcome.refused.length)} not ${ACTION_LABELS[action].done}`,
  );
}
