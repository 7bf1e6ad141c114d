import { useEffect, useEffectEvent, useMemo, useState, type ReactNode, type RefObject } from 'react';
import { asBoolean, usePreference } from '../../state/use-preference.ts';
import { useUrlState } from '../../state/use-url-state.ts';
import { useUtc } from '../time.tsx';
import { ErrorLines } from './error-lines.ts';
import type { LineRange } from './line-anchor.ts';
import type { LogLinesHandle, ScrollTarget } from './log-lines.tsx';
import { ERROR_LINE_QUERY, type MatchList } from './log-search.ts';
import type { ShownLog } from './use-log.ts';
import type { ReadableLog } from './log-text.ts';
import { LOG_VIEW, type LogViewState } from './log-view-state.ts';
import { useFinder } from './use-finder.ts';
import { useLineAnchor } from './use-line-anchor.ts';

export interface LogViewProps {
  readonly taskId: string;
  /** The shown attempt; null for all, one after the other. */
  readonly attempt: number | null;
  readonly shown: ShownLog;
  /** Text of the line before the log of an attempt, where all are shown. */
  readonly separatorOf: (attempt: number) => ReactNode;
  /** True while the attempt runs. */
  readonly isLive: boolean;
  /** True if the log opens at its end, as for a failed attempt. */
  readonly beginsAtEnd: boolean;
  /** Shown in place of an empty log. */
  readonly empty: { readonly title: string; readonly text: ReactNode };
  /** Called when lines are put into the address, so that the caller adds the attempt. */
  readonly onPointed: () => void;
}

export type LogModel = ReturnType<typeof useLogModel>;

/** Creates the state of the view of a log, and the actions on it. `lines` reports the first visible line. */
export function useLogModel(
  { attempt, shown, isLive, beginsAtEnd, onPointed }: LogViewProps,
  lines: RefObject<LogLinesHandle | null>,
) {
  const { source, state, part, showPart } = shown;
  const log: ReadableLog = attempt === null ? source.all : source.textOf(attempt);
  const [view, setView] = useUrlState(LOG_VIEW);
  const options = useViewOptions();
  const [selected, setSelected] = useLineAnchor();
  const [isFollowing, setIsFollowing] = useState(
    () => (isLive || beginsAtEnd) && selected === null && view.find === '',
  );
  /** True if the log is wanted from its beginning, also if a line that is not loaded yet is selected. */
  const [wantsWhole, setWantsWhole] = useState(false);
  const [goal, setGoal] = useState<ScrollTarget | null>(null);
  const isEnded = !isLive && state.isComplete;
  useEffect(() => {
    if (!isEnded) return;
    for (const ended of attempt === null ? source.state().attempts : [attempt]) source.end(ended);
  }, [isEnded, source, attempt]);
  const select = (next: LineRange | null): void => {
    setIsFollowing(false);
    setSelected(next);
    if (next !== null) onPointed();
  };
  const goToLine = (line: number): void => {
    setWantsWhole(false);
    const isLoaded = line > log.firstLine && line <= log.lineCount;
    const isBeyond = line > log.lineCount && (attempt === null || (state.isComplete && !state.isFull));
    const wanted = isBeyond ? Math.max(1, log.lineCount) : line;
    select({ from: wanted, to: wanted });
    setGoal({ line: wanted - 1, character: 0 });
    if (!isLoaded && !isBeyond && attempt !== null) showPart({ attempt, line: wanted });
  };
  const showLinked = useEffectEvent((line: number) => {
    if (attempt !== null && part === null && !wantsWhole) showPart({ attempt, line });
  });
  const linked = selected?.from ?? 0;
  // A line of a link that is far from the beginning is loaded with the part around it.
  const isLinkedFar = linked > log.lineCount && state.characters > 0 && !state.isComplete;
  useEffect(() => {
    if (isLinkedFar) showLinked(linked);
  }, [isLinkedFar, linked]);
  const search = useMatches(log, view, state.version);
  const errors = useErrorLines(log, state.version);
  return {
    log,
    view,
    options,
    selected,
    isFollowing,
    setIsFollowing,
    goal,
    search,
    errors,
    changeView: (next: Partial<LogViewState>): void => {
      setView(next, { replace: true });
      if ((next.find ?? view.find) === '') return;
      search.begin(lines.current?.topLine() ?? 0);
      if (next.stream === undefined) setIsFollowing(false);
    },
    stepFound: (by: 1 | -1): void => {
      setIsFollowing(false);
      search.step(by);
    },
    stepError: (by: 1 | -1): void => {
      const line = errors.lines.next(goal?.line ?? (by === 1 ? -1 : Infinity), by);
      if (line === -1) return;
      setIsFollowing(false);
      setGoal({ line, character: 0 });
    },
    select,
    goToLine,
    /** Shows the log from its beginning. */
    showWhole: (): void => {
      setWantsWhole(true);
      showPart(null);
    },
  };
}

/** Options of all logs in this browser. */
function useViewOptions() {
  const [isWrapped, setIsWrapped] = usePreference('log.wrap', true, asBoolean);
  const [hasTimes, setHasTimes] = usePreference('log.times', false, asBoolean);
  const [isUtc] = useUtc();
  return {
    isWrapped,
    hasTimes,
    isUtc,
    toggleWrap: () => setIsWrapped(!isWrapped),
    toggleTimes: () => setHasTimes(!hasTimes),
  };
}

/** Finds the lines that look like errors. */
function useErrorLines(log: ReadableLog, version: number) {
  const { found, version: foundVersion, isDone } = useFinder(log, ERROR_LINE_QUERY, version);
  const lines = useMemo(
    () => errorLinesOf(found, log, foundVersion + version),
    [found, foundVersion, log, version],
  );
  return { found, isDone, lines };
}

/** `_version` changes when the log or the list of matches has grown. */
const errorLinesOf = (found: MatchList, log: ReadableLog, _version: number): ErrorLines =>
  new ErrorLines(found, log.firstStderr);

/** Searches the log, and tracks the current match. */
function useMatches(log: ReadableLog, view: LogViewState, version: number) {
  const query = { text: view.find, isRegex: view.regex, isCaseSensitive: view.case, isOncePerLine: false };
  const state = useFinder(log, query, version);
  const key = `${view.find} ${view.regex} ${view.case}`;
  /** Line from which the search started, and the match selected since. */
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
