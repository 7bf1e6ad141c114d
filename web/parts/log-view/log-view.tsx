import { ArrowDownToLine, ScrollText } from 'lucide-react';
import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useService } from '../../state/service.tsx';
import { asBoolean, usePreference } from '../../state/use-preference.ts';
import { useUrlState } from '../../state/use-url-state.ts';
import { Button } from '../button.tsx';
import { CopyButton } from '../copy-button.tsx';
import { counted } from '../number-text.ts';
import { EmptyState } from '../empty-state.tsx';
import { QueryProblem } from '../query-problem.tsx';
import { SkeletonLines } from '../skeleton.tsx';
import { useUtc } from '../time.tsx';
import { hashOf, type LineRange } from './line-anchor.ts';
import { LogLines, type ScrollTarget, type LogLinesHandle } from './log-lines.tsx';
import { ERROR_LINE_QUERY, type MatchList } from './log-search.ts';
import type { LogState, LogSource } from './log-source.ts';
import { lineAt, shownLine, type LogText } from './log-text.ts';
import { LogTools } from './log-tools.tsx';
import { LOG_VIEW, type LogViewState } from './log-view-state.ts';
import { sizeText } from './size-text.ts';
import { ErrorLines } from './error-lines.ts';
import { useFinder } from './use-finder.ts';
import { useLineAnchor } from './use-line-anchor.ts';
import './log-view.css';

export interface LogViewProps {
  readonly taskId: string;
  readonly attempt: number;
  readonly source: LogSource;
  readonly state: LogState;
  /** Whether the attempt still runs. */
  readonly isLive: boolean;
  /** Where reading begins: what has failed is read from its end. */
  readonly beginsAtEnd: boolean;
  /** What is told in the place of a log without a line. */
  readonly empty: { readonly title: string; readonly text: ReactNode };
  /** Lines are in the address: then so is the attempt that they are of. */
  readonly onPointed: () => void;
}

/** The log of one attempt. A component that uses it is made anew for another attempt (`key`). */
export function LogView({
  taskId,
  attempt,
  source,
  state,
  isLive,
  beginsAtEnd,
  empty,
  onPointed,
}: LogViewProps) {
  const { rest } = useService();
  const log = source.textOf(attempt);
  const [view, setView] = useUrlState(LOG_VIEW);
  const [isWrapped, setIsWrapped] = usePreference('log.wrap', true, asBoolean);
  const [hasTimes, setHasTimes] = usePreference('log.times', false, asBoolean);
  const [isUtc] = useUtc();
  const [selected, select] = useLineAnchor();
  const [isFollowing, setIsFollowing] = useState(
    () => (isLive || beginsAtEnd) && selected === null && view.find === '',
  );
  const [goal, setGoal] = useState<ScrollTarget | null>(null);
  const lines = useRef<LogLinesHandle>(null);
  const frame = useRef<HTMLElement>(null);

  const isEnded = !isLive && state.isComplete;
  useEffect(() => {
    if (isEnded) source.end(attempt);
  }, [isEnded, source, attempt]);

  const search = useFoundPlaces(log, view, state.version);
  const finding = useFinder(log, ERROR_LINE_QUERY, state.version);
  const { found: troubleFound, version: troubleVersion } = finding;
  const trouble = useMemo(
    () => troubleOf(troubleFound, log, troubleVersion + state.version),
    [troubleFound, troubleVersion, log, state.version],
  );

  const change = (next: Partial<LogViewState>): void => {
    setView(next, { replace: true });
    if ((next.find ?? view.find) === '') return;
    search.begin(lines.current?.topLine() ?? 0);
    if (next.stream === undefined) setIsFollowing(false);
  };
  const step = (by: 1 | -1): void => {
    setIsFollowing(false);
    search.step(by);
  };
  const goToTrouble = (by: 1 | -1): void => {
    const line = trouble.next(goal?.line ?? (by === 1 ? -1 : Infinity), by);
    if (line === -1) return;
    setIsFollowing(false);
    setGoal({ line, character: 0 });
  };
  const point = (next: LineRange | null): void => {
    setIsFollowing(false);
    select(next);
    if (next !== null) onPointed();
  };
  const keyed = (event: KeyboardEvent<HTMLElement>): void => {
    if (event.key === 'F3') {
      event.preventDefault();
      step(event.shiftKey ? -1 : 1);
    } else if (event.key.toLowerCase() === 'f' && (event.ctrlKey || event.metaKey)) {
      // The browser's own search finds only what is drawn.
      event.preventDefault();
      frame.current?.querySelector<HTMLElement>('[data-search]')?.focus();
    } else if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLInputElement)
      return;
    else if (event.key === 'e') goToTrouble(1);
    else if (event.key === 'E') goToTrouble(-1);
    else if (event.key === 'w') setIsWrapped(!isWrapped);
    else if (event.key === 'f') setIsFollowing(true);
  };

  const count = log.lineCount;
  const hasLines = log.characters > 0;
  return (
    <section ref={frame} className="log-view" aria-label="Log" onKeyDown={keyed}>
      <LogTools
        view={view}
        onView={change}
        found={{
          ...search.state,
          count: search.state.found.count,
          isFull: search.state.found.isFull,
          at: search.current,
        }}
        problem={search.state.problem}
        onStep={step}
        trouble={{
          count: trouble.count,
          isFull: troubleFound.isFull,
          isDone: finding.isDone,
          at: goal === null ? null : trouble.before(goal.line),
        }}
        onTrouble={goToTrouble}
        isWrapped={isWrapped}
        onWrap={() => setIsWrapped(!isWrapped)}
        hasTimes={hasTimes}
        onTimes={() => setHasTimes(!hasTimes)}
        downloadHref={
          rest.url('/tasks/{id}/log', {
            path: { id: taskId },
            query: { attempt, ...(view.stream !== 'all' && { stream: view.stream }) },
          }).href
        }
        onFullScreen={() => void toggleFullScreen(frame.current)}
      />
      {state.error !== null && (
        <div className="log-view__problem">
          <QueryProblem error={state.error} what="the log" onRetry={() => source.read()} />
        </div>
      )}
      {hasLines ? (
        <LogLines
          ref={lines}
          log={log}
          version={state.version}
          stream={view.stream === 'all' ? null : view.stream}
          isWrapped={isWrapped}
          times={hasTimes ? (isUtc ? 'utc' : 'local') : ''}
          found={search.state.found}
          foundVersion={search.state.version}
          current={search.current ?? -1}
          trouble={troubleFound}
          foundGoal={search.goal}
          goal={goal}
          selected={selected}
          onSelect={point}
          isFollowing={isFollowing}
          onFollow={setIsFollowing}
        />
      ) : (
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
      )}
      <footer className="log-view__foot">
        <span className="number">
          {counted(count, 'line')}, {sizeText(log.characters)}
        </span>
        <span role="status">
          {!state.isComplete && state.error === null
            ? `reading: ${sizeText(state.characters)} so far`
            : isLive
              ? isFollowing
                ? 'live, following'
                : 'live'
              : hasLines
                ? 'ended'
                : ''}
        </span>
        <span className="log-view__spacer" />
        {selected !== null && (
          <>
            <span className="number">
              {selected.from === selected.to
                ? `Line ${selected.from.toLocaleString('en')}`
                : `Lines ${selected.from.toLocaleString('en')} to ${selected.to.toLocaleString('en')}`}
            </span>
            <CopyButton text={textOf(log, selected)} label="Copy these lines">
              Copy
            </CopyButton>
            <CopyButton
              text={location.origin + location.pathname + linkQuery(attempt) + hashOf(selected)}
              label="Copy a link to these lines"
            >
              Copy link
            </CopyButton>
          </>
        )}
        {hasLines && !isFollowing && (
          <Button
            size="small"
            icon={<ArrowDownToLine aria-hidden="true" />}
            onPress={() => setIsFollowing(true)}
          >
            Jump to end
          </Button>
        )}
      </footer>
    </section>
  );
}

const linkQuery = (attempt: number): string => `?attempt=${attempt}`;

/** Made anew when either has grown. */
const troubleOf = (found: MatchList, log: LogText, _version: number): ErrorLines =>
  new ErrorLines(found, log.firstStderr);

/** Lines to copy at once. */
const COPIED_MAX = 100_000;

function textOf(log: LogText, { from, to }: LineRange): string {
  const blocks = log.blocks();
  const texts: string[] = [];
  for (let index = from - 1; index < Math.min(to, from + COPIED_MAX); index++) {
    const line = lineAt(log, blocks, index);
    if (line !== null) texts.push(shownLine(line.raw));
  }
  return texts.join('\n');
}

async function toggleFullScreen(element: HTMLElement | null): Promise<void> {
  if (document.fullscreenElement !== null) await document.exitFullscreen();
  else await element?.requestFullscreen();
}

/** What is looked for, and where one is in it. */
function useFoundPlaces(log: LogText, view: LogViewState, version: number) {
  const query = { text: view.find, isRegex: view.regex, isCaseSensitive: view.case, isOncePerLine: false };
  const state = useFinder(log, query, version);
  const key = `${view.find} ${view.regex} ${view.case}`;
  /** Where the search began, and the place that was chosen since. */
  const [from, setFrom] = useState(0);
  const [chosen, setChosen] = useState<{ key: string; number: number } | null>(null);
  const { found } = state;
  const first = found.firstFrom(from);
  const begun = first < found.count ? first : state.isDone && found.count > 0 ? 0 : null;
  const current = chosen?.key === key ? chosen.number : begun;
  const line = current === null ? -1 : found.lineOf(current);
  const character =
    current === null ? 0 : (found.inLine(line).find(({ number }) => number === current)?.start ?? 0);
  const goal = useMemo(
    (): ScrollTarget | null => (line === -1 ? null : { line, character }),
    [line, character],
  );
  return {
    state,
    current,
    goal,
    begin: (line: number) => {
      setFrom(line);
      setChosen(null);
    },
    step: (by: 1 | -1) => {
      if (found.count === 0) return;
      const next = current === null ? 0 : current + by;
      setChosen({ key, number: (next + found.count) % found.count });
    },
  };
}
