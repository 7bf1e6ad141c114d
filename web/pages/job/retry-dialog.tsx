import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ProblemError } from '../../../client/problem.ts';
import type { JobDetail, JobRetrySelection, TaskGrid } from '../../../client/resources.ts';
import { Button, SubmitButton } from '../../parts/button.tsx';
import { counted } from '../../parts/number-text.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Notice } from '../../parts/notice.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { explained, toasts } from '../../state/toasts.ts';
import { frameScale, frameText } from './model/frames.ts';
import { countOfRuns, formatIndexRanges, indicesIn, type IndexRange } from './model/index-ranges.ts';

/** Asks which tasks are tried again: all that failed, a range of frames, those that failed on one worker; of one step or of all. */
export function RetryDialog({
  job,
  onChanged,
  onClose,
}: {
  job: JobDetail;
  onChanged: () => void;
  onClose: () => void;
}) {
  const { rest } = useService();
  const [step, setStep] = useState(job.steps.length === 1 ? (job.steps[0]?.name ?? '') : '');
  const [frames, setFrames] = useState('');
  const [worker, setWorker] = useState('');
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);
  const grid = useQuery({ ...queries.taskGrid(rest, job.id, step), enabled: step !== '' }).data;
  const workers = useFailedOn(job);
  const range = readFrames(grid, step, frames);
  const hit = hits(job, grid, step, range);

  const retry = async (): Promise<void> => {
    if (range.error !== '' || isBusy) return;
    setIsBusy(true);
    setError(null);
    const body: JobRetrySelection = {
      ...(step !== '' && { step }),
      ...(range.runs !== null && { range: formatIndexRanges(range.runs) }),
      ...(worker !== '' && { worker_id: worker }),
    };
    try {
      const { retried } = await rest.call('post', '/jobs/{id}/retry', { path: { id: job.id }, body });
      toasts.done(
        retried === 0
          ? 'None of these has failed or was canceled'
          : `${counted(retried, 'task is', 'tasks are')} tried again`,
      );
      onChanged();
      onClose();
    } catch (reason) {
      setError(reason);
      setIsBusy(false);
    }
  };
  const refused =
    error instanceof ProblemError
      ? error.errors.find(({ pointer }) => pointer === '/range')?.detail
      : undefined;
  return (
    <Dialog
      title="Try tasks again"
      onClose={onClose}
      onSubmit={() => void retry()}
      foot={
        <>
          <Button onPress={onClose}>Close</Button>
          <SubmitButton isBusy={isBusy} disabledReason={range.error}>
            {hit === null || worker !== '' ? 'Retry' : `Retry ${counted(hit, 'task')}`}
          </SubmitButton>
        </>
      }
    >
      <p className="muted">
        Tasks that have failed or were canceled are tried again; those that succeeded stay as they are.
      </p>
      <SelectField
        label="Step"
        value={step}
        onChange={(chosen) => {
          setStep(chosen);
          setFrames('');
        }}
        none="All steps"
        choices={job.steps.map(({ name }) => ({ value: name, label: name }))}
      />
      <TextField
        label={range.parameter === '' ? 'Range of tasks' : `Range of ${range.parameter}`}
        placeholder="1010-1020"
        hint={
          step === ''
            ? 'Choose a step to give a range.'
            : `Empty: all. ${range.extent === '' ? '' : `The step has ${range.extent}.`}`
        }
        value={frames}
        isOff={step === ''}
        onChange={setFrames}
        isMono
        error={frames === '' ? '' : (refused ?? range.error)}
      />
      <SelectField
        label="Failed on"
        value={worker}
        onChange={setWorker}
        none="Any worker"
        choices={workers.map(({ id, name }) => ({ value: id, label: name }))}
      />
      {error !== null && refused === undefined && <Notice kind="danger" {...explained(error)} />}
    </Dialog>
  );
}

interface FrameReading {
  /** Null: all places of the step. */
  readonly runs: readonly IndexRange[] | null;
  readonly error: string;
  readonly parameter: string;
  /** All frames of the step. */
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
  const about = {
    parameter: scale.parameter,
    extent: frameText(scale, [{ first: 0, last: step.cells.length - 1 }]),
  };
  if (text.trim() === '') return { ...about, runs: null, error: '' };
  const reading = scale.placesOf(text);
  return reading.ok
    ? { ...about, runs: reading.runs, error: '' }
    : { ...about, runs: null, error: reading.detail };
}

/** How many tasks would be tried again, whatever the worker; null while it is not known. */
function hits(
  job: JobDetail,
  grid: TaskGrid | undefined,
  stepName: string,
  { runs }: FrameReading,
): number | null {
  const counts =
    stepName === '' ? job.task_counts : job.steps.find(({ name }) => name === stepName)?.task_counts;
  if (runs === null) return counts === undefined ? null : counts.failed + counts.canceled;
  const cells = grid?.steps.find(({ name }) => name === stepName)?.cells;
  if (cells === undefined || countOfRuns(runs) === 0) return null;
  let count = 0;
  for (const place of indicesIn(runs)) if (cells[place] === 'F' || cells[place] === 'C') count += 1;
  return count;
}

/** The workers on which tasks of the job have failed. */
export function useFailedOn(job: JobDetail): readonly { readonly id: string; readonly name: string }[] {
  const { rest } = useService();
  const hasFailed = job.failure_summary.failed_count > 0;
  const failures = useQuery({ ...queries.jobFailures(rest, job.id), enabled: hasFailed }).data;
  const workers = useQuery(queries.workers(rest)).data?.items ?? [];
  const ids = new Set((failures?.groups ?? []).flatMap(({ worker_ids: each }) => each));
  return [...ids].map((id) => ({ id, name: workers.find((worker) => worker.id === id)?.name ?? id }));
}
