import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { BulkOutcome } from '../../../client/bulk.ts';
import type { Job } from '../../../client/resources.ts';
import { Button, SubmitButton } from '../../parts/button.tsx';
import type { BulkTarget } from '../../parts/data-table/bulk-target.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { CheckField, NumberField, SelectField } from '../../parts/field.tsx';
import { counted } from '../../parts/number-text.ts';
import { Notice } from '../../parts/notice.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { explained, toasts } from '../../state/toasts.ts';
import { BulkNames, BulkResult } from '../list/bulk-details.tsx';
import { useBulkRun, type BulkStage } from '../list/use-bulk-run.ts';
import {
  ACTION_LABELS,
  bulkRequest,
  formatJobCount,
  MAX_PRIORITY,
  MIN_PRIORITY,
  valueError,
  type JobAction,
} from './job-actions.ts';
import './bulk-dialog.css';

interface BulkDialogProps {
  readonly action: JobAction;
  readonly target: BulkTarget<Job>;
  /** Called after each run. */
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

/** Asks for the value or the confirmation of an action, applies it, and reports refusals with their reasons. */
export function BulkDialog({ action, target, onChanged, onClose }: BulkDialogProps) {
  const { rest } = useService();
  const [priority, setPriority] = useState(() => commonPriority(target.known));
  const [queue, setQueue] = useState('');
  const [withDependents, setWithDependents] = useState(true);
  const { stage, error, start, stop } = useBulkRun({
    target,
    what: 'jobs',
    formatCount: formatJobCount,
    send: (ids) =>
      rest.call('post', '/jobs/bulk', {
        body: { ...bulkRequest(action, priority, queue, withDependents), ids },
      }),
    onChanged,
    onDone: (outcome) => {
      toasts.done(formatDone(action, outcome));
      onClose();
    },
  });
  const { isDestructive, title: titleOf } = ACTION_LABELS[action];
  const title = titleOf(formatJobCount(target.count)) + (isDestructive ? '?' : '');
  const inputError = valueError(action, priority, queue);
  if (stage.kind === 'running') return <ProgressDialog title={title} stage={stage} onStop={stop} />;
  if (stage.kind === 'finished')
    return (
      <Dialog title={title} onClose={onClose} foot={<Button onPress={onClose}>Close</Button>}>
        <BulkResult
          done={formatDone(action, stage.outcome)}
          outcome={stage.outcome}
          known={target.known}
          hrefOf={(id) => `/jobs/${id}`}
          formatCount={formatJobCount}
        />
      </Dialog>
    );
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => {
        if (inputError === '') void start();
      }}
      foot={
        <>
          <Button onPress={onClose}>{isDestructive ? keepLabel(target.count) : 'Close'}</Button>
          <SubmitButton look={isDestructive ? 'danger' : 'primary'} disabledReason={inputError}>
            {submitLabel(action, target.count)}
          </SubmitButton>
        </>
      }
    >
      <Consequences action={action} />
      <BulkNames known={target.known} count={target.count} />
      {action === 'set-priority' && (
        <PriorityField value={priority} inputError={inputError} onChange={setPriority} />
      )}
      {action === 'retry' && (
        <CheckField
          label="Also retry the dependents that were canceled because of these jobs"
          isChecked={withDependents}
          onChange={setWithDependents}
        />
      )}
      {action === 'move' && <QueueField jobs={target.known} value={queue} onChange={setQueue} />}
      {error !== null && <Notice kind="danger" title="Some jobs were not changed" {...explained(error)} />}
    </Dialog>
  );
}

const keepLabel = (count: number): string => (count === 1 ? 'Keep job' : 'Keep jobs');

function submitLabel(action: JobAction, count: number): string {
  const jobs = formatJobCount(count);
  if (action === 'set-priority') return 'Set priority';
  return action === 'move' ? `Move ${jobs}` : ACTION_LABELS[action].title(jobs);
}

function ProgressDialog({
  title,
  stage,
  onStop,
}: {
  title: string;
  stage: Extract<BulkStage, { kind: 'running' }>;
  onStop: () => void;
}) {
  return (
    <Dialog title={title} onClose={onStop} foot={<Button onPress={onStop}>Stop</Button>}>
      <label className="bulk-dialog__progress">
        <span role="status">{stage.text}</span>
        <progress value={stage.share} />
      </label>
    </Dialog>
  );
}

function Consequences({ action }: { action: JobAction }) {
  if (action === 'cancel')
    return <p>Running tasks are stopped and no new tasks start. You can retry the jobs later.</p>;
  if (action === 'delete')
    return (
      <p>
        Running tasks are stopped. The tasks, attempts, and logs of the jobs are deleted.{' '}
        <strong>You cannot undo this.</strong>
      </p>
    );
  return null;
}

function PriorityField({
  value,
  inputError,
  onChange,
}: {
  value: string;
  inputError: string;
  onChange: (value: string) => void;
}) {
  return (
    <NumberField
      label="Priority"
      hint="Jobs with a higher priority start first. The default is 50."
      value={value}
      onChange={onChange}
      min={MIN_PRIORITY}
      max={MAX_PRIORITY}
      step={1}
      error={value === '' ? '' : inputError}
    />
  );
}

function QueueField({
  jobs,
  value,
  onChange,
}: {
  jobs: readonly Job[];
  value: string;
  onChange: (value: string) => void;
}) {
  const { rest } = useService();
  const queues = useQuery(queries.queues(rest)).data ?? [];
  const farms = new Set(jobs.map((job) => job.farm_id));
  const offered = farms.size === 0 ? queues : queues.filter((queue) => farms.has(queue.farm_id));
  return (
    <SelectField
      label="Queue"
      hint="A job cannot move to a queue of another farm."
      value={value}
      onChange={onChange}
      none="Choose a queue"
      choices={offered.map(({ id, name }) => ({ value: id, label: name }))}
    />
  );
}

/** Formats the result of an action: "3 jobs paused". */
export function formatDone(
  action: JobAction,
  { done, retried, dependents, unchanged, refused }: Omit<BulkOutcome, 'left'>,
): string {
  const total = done + unchanged.length + refused.length;
  const jobs =
    done === total ? formatJobCount(done) : `${done.toLocaleString('en')} of ${formatJobCount(total)}`;
  const text = `${jobs} ${ACTION_LABELS[action].done}`;
  if (action !== 'retry') return text;
  const also = dependents === 0 ? '' : `, ${counted(dependents, 'dependent')}`;
  return `${text} (${counted(retried, 'task')}${also})`;
}

function commonPriority(jobs: readonly Job[]): string {
  const [first] = jobs;
  return first !== undefined && jobs.every((job) => job.priority === first.priority)
    ? String(first.priority)
    : '';
}
