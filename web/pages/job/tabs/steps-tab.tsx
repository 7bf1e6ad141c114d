import { Suspense } from 'react';
import { Link } from 'wouter';
import type { JobDetail, Step, StepHold } from '../../../../client/resources.ts';
import { LinkButton } from '../../../parts/button.tsx';
import { classNames } from '../../../parts/class-names.ts';
import { KeyValues } from '../../../parts/key-values.tsx';
import { lazyPart } from '../../../parts/lazy-part.tsx';
import { counted } from '../../../parts/number-text.ts';
import { Skeleton } from '../../../parts/skeleton.tsx';
import { StatusBadge } from '../../../parts/status-badge.tsx';
import { countsText } from '../../../parts/task-counts.ts';
import { TaskProgress } from '../../../parts/task-progress.tsx';
import { durationText } from '../../../parts/time-text.ts';
import { Ago } from '../../../parts/time.tsx';
import { useUrlState } from '../../../state/use-url-state.ts';
import { JOB_VIEW } from '../job-view.ts';
import { StepCap } from './step-cap.tsx';
import { StepActions } from './step-actions.tsx';
import './steps-tab.css';

const StepGraph = lazyPart(async () => (await import('../graph/step-graph.tsx')).StepGraph);

/** The steps as a graph and as a list. */
export function StepsTab({ job, onChanged }: { job: JobDetail; onChanged: () => void }) {
  const [{ step: chosen }, setView] = useUrlState(JOB_VIEW);
  const step = job.steps.find(({ name }) => name === chosen);
  const choose = (name: string): void =>
    setView({ step: name === chosen ? '' : name, frames: '' }, { replace: true });
  return (
    <div className="steps-tab">
      {job.steps.length > 1 && (
        <Suspense fallback={<Skeleton width="100%" height="260px" />}>
          <StepGraph steps={job.steps} chosen={chosen} onChoose={choose} />
        </Suspense>
      )}
      {step !== undefined && <StepDetail job={job} step={step} onChanged={onChanged} />}
      <StepList job={job} chosen={chosen} />
    </div>
  );
}

const tasksHref = (job: JobDetail, step: Step): string =>
  `/jobs/${job.id}?tab=tasks&step=${encodeURIComponent(step.name)}`;

function StepDetail({ job, step, onChanged }: { job: JobDetail; step: Step; onChanged: () => void }) {
  const { attempt_seconds: seconds, hold } = step;
  return (
    <section className="card steps-tab__detail" aria-label={`Step ${step.name}`}>
      <div className="row">
        <h2>{step.name}</h2>
        <StatusBadge kind="step" status={step.status} />
        <LinkButton href={tasksHref(job, step)} size="small">
          Show tasks
        </LinkButton>
        <StepActions job={job} step={step} onChanged={onChanged} />
      </div>
      <KeyValues
        facts={[
          ['Tasks', countsText(step.task_counts)],
          ['Concurrent tasks', <StepCap key="cap" job={job} step={step} onChanged={onChanged} />],
          ['Chunks', step.chunks?.sentence ?? null],
          ['Raised', raisedText(step)],
          ['Held', hold === undefined ? null : heldText(hold)],
          ['Waiting', step.waiting_reason ?? null],
          ['Depends on', step.depends_on?.join(', ') ?? null],
          ['Compute location', step.compute_location ?? null],
          [
            'Attempt duration',
            seconds === undefined
              ? null
              : `${durationText(seconds.mean * 1_000)} (mean of ${counted(seconds.count, 'attempt')})`,
          ],
          ['Changed', <Ago key="changed" iso={step.updated_at} />],
        ]}
      />
    </section>
  );
}

/** `amount.worker.memory 4,096 by retry rule oom`. */
const raisedText = ({ raised_amounts: raised = [] }: Step): string | null =>
  raised.length === 0
    ? null
    : raised
        .map(({ name, amount, rule }) => `${name} ${amount.toLocaleString('en')} by retry rule ${rule}`)
        .join(', ');

const heldText = ({ by, reason }: StepHold): string => `by ${by}${reason === '' ? '' : `: ${reason}`}`;

function StepList({ job, chosen }: { job: JobDetail; chosen: string }) {
  return (
    <table className="steps-tab__list">
      <caption className="visually-hidden">Steps</caption>
      <thead>
        <tr>
          <th scope="col">Step</th>
          <th scope="col">Status</th>
          <th scope="col">Progress</th>
          <th scope="col" className="steps-tab__tasks">
            Tasks
          </th>
          <th scope="col" className="steps-tab__wide">
            Attempt duration
          </th>
          <th scope="col" className="steps-tab__wide">
            Depends on
          </th>
        </tr>
      </thead>
      <tbody>
        {job.steps.map((step) => (
          <tr
            key={step.id}
            className={classNames(step.name === chosen && 'steps-tab__row--chosen')}
            aria-current={step.name === chosen || undefined}
          >
            <th scope="row">
              <Link href={tasksHref(job, step)}>{step.name}</Link>
            </th>
            <td>
              <StatusBadge kind="step" status={step.status} />
              {step.hold !== undefined && <div className="muted">held</div>}
            </td>
            <td className="steps-tab__progress">
              <TaskProgress counts={step.task_counts} />
              {step.waiting_reason !== undefined && (
                <div className="steps-tab__reason muted">{step.waiting_reason}</div>
              )}
            </td>
            <td className="number steps-tab__tasks">{step.task_counts.total.toLocaleString('en')}</td>
            <td className="number steps-tab__wide">
              {step.attempt_seconds === undefined ? (
                <span className="muted">–</span>
              ) : (
                durationText(step.attempt_seconds.mean * 1_000)
              )}
            </td>
            <td className="steps-tab__wide">
              {step.depends_on?.join(', ') ?? <span className="muted">–</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
