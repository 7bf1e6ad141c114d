import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Link } from 'wouter';
import { refusalGroups, runBulk, type BulkOutcome } from '../../../client/bulk.ts';
import type { Job, JobBulk } from '../../../client/resources.ts';
import { Button, SubmitButton } from '../../parts/button.tsx';
import type { BulkTarget } from '../../parts/data-table/bulk-target.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { NumberField, SelectField } from '../../parts/field.tsx';
import { Notice } from '../../parts/notice.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { explained, toasts } from '../../state/toasts.ts';
import { ACTION_LABELS, formatJobCount, type JobAction } from './job-actions.ts';

interface BulkDialogProps {
  readonly action: JobAction;
  readonly target: BulkTarget<Job>;
  /** Called when jobs have been changed. */
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

type Stage =
  | { readonly kind: 'ask' }
  | { readonly kind: 'running'; readonly words: string; readonly share: number }
  | { readonly kind: 'over'; readonly outcome: BulkOutcome };

const PRIORITY_MAX = 2_147_483_647;
const NAMES_SHOWN = 5;

/** Asks what is to be known or confirmed, does it, and tells what was refused and why. */
export function BulkDialog({ action, target, onChanged, onClose }: BulkDialogProps) {
  const { rest } = useService();
  const queues = useQuery(queries.queues(rest)).data ?? [];
  const [stage, setStage] = useState<Stage>({ kind: 'ask' });
  const [error, setError] = useState<unknown>(null);
  const [priority, setPriority] = useState(() => commonPriority(target.known));
  const [queue, setQueue] = useState('');
  const isStopped = useRef(false);
  const words = ACTION_LABELS[action];
  const title = words.deed(formatJobCount(target.count));
  const fault = faultOf(action, priority, queue);

  const run = async (): Promise<void> => {
    isStopped.current = false;
    setError(null);
    setStage({ kind: 'running', words: 'Finding the jobs', share: 0 });
    try {
      const ids = await target.ids((collected) =>
        setStage({
          kind: 'running',
          words: `Found ${formatJobCount(collected)}`,
          share: collected / Math.max(1, target.count),
        }),
      );
      const deed = deedOf(action, priority, queue);
      const send = (lot: string[]) => rest.call('post', '/jobs/bulk', { body: { ...deed, ids: lot } });
      const outcome = await runBulk(ids, send, {
        progress: (dealtWith) =>
          setStage({
            kind: 'running',
            words: `${dealtWith.toLocaleString('en')} of ${formatJobCount(ids.length)}`,
            share: dealtWith / Math.max(1, ids.length),
          }),
        isStopped: () => isStopped.current,
      });
      onChanged();
      if (outcome.refused.length === 0 && outcome.left === 0) {
        toasts.done(doneInWords(action, outcome));
        onClose();
      } else setStage({ kind: 'over', outcome });
    } catch (reason) {
      onChanged();
      setError(reason);
      setStage({ kind: 'ask' });
    }
  };

  if (stage.kind === 'running') {
    return (
      <Dialog
        title={title}
        onClose={() => (isStopped.current = true)}
        foot={<Button onPress={() => (isStopped.current = true)}>Stop</Button>}
      >
        <label className="bulk-dialog__progress">
          <span role="status">{stage.words}</span>
          <progress value={stage.share} />
        </label>
      </Dialog>
    );
  }
  if (stage.kind === 'over') {
    return (
      <Dialog title={title} onClose={onClose} foot={<Button onPress={onClose}>Close</Button>}>
        <Outcome action={action} outcome={stage.outcome} known={target.known} />
      </Dialog>
    );
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => {
        if (fault === '') void run();
      }}
      foot={
        <>
          <Button onPress={onClose}>{words.isDestructive ? 'Keep' : 'Close'}</Button>
          <SubmitButton look={words.isDestructive ? 'danger' : 'primary'} disabledReason={fault}>
            {action === 'move'
              ? `Move ${formatJobCount(target.count)}`
              : action === 'set-priority'
                ? 'Set the priority'
                : title}
          </SubmitButton>
        </>
      }
    >
      <Question action={action} target={target} />
      {action === 'set-priority' && (
        <NumberField
          label="Priority"
          hint="Higher is scheduled sooner; 50 is usual."
          value={priority}
          onChange={setPriority}
          min={-PRIORITY_MAX - 1}
          max={PRIORITY_MAX}
          step={1}
          error={priority === '' ? '' : fault}
        />
      )}
      {action === 'move' && (
        <SelectField
          label="Queue"
          hint="A job stays in its farm: a queue of another one is refused."
          value={queue}
          onChange={setQueue}
          none="Choose a queue"
          choices={offeredQueues(queues, target.known).map(({ id, name }) => ({ value: id, label: name }))}
        />
      )}
      {error !== null && <Notice kind="danger" title="Not all was done" {...explained(error)} />}
    </Dialog>
  );
}

function Question({ action, target }: { action: JobAction; target: BulkTarget<Job> }) {
  const names = target.known.slice(0, NAMES_SHOWN).map(({ id, name }) => <li key={id}>{name}</li>);
  const more = target.count - names.length;
  return (
    <>
      {action === 'cancel' && (
        <p>What runs is stopped, and nothing more of it is begun. It can be tried again later.</p>
      )}
      {action === 'delete' && (
        <p>
          What runs is stopped. Tasks, attempts and logs are removed with the job:{' '}
          <strong>this cannot be undone.</strong>
        </p>
      )}
      <ul className="bulk-dialog__names">
        {names}
        {more > 0 && (
          <li className="muted">
            {names.length === 0
              ? `All ${more.toLocaleString('en')} that match`
              : `and ${more.toLocaleString('en')} more`}
          </li>
        )}
      </ul>
    </>
  );
}

function Outcome({
  action,
  outcome,
  known,
}: {
  action: JobAction;
  outcome: BulkOutcome;
  known: readonly Job[];
}) {
  const nameOf = (id: string): string => known.find((job) => job.id === id)?.name ?? id;
  return (
    <>
      <p role="status">
        <strong>{doneInWords(action, outcome)}</strong>
        {outcome.refused.length > 0 && `, ${outcome.refused.length.toLocaleString('en')} refused`}
        {outcome.left > 0 && `, ${outcome.left.toLocaleString('en')} left as they were`}.
      </p>
      {refusalGroups(outcome.refused).map(({ reason, ids }) => (
        <div key={reason}>
          <strong>
            {formatJobCount(ids.length)}: {reason}
          </strong>
          <ul className="bulk-dialog__names">
            {ids.slice(0, NAMES_SHOWN).map((id) => (
              <li key={id}>
                <Link href={`/jobs/${id}`}>{nameOf(id)}</Link>
              </li>
            ))}
            {ids.length > NAMES_SHOWN && (
              <li className="muted">and {(ids.length - NAMES_SHOWN).toLocaleString('en')} more</li>
            )}
          </ul>
        </div>
      ))}
    </>
  );
}

/** What has been done, in words: "3 jobs paused". */
export function doneInWords(
  action: JobAction,
  { done, retried }: Pick<BulkOutcome, 'done' | 'retried'>,
): string {
  const words = `${formatJobCount(done)} ${ACTION_LABELS[action].done}`;
  return action === 'retry' ? `${words} (${retried.toLocaleString('en')} tasks)` : words;
}

/** What is to be done to each of the jobs. */
type BulkAction = Pick<JobBulk, 'action' | 'priority' | 'queue_id'>;

/** The request of an action. */
export function deedOf(action: JobAction, priority: string, queue: string): BulkAction {
  if (action === 'set-priority') return { action: 'set', priority: Number(priority) };
  if (action === 'move') return { action: 'set', queue_id: queue };
  return { action };
}

function faultOf(action: JobAction, priority: string, queue: string): string {
  if (action === 'move') return queue === '' ? 'Choose a queue.' : '';
  if (action !== 'set-priority') return '';
  const isWhole = /^-?[0-9]{1,10}$/.test(priority.trim());
  const value = Number(priority);
  return isWhole && value >= -PRIORITY_MAX - 1 && value <= PRIORITY_MAX ? '' : 'It must be a whole number.';
}

function commonPriority(jobs: readonly Job[]): string {
  const [first] = jobs;
  return first !== undefined && jobs.every((job) => job.priority === first.priority)
    ? String(first.priority)
    : '';
}

function offeredQueues<Queue extends { readonly farm_id: string }>(
  queues: readonly Queue[],
  jobs: readonly Job[],
): readonly Queue[] {
  const farms = new Set(jobs.map((job) => job.farm_id));
  return farms.size === 0 ? queues : queues.filter((queue) => farms.has(queue.farm_id));
}
