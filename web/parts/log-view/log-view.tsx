import { ScrollText } from 'lucide-react';
import { useRef, type KeyboardEvent } from 'react';
import { goSequence } from '../../state/go-sequence.ts';
import { useService } from '../../state/service.tsx';
import { Button } from '../button.tsx';
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
  const { shown, empty } = props;
  const { source, state } = shown;
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
      {shown.part !== null && <PartNote model={model} />}
      {log.characters > 0 ? (
        <LogLines
          ref={lines}
          log={log}
          version={state.version}
          separatorOf={props.separatorOf}
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
        <EmptyLog empty={empty} shown={shown} />
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
  } else if (
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    goSequence.isPending() ||
    event.target instanceof HTMLInputElement
  )
    return;
  else if (event.key === 'e') model.stepError(1);
  else if (event.key === 'E') model.stepError(-1);
  else if (event.key === 'l') {
    event.preventDefault();
    frame?.querySelector<HTMLElement>('[data-line-field]')?.focus();
  } else if (event.key === 'w') model.options.toggleWrap();
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
          query: {
            ...(props.attempt !== null && { attempt: props.attempt }),
            ...(view.stream !== 'all' && { stream: view.stream }),
          },
        }).href
      }
      onFullScreen={onFullScreen}
      onLine={model.goToLine}
    />
  );
}

/** Lines that are loaded before the shown part when more is wanted. */
const EARLIER_LINES = 5_000;

/** Says that only a part of the log is loaded. */
function PartNote({ model }: { model: LogModel }) {
  const { log } = model;
  return (
    <div className="log-view__part" role="note">
      <span>
        {log.characters === 0
          ? 'Loading a part of the log.'
          : `Loaded from line ${(log.firstLine + 1).toLocaleString('en')} on. Search and errors cover this part.`}
      </span>
      {log.firstLine > 0 && (
        <Button size="small" onPress={() => model.goToLine(Math.max(1, log.firstLine - EARLIER_LINES))}>
          Earlier lines
        </Button>
      )}
      <Button size="small" onPress={model.showWhole}>
        Load from the beginning
      </Button>
    </div>
  );
}

function EmptyLog({ empty, shown: { state } }: Pick<LogViewProps, 'empty' | 'shown'>) {
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
