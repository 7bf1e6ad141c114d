import type { ReactNode } from 'react';
import type { Task } from '../../../client/resources.ts';
import { WorkerName } from '../../parts/names.tsx';
import { Notice } from '../../parts/notice.tsx';
import { Ago, Elapsed, Span } from '../../parts/time.tsx';
import { useNow } from '../../state/use-now.ts';
import { skippedText } from '../job/model/skipped-text.ts';
import { isWaiting } from './task-state.ts';

/** Parameters, worker, times and progress of a task. */
export function Facts({ task }: { task: Task }) {
  const parameters = Object.entries(task.parameters ?? {});
  const { assigned_worker_id: worker, started_at: started, ended_at: ended, progress } = task;
  return (
    <div className="task-facts">
      {parameters.map(([name, value]) => (
        <Fact key={`parameter ${name}`} label={name}>
          <span className="mono">{value}</span>
        </Fact>
      ))}
      {worker !== undefined && (
        <Fact label="Worker">
          <WorkerName id={worker} />
        </Fact>
      )}
      <Fact label="Created">
        <Ago iso={task.created_at} />
      </Fact>
      {started !== undefined && (
        <Fact label="Started">
          <Ago iso={started} />
        </Fact>
      )}
      {started !== undefined && (
        <Fact label={ended === undefined ? 'Running for' : 'Duration'}>
          <Elapsed from={started} to={ended} />
        </Fact>
      )}
      {task.failed_attempts > 0 && (
        <Fact label="Failed attempts">{task.failed_attempts.toLocaleString('en')}</Fact>
      )}
      {progress !== undefined && (
        <Fact label="Progress">
          <Progress percent={progress} />
        </Fact>
      )}
      {task.status_message !== undefined && (
        <Fact label="Status message" isWide>
          {task.status_message}
        </Fact>
      )}
    </div>
  );
}

function Fact({ label, isWide = false, children }: { label: string; isWide?: boolean; children: ReactNode }) {
  return (
    <div className={isWide ? 'task-facts__fact task-facts__fact--wide' : 'task-facts__fact'}>
      <span className="task-facts__label">{label}</span>
      <span className="task-facts__value">{children}</span>
    </div>
  );
}

function Progress({ percent }: { percent: number }) {
  return (
    <span className="task-facts__progress">
      <span
        className="task-facts__bar"
        role="progressbar"
        aria-label="Task progress"
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <span className="task-facts__fill" style={{ width: `${percent}%` }} />
      </span>
      <span className="number">{Math.floor(percent)} %</span>
    </span>
  );
}

/** Why a task was skipped, failed or canceled, and when it is retried. */
export function Notices({
  task: { status, failure_reason: reason, error_line: errorLine, retry_after: retryAt, skipped },
}: {
  task: Task;
}) {
  return (
    <>
      {skipped !== undefined && (
        <Notice
          kind="info"
          title={skippedText(skipped)}
          detail="It counts as succeeded. A retry undoes the skip."
        />
      )}
      {reason !== undefined && (
        <Notice
          kind={status === 'failed' ? 'danger' : 'warning'}
          title={
            status === 'canceled' ? 'Cancel reason' : status === 'failed' ? 'Failure reason' : 'Last failure'
          }
          detail={
            <>
              {reason}
              {errorLine !== undefined && <pre className="task-facts__error mono">{errorLine}</pre>}
            </>
          }
        />
      )}
      {retryAt !== undefined && isWaiting(status) && <RetryNotice at={Date.parse(retryAt)} />}
    </>
  );
}

function RetryNotice({ at }: { at: number }) {
  const left = at - useNow('second');
  if (left <= 0) return null;
  return (
    <Notice
      kind="info"
      detail={
        <>
          Automatic retry in <Span ms={Math.ceil(left / 1_000) * 1_000} />.
        </>
      }
    />
  );
}
