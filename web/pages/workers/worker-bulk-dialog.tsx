import type { BulkOutcome } from '../../../client/bulk.ts';
import type { Worker } from '../../../client/resources.ts';
import { Button, SubmitButton } from '../../parts/button.tsx';
import type { BulkTarget } from '../../parts/data-table/bulk-target.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Notice } from '../../parts/notice.tsx';
import { useService } from '../../state/service.tsx';
import { explained, toasts } from '../../state/toasts.ts';
import { BulkNames, BulkResult } from '../list/bulk-details.tsx';
import { useBulkRun } from '../list/use-bulk-run.ts';
import { ACTION_LABELS, disabledReason, formatWorkerCount, type WorkerAction } from './worker-actions.ts';

interface WorkerBulkDialogProps {
  readonly action: WorkerAction;
  readonly target: BulkTarget<Worker>;
  /** Called after each run. */
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

/** Asks for a confirmation, applies an action, and reports refusals with their reasons. */
export function WorkerBulkDialog({ action, target, onChanged, onClose }: WorkerBulkDialogProps) {
  const { rest } = useService();
  const { label, done, consequences } = ACTION_LABELS[action];
  const { stage, error, start } = useBulkRun({
    target,
    what: 'workers',
    formatCount: formatWorkerCount,
    send: (ids) =>
      rest.call('post', '/workers/bulk', {
        body: { action, ids, ...(action !== 'delete' && { versions: versionsOf(target.known, ids) }) },
      }),
    onChanged,
    onDone: (outcome) => {
      toasts.done(doneText(outcome, done));
      onClose();
    },
  });
  const title = `${label} ${formatWorkerCount(target.count)}`;
  const isDelete = action === 'delete';
  if (stage.kind === 'finished')
    return (
      <Dialog title={title} onClose={onClose} foot={<Button onPress={onClose}>Close</Button>}>
        <BulkResult
          done={doneText(stage.outcome, done)}
          outcome={stage.outcome}
          known={target.known}
          hrefOf={(id) => `/workers/${encodeURIComponent(id)}`}
          formatCount={formatWorkerCount}
          isComplete
        />
      </Dialog>
    );
  const isBusy = stage.kind === 'running';
  return (
    <Dialog
      title={isDelete ? `${title}?` : title}
      onClose={onClose}
      onSubmit={() => {
        if (!isBusy) void start();
      }}
      foot={
        <>
          <Button onPress={onClose}>{isDelete ? keepLabel(target.count) : 'Close'}</Button>
          <SubmitButton look={isDelete ? 'danger' : 'primary'} isBusy={isBusy}>
            {title}
          </SubmitButton>
        </>
      }
    >
      <p>{consequences}</p>
      <BulkNames known={target.known} count={target.count} />
      {isDelete && <OnlineWarning workers={target.known} />}
      {error !== null && <Notice kind="danger" title="Some workers were not changed" {...explained(error)} />}
    </Dialog>
  );
}

/** Returns the versions of the workers that the user saw. */
const versionsOf = (known: readonly Worker[], ids: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    known.filter(({ id }) => ids.includes(id)).map(({ id, settings_version: version }) => [id, version]),
  );

/** "2 of 3 workers disabled". */
function doneText({ done, unchanged, refused }: BulkOutcome, participle: string): string {
  const total = done + unchanged.length + refused.length;
  const workers =
    done === total ? formatWorkerCount(done) : `${done.toLocaleString('en')} of ${formatWorkerCount(total)}`;
  return `${workers} ${participle}`;
}

const keepLabel = (count: number): string => (count === 1 ? 'Keep worker' : 'Keep workers');

function OnlineWarning({ workers }: { workers: readonly Worker[] }) {
  const { length } = workers.filter((worker) => disabledReason('delete', worker) !== '');
  if (length === 0) return null;
  const detail =
    length === 1
      ? '1 worker is online and cannot be deleted. Stop it first.'
      : `${formatWorkerCount(length)} are online and cannot be deleted. Stop them first.`;
  return <Notice kind="warning" detail={detail} />;
}
