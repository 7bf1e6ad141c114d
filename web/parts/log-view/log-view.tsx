import { ScrollText } from 'lucide-react';
import { useRef, type KeyboardEvent } from 'react';
import { useService } from '../../state/service.tsx';
import { EmptyState } from '../empty-state.tsx';
import { QueryProblem } from '../query-problem.tsx';
import { SkeletonLines } from '../skeleton.tsx';
import { LogFoot } from './log-foot.tsx';
import { LogLines, type LogLinesHandle } from './log-lines.tsx';
import { LogTools } from './log-tools.tsx';
import { useLogModel, type LogModel, type LogViewProps } from './use-log-model.ts';
import './log-view.css';

/** The log of one attempt. The parent must give it a `key` that changes with the attempt. */
export function LogView(props: LogViewProps) {
  const { source, state, empty } = props;
  const lines = useRef<LogLinesHandle>(null);
  const frame = useRef<HTMLElement>(null);
  const model = useLogModel(props, lines);
  const { log, options, search, errors, goal } = model;
  return (
    <section
      ref={frame}
      className="log-view"
      aria-label="Log"
      onKeyDown={(event) => handleKey(model, event, frame.current)}
    >
      <Tools props={props} model={model} onFullScreen={() => void toggleFullScreen(frame.current)} />
      {state.error !== null && (
        <div className="log-view__problem">
          <QueryProblem error={state.error} what="the log" onRetry={() => source.read()} />
        </div>
      )}
      {log.characters > 0 ? (
        <LogLines
          ref={lines}
          log={log}
          version={state.version}
          stream={model.view.stream === 'all' ? null : model.view.stream}
          isWrapped={options.isWrapped}
          times={options.hasTimes ? (options.isUtc ? 'utc' : 'local') : ''}
          found={search.state.found}
          foundVersion={search.state.version}
          current={search.current ?? -1}
          errorLines={errors.found}
          foundGoal={search.goal}
          goal={goal}
          selected={model.selected}
          onSelect={model.select}
          isFollowing={model.isFollowing}
          onFollow={model.setIsFollowing}
        />
      ) : (
        <EmptyLog empty={empty} state={state} />
      )}
      <LogFoot props={props} model={model} />
    </section>
  );
}

function handleKey(model: LogModel, event: KeyboardEvent<HTMLElement>, frame: HTMLElement | null): void {
  if (event.key === 'F3') {
    event.preventDefault();
    model.stepFound(event.shiftKey ? -1 : 1);
  } else if (event.key.toLowerCase() === 'f' && (event.ctrlKey || event.metaKey)) {
    // The browser's own search finds only the lines in view.
    event.preventDefault();
    frame?.querySelector<HTMLElement>('[data-search]')?.focus();
  } else if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLInputElement)
    return;
  else if (event.key === 'e') model.stepError(1);
  else if (event.key === 'E') model.stepError(-1);
  else if (event.key === 'w') model.options.toggleWrap();
  else if (event.key === 'f') model.setIsFollowing(true);
}

interface ToolsProps {
  readonly props: LogViewProps;
  readonly model: LogModel;
  readonly onFullScreen: () => void;
}

function Tools({ props, model, onFullScreen }: ToolsProps) {
  const { rest } = useService();
  const { view, options, search, errors, goal } = model;
  const { found, problem } = search.state;
  return (
    <LogTools
      view={view}
      onView={model.changeView}
      found={{ ...search.state, count: found.count, isFull: found.isFull, at: search.current }}
      problem={problem}
      onStep={model.stepFound}
      errors={{
        count: errors.lines.count,
        isFull: errors.found.isFull,
        isDone: errors.isDone,
        at: goal === null ? null : errors.lines.before(goal.line),
      }}
      onError={model.stepError}
      isWrapped={options.isWrapped}
      onWrap={options.toggleWrap}
      hasTimes={options.hasTimes}
      onTimes={options.toggleTimes}
      downloadHref={
        rest.url('/tasks/{id}/log', {
          path: { id: props.taskId },
          query: { attempt: props.attempt, ...(view.stream !== 'all' && { stream: view.stream }) },
        }).href
      }
      onFullScreen={onFullScreen}
    />
  );
}

function EmptyLog({ empty, state }: Pick<LogViewProps, 'empty' | 'state'>) {
  return (
    <div className="log-view__empty">
      {!state.isComplete && state.error === null ? (
        <SkeletonLines lines={8} label="Loading the log" />
      ) : (
        state.error === null && (
          <EmptyState title={empty.title} icon={ScrollText}>
            {empty.text}
          </EmptyState>
        )
      )}
    </div>
  );
}

async function toggleFullScreen(element: HTMLElement | null): Promise<void> {
  if (document.fullscreenElement !== null) await document.exitFullscreen();
  else await element?.requestFullscreen();
}
