import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ProblemError } from '../../../client/problem.ts';
import type { JobDetail, JobRetry, JobRetrySelection, TaskGrid } from '../../../client/resources.ts';
import { Button, SubmitButton } from '../../parts/button.tsx';
import { counted } from '../../parts/number-text.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { CheckField, SelectField, TextField } from '../../parts/field.tsx';
import { Notice } from '../../parts/notice.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { explained, toasts } from '../../state/toasts.ts';
import type { JobDialogProps } from './move-dialog.tsx';
import { frameScale, frameText } from './model/frames.ts';
import { formatIndexRanges, type IndexRange } from './model/index-ranges.ts';
import { retriedText, retryPreviewTexts } from './model/retried-text.ts';

/**
 * Selects the tasks to retry: by step, by a range of frames, and by the worker on which they failed. Shows what is
 * retried, and offers the dependents that were canceled because of the job.
 */
export function RetryDialog({ job, onChanged, onClose }: JobDialogProps) {
  const form = useRetryForm(job, () => {
    onChanged();
    onClose();
  });
  const { step, setStep, frames, setFrames, worker, setWorker, range, preview, isBusy, retry } = form;
  return (
    <Dialog
      title="Retry tasks"
      onClose={onClose}
      onSubmit={() => void retry()}
      foot={
        <>
          <Button onPress={onClose}>Close</Button>
          <SubmitButton isBusy={isBusy} disabledReason={range.error}>
            {preview === undefined ? 'Retry tasks' : `Retry ${counted(preview.retried, 'task')}`}
          </SubmitButton>
        </>
      }
    >
      <p className="muted">Retries failed and canceled tasks. Succeeded tasks do not change.</p>
      <SelectField
        label="Step"
        value={step}
        onChange={setStep}
        none="All steps"
        choices={job.steps.map(({ name }) => ({ value: name, label: name }))}
      />
      <TextField
        label={range.parameter === '' ? 'Range of tasks' : `Range of ${range.parameter}`}
        placeholder="1010-1020"
        hint={rangeHint(step, range.extent)}
        value={frames}
        isOff={step === ''}
        onChange={setFrames}
        isMono
        error={frames === '' ? '' : (form.refusedRange ?? range.error)}
      />
      <SelectField
        label="Failed on"
        value={worker}
        onChange={setWorker}
        none="Any worker"
        choices={useWorkersWithFailures(job).map(({ id, name }) => ({ value: id, label: name }))}
      />
      {preview !== undefined && (
        <Preview preview={preview} isChecked={form.withDependents} onChange={form.setWithDependents} />
      )}
      {form.error !== null && form.refusedRange === undefined && (
        <Notice kind="danger" {...explained(form.error)} />
      )}
    </Dialog>
  );
}

/** The tasks that are retried, and the choice of dependents. */
function Preview({
  preview,
  isChecked,
  onChange,
}: {
  preview: JobRetry;
  isChecked: boolean;
  onChange: (isChecked: boolean) => void;
}) {
  const { dependents, retried } = preview;
  return (
    <>
      {retried === 0 && <p role="status">The selection has no failed or canceled tasks.</p>}
      {retried > 0 && (
        <ul role="status" aria-label="Tasks to retry">
          {retryPreviewTexts(preview).map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      {dependents.length > 0 && (
        <CheckField
          label={`Also retry ${counted(dependents.length, 'dependent')}`}
          hint={`Canceled because this job failed or was canceled: ${dependents.map(({ name }) => name).join(', ')}`}
          isChecked={isChecked}
          onChange={onChange}
        />
      )}
    </>
  );
}

function rangeHint(step: string, extent: string): string {
  if (step === '') return 'Choose a step to enter a range.';
  return `Leave empty for all tasks.${extent === '' ? '' : ` The step has ${extent}.`}`;
}

/** Holds the inputs of the dialog and sends them. */
function useRetryForm(job: JobDetail, onDone: () => void) {
  const { rest } = useService();
  const [step, setStep] = useState(job.steps.length === 1 ? (job.steps[0]?.name ?? '') : '');
  const [frames, setFrames] = useState('');
  const [worker, setWorker] = useState('');
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [withDependents, setWithDependents] = useState(true);
  const grid = useQuery({ ...queries.taskGrid(rest, job.id, step), enabled: step !== '' }).data;
  const range = readFrames(grid, step, frames);
  const body: JobRetrySelection = {
    ...(step !== '' && { step }),
    ...(range.runs !== null && { index_range: formatIndexRanges(range.runs) }),
    ...(worker !== '' && { worker_id: worker }),
  };
  const preview = useQuery({ ...queries.retryPreview(rest, job.id, body), enabled: range.error === '' }).data;
  const retry = async (): Promise<void> => {
    if (range.error !== '' || isBusy) return;
    setIsBusy(true);
    setError(null);
    try {
      const answer = await rest.call('post', '/jobs/{id}/retry', {
        path: { id: job.id },
        query: { with_dependents: withDependents },
        body,
      });
      toasts.done(retriedText(answer));
      onDone();
    } catch (reason) {
      setError(reason);
      setIsBusy(false);
    }
  };
  return {
    step,
    setStep: (name: string): void => {
      setStep(name);
      setFrames('');
    },
    frames,
    setFrames,
    worker,
    setWorker,
    range,
    /** The tasks that the request would retry; undefined until they are known. */
    preview: range.error === '' ? preview : undefined,
    withDependents,
    setWithDependents,
    error,
    refusedRange:
      error instanceof ProblemError
        ? error.errors.find(({ pointer }) => pointer === '/index_range')?.detail
        : undefined,
    isBusy,
    retry,
  };
}

interface FrameReading {
  /** Null for all tasks of the step. */
  readonly runs: readonly IndexRange[] | null;
  readonly error: string;
  readonly parameter: string;
  /** The range of all frames of the step. */
  readonly extent: string;
}

function readFrames(grid: TaskGrid | undefined, stepName: string, text: string): FrameReading {
  const step = grid?.steps.find(({ name }) => name === stepName);
  if (step === undefined) {
    return {
      runs: null,
      error: text.trim() === '' ? '' : 'The step is not loaded yet.',
      parameter: '',
      extent: '',
    };
  }
  const scale = frameScale(step.cells.length, step.axis);
  const axis = {
    parameter: scale.parameter,
    extent: frameText(scale, [{ first: 0, last: step.cells.length - 1 }]),
  };
  if (text.trim() === '') return { ...axis, runs: null, error: '' };
  const reading = scale.parseRange(text);
  return reading.ok
    ? { ...axis, runs: reading.runs, error: '' }
    : { ...axis, runs: null, error: reading.detail };
}

/** Returns the workers on which tasks of the job failed. */
export function useWorkersWithFailures(
  job: JobDetail,
): readonly { readonly id: string; readonly name: string }[] {
  const { rest } = useService();
  const hasFailed = job.failure_summary.failed_count > 0;
  const failures = useQuery({ ...queries.jobFailures(rest, job.id), enabled: hasFailed }).data;
  const ids = new Set((failures?.groups ?? []).flatMap(({ worker_ids: each }) => each));
  return [...ids].map((id) => ({
    id,
    name: failures?.workers.find((worker) => worker.id === id)?.name ?? id,
  }));
}
