import { useState } from 'react';
import { Link } from 'wouter';
import { refusalGroups, runBulk, type BulkOutcome } from '../../../client/bulk.ts';
import type { Worker } from '../../../client/resources.ts';
import { Button, SubmitButton } from '../../parts/button.tsx';
import type { BulkTarget } from '../../parts/data-table/bulk-target.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Notice } from '../../parts/notice.tsx';
import { useService } from '../../state/service.tsx';
import { explained, toasts } from '../../state/toasts.ts';
import { ACTION_LABELS, disabledReason, workersInWords, type WorkerAction } from './worker-actions.ts';

const NAMES_SHOWN = 5;

/** Asks whether it is meant, does it, and tells what was refused and why. */
export function WorkerBulkDialog({
  action,
  target,
  onChanged,
  onClose,
}: {
  action: WorkerAction;
  target: BulkTarget<Worker>;
  onChanged: () => void;
  onClose: () => void;
}) {
  const { rest } = useService();
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [outcome, setOutcome] = useState<BulkOutcome | null>(null);
  const { label, done, meaning } = ACTION_LABELS[action];
  const deed = `${label} ${workersInWords(target.count)}`;
  const nameOf = (id: string): string => target.known.find((worker) => worker.id === id)?.name ?? id;

  const run = async (): Promise<void> => {
    setIsBusy(true);
    setError(null);
    try {
      const result = await runBulk(await target.ids(), (ids) =>
        rest.call('post', '/workers/bulk', { body: { action, ids } }),
      );
      onChanged();
      if (result.refused.length === 0) {
        toasts.done(`${workersInWords(result.done)} ${done}`);
        onClose();
      } else setOutcome(result);
    } catch (reason) {
      onChanged();
      setError(reason);
    }
    setIsBusy(false);
  };

  if (outcome !== null)
    return (
      <Dialog title={deed} onClose={onClose} foot={<Button onPress={onClose}>Close</Button>}>
        <p role="status">
          <strong>
            {workersInWords(outcome.done)} {done}, {outcome.refused.length.toLocaleString('en')} refused.
          </strong>
        </p>
        {refusalGroups(outcome.refused).map(({ reason, ids }) => (
          <div key={reason}>
            <strong>
              {workersInWords(ids.length)}: {reason}
            </strong>
            <ul className="worker-dialog__names">
              {ids.map((id) => (
                <li key={id}>
                  <Link href={`/workers/${encodeURIComponent(id)}`}>{nameOf(id)}</Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </Dialog>
    );
  const unfit = target.known.filter((worker) => disabledReason(action, worker) !== '');
  const names = target.known.slice(0, NAMES_SHOWN);
  return (
    <Dialog
      title={deed}
      onClose={onClose}
      onSubmit={() => {
        if (!isBusy) void run();
      }}
      foot={
        <>
          <Button onPress={onClose}>Keep</Button>
          <SubmitButton look={action === 'delete' ? 'danger' : 'primary'} isBusy={isBusy}>
            {deed}
          </SubmitButton>
        </>
      }
    >
      <p>{meaning}</p>
      <ul className="worker-dialog__names">
        {names.map(({ id, name }) => (
          <li key={id}>{name}</li>
        ))}
        {target.count > names.length && (
          <li className="muted">and {(target.count - names.length).toLocaleString('en')} more</li>
        )}
      </ul>
      {action === 'delete' && unfit.length > 0 && (
        <Notice
          kind="warning"
          detail={`${workersInWords(unfit.length)} of them ${unfit.length === 1 ? 'is' : 'are'} online, and will be refused: stop them first.`}
        />
      )}
      {error !== null && <Notice kind="danger" title="Not all was done" {...explained(error)} />}
    </Dialog>
  );
}
