import { useEffect, useEffectEvent } from 'react';
import { shownStatusOf } from '../../../client/attempt-status.ts';
import type { Attempt } from '../../../client/resources.ts';
import { LogView } from '../../parts/log-view/log-view.tsx';
import type { ShownLog } from '../../parts/log-view/use-log.ts';
import { WorkerName } from '../../parts/names.tsx';
import { useUrlState } from '../../state/use-url-state.ts';
import { CompareView } from './compare/compare-view.tsx';
import { AttemptLine } from './log-choice.tsx';
import { TASK_VIEW } from './task-view.ts';

/** The log of one attempt, of all, or of two side by side. `attempts` are newest first. */
export function TaskLog({
  taskId,
  attempts,
  shown,
  log,
}: {
  taskId: string;
  attempts: readonly Attempt[];
  shown: Attempt;
  log: ShownLog;
}) {
  const [{ log: wanted, with: other }, setView] = useUrlState(TASK_VIEW);
  const form = attempts.length > 1 ? wanted : 'one';
  const { attempt_number: number } = shown;
  const isPart = log.part !== null;
  const isWhole = form !== 'one' || log.part?.attempt !== number;
  const showWhole = useEffectEvent(() => log.showPart(null));
  // A part belongs to one attempt.
  useEffect(() => {
    if (isPart && isWhole) showWhole();
  }, [isPart, isWhole]);
  if (form === 'compare') {
    const [before] = attempts.filter(({ attempt_number: one }) => one !== number);
    const left = other !== null && attempts.some((one) => one.attempt_number === other) ? other : null;
    return (
      <CompareView
        attempts={attempts}
        pair={{ left: left ?? before?.attempt_number ?? number, right: number }}
        onPair={(pair) => setView({ attempt: pair.right, with: pair.left }, { replace: true })}
        shown={log}
      />
    );
  }
  const [newest] = attempts;
  return (
    <LogView
      key={form === 'all' ? 'all' : number}
      taskId={taskId}
      attempt={form === 'all' ? null : number}
      shown={log}
      separatorOf={(one) => (
        <AttemptLine number={one} attempt={attempts.find(({ attempt_number }) => attempt_number === one)} />
      )}
      isLive={(form === 'all' ? newest : shown)?.status === 'running'}
      beginsAtEnd={form === 'one' && shownStatusOf(shown) === 'failed'}
      empty={emptyOf(shown)}
      onPointed={() => setView(form === 'all' ? { log: 'all' } : { attempt: number }, { replace: true })}
    />
  );
}

function emptyOf({ status, attempt_number: number, worker_id: worker }: Attempt) {
  return status === 'running'
    ? {
        title: 'No output yet',
        text: (
          <p>
            The attempt is running
            {worker !== undefined && (
              <>
                {' '}
                on <WorkerName id={worker} />
              </>
            )}
            . Its output appears here.
          </p>
        ),
      }
    : {
        title: `No output of attempt ${number}`,
        text: <p>The attempt wrote no output. See its exit code and message above.</p>,
      };
}
