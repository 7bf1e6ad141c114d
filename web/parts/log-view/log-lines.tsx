import {
  useCallback,
  useEffectEvent,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type ReactNode,
  type Ref,
  type RefObject,
} from 'react';
import type { LineRange } from './line-anchor.ts';
import { LogLayout } from './log-layout.ts';
import { AttemptRow, LogRow, SHOWN_CHARACTERS } from './log-row.tsx';
import type { MatchList } from './log-search.ts';
import { lineAt, shownPart, statesOf, type LogStream, type ReadableLog } from './log-text.ts';
import { logTop, ROW_HEIGHT, scrolledHeight, scrollTopFor, type ScrollRange } from './scroll-range.ts';
import { PROBE_CHARACTERS, useViewSize } from './use-view-size.ts';

/** Rows drawn above and below the visible ones. */
const OVERSCAN = 12;
/** Distance from the end, in pixels, within which scrolling down starts to follow the log. */
const END_NEAR = 2 * ROW_HEIGHT;
/** Rows kept between a scroll target and the edges of the view. */
const EDGE_ROWS = 2;
const GUTTER_PADDING = 34;
const TIME_CHARACTERS = 13;
const DIGITS_MIN = 4;

/** A position to scroll into view. */
export interface ScrollTarget {
  readonly line: number;
  /** Offset in the text of the line as it is shown. */
  readonly character: number;
}

export interface LogLinesHandle {
  /** Returns the first visible line. */
  topLine(): number;
}

export interface LogLinesProps {
  readonly log: ReadableLog;
  /** Changes when `log`, which is one object, has grown. */
  readonly version: number;
  readonly separatorOf: (attempt: number) => ReactNode;
  readonly stream: LogStream | null;
  readonly isWrapped: boolean;
  readonly times: 'local' | 'utc' | '';
  readonly found: MatchList;
  readonly foundVersion: number;
  /** Number of the current match; -1 for none. */
  readonly current: number;
  readonly errorLines: MatchList;
  readonly foundGoal: ScrollTarget | null;
  readonly goal: ScrollTarget | null;
  readonly selected: LineRange | null;
  readonly onSelect: (lines: LineRange | null) => void;
  readonly isFollowing: boolean;
  readonly onFollow: (isFollowing: boolean) => void;
  readonly ref: Ref<LogLinesHandle>;
}

/** The lines of a log. Draws only the lines in view. */
export function LogLines(props: LogLinesProps) {
  const { log, times, isWrapped, found, current, errorLines, goal, selected } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const probe = useRef<HTMLSpanElement>(null);
  const { width, height, character } = useViewSize(scroller, probe);
  const { expanded, toggle } = useExpandedLines(props.foundGoal);
  const gutter = gutterWidth(log, times, character);
  const columns = isWrapped ? Math.max(10, Math.floor((width - gutter - 12) / character)) : null;
  const { version, stream } = props;
  const [blocks, layout] = useMemo(
    () => layoutOf(log, version, { stream, columns, expanded }),
    [log, version, stream, columns, expanded],
  );
  const view = { layout, height, columns };
  const { lines, offset, scrolledTo } = useLogScroll(props, scroller, view);
  const select = useLineSelection(selected, props.onSelect);
  return (
    <div
      ref={scroller}
      className={isWrapped ? 'log-lines log-lines--wrapped' : 'log-lines'}
      role="log"
      aria-live="off"
      aria-label="Lines of the log"
      tabIndex={0}
      onScroll={(event) => scrolledTo(event.currentTarget)}
    >
      <span ref={probe} className="log-lines__probe" aria-hidden="true">
        {'0'.repeat(PROBE_CHARACTERS)}
      </span>
      <div className="log-lines__all" style={{ height: scrolledHeight(rangeOf(view)) }}>
        <div
          className="log-lines__seen"
          style={{ transform: `translateY(${offset}px)`, ['--log-gutter' as string]: `${gutter}px` }}
        >
          {lines.map((index) => {
            const line = lineAt(log, blocks, index);
            if (line?.beginsAttempt !== undefined)
              return (
                <AttemptRow key={index} index={index}>
                  {props.separatorOf(line.beginsAttempt)}
                </AttemptRow>
              );
            return (
              line !== null && (
                <LogRow
                  key={index}
                  index={index}
                  raw={line.raw}
                  isStderr={line.stream === 'stderr'}
                  style={line.style}
                  time={line.time}
                  times={times}
                  found={found}
                  foundVersion={props.foundVersion}
                  current={found.lineOf(current) === index ? current : -1}
                  isError={errorLines.lineOf(errorLines.firstFrom(index)) === index}
                  isGoal={goal?.line === index}
                  isSelected={selected !== null && index + 1 >= selected.from && index + 1 <= selected.to}
                  isExpanded={expanded.has(index)}
                  onSelect={select}
                  onExpand={toggle}
                />
              )
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** Returns the width in pixels of line numbers and times. */
function gutterWidth(log: ReadableLog, times: LogLinesProps['times'], character: number): number {
  const digits = Math.max(DIGITS_MIN, String(log.lineCount + 2).length);
  return Math.ceil((digits + (times === '' ? 0 : TIME_CHARACTERS)) * character) + GUTTER_PADDING;
}

/** Tracks the lines that are shown in full. A match beyond the shown part of its line expands the line. */
function useExpandedLines(foundGoal: ScrollTarget | null) {
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const farLine = foundGoal !== null && foundGoal.character >= SHOWN_CHARACTERS ? foundGoal.line : null;
  const expanded = useMemo(
    () => (farLine === null || opened.has(farLine) ? opened : new Set([...opened, farLine])),
    [opened, farLine],
  );
  const toggle = useCallback((index: number) => {
    setOpened((before) => {
      const after = new Set(before);
      if (!after.delete(index)) after.add(index);
      return after;
    });
  }, []);
  return { expanded, toggle };
}

/** Returns the handler of clicks on line numbers. A click selects a line, a click on the only selected line clears it. */
function useLineSelection(selected: LineRange | null, onSelect: LogLinesProps['onSelect']) {
  return useCallback(
    (index: number, isRange: boolean) => {
      const number = index + 1;
      const from = isRange ? (selected?.from ?? number) : number;
      const isSame = !isRange && selected?.from === number && selected.to === number;
      onSelect(isSame ? null : { from: Math.min(from, number), to: Math.max(from, number) });
    },
    [selected, onSelect],
  );
}

interface LogViewport {
  readonly layout: LogLayout;
  /** Height of the view in pixels. */
  readonly height: number;
  /** Characters per row; null if lines are not wrapped. */
  readonly columns: number | null;
}

const rangeOf = ({ layout, height }: LogViewport) => ({ rows: layout.rows, viewport: height });

/** Scrolls to targets and to the end, and computes which lines are in view. */
function useLogScroll(
  props: LogLinesProps,
  scroller: RefObject<HTMLDivElement | null>,
  view: LogViewport,
): {
  readonly lines: readonly number[];
  /** Pixels from the top of the scrolled element to the first drawn line. */
  readonly offset: number;
  readonly scrolledTo: (element: HTMLDivElement) => void;
} {
  const { isFollowing, onFollow } = props;
  const { layout, height, columns } = view;
  const range = rangeOf(view);
  const [scrollTop, setScrollTop] = useState(0);
  const topLine = useRef(0);
  const lastScrollTop = useRef(0);
  useImperativeHandle(props.ref, () => ({ topLine: () => topLine.current }), []);

  const noteTop = (element: HTMLDivElement): void => {
    topLine.current = layout.lineAt(Math.ceil(logTop(element.scrollTop, range) / ROW_HEIGHT))?.line ?? 0;
  };
  useScrollTargets(props, scroller, view, noteTop);
  useLayoutEffect(() => {
    if (isFollowing) scrollToEnd(scroller.current);
  }, [scroller, isFollowing, layout, height]);
  // When the wrapping or the stream changes, the first visible line stays first.
  const keepTopLine = useEffectEvent(() => {
    if (!isFollowing) scrollTo(scroller.current, layout.rowOf(topLine.current) * ROW_HEIGHT, range);
  });
  useLayoutEffect(() => keepTopLine(), [columns, props.stream]);
  useCurrentMatch(scroller, props.current);

  const top = logTop(scrollTop, range);
  const first = layout.lineAt(Math.max(0, Math.floor(top / ROW_HEIGHT) - OVERSCAN));
  return {
    lines: first === null ? [] : layout.from(first.line, Math.ceil(height / ROW_HEIGHT) + 2 * OVERSCAN),
    offset: first === null ? 0 : scrollTop + first.top * ROW_HEIGHT - top,
    scrolledTo: (element) => {
      const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < END_NEAR;
      const isUp = element.scrollTop < lastScrollTop.current - 1;
      lastScrollTop.current = element.scrollTop;
      noteTop(element);
      setScrollTop(element.scrollTop);
      if (isAtEnd) {
        if (!isUp) onFollow(true);
      } else if (isUp) onFollow(false);
    },
  };
}

/** Scrolls each target into view once, as soon as its line is loaded. */
function useScrollTargets(
  { log, selected, foundGoal, goal }: LogLinesProps,
  scroller: RefObject<HTMLDivElement | null>,
  view: LogViewport,
  noteTop: (element: HTMLDivElement) => void,
): void {
  const { layout, height } = view;
  const reached = useRef(new WeakSet<ScrollTarget>());
  const reveal = useEffectEvent((to: ScrollTarget | null) => {
    const element = scroller.current;
    if (element === null || to === null || height === 0 || to.line >= log.lineCount) return;
    if (reached.current.has(to)) return;
    reached.current.add(to);
    const place = layout.rowOf(to.line) * ROW_HEIGHT;
    const top = logTop(element.scrollTop, rangeOf(view));
    const edge = EDGE_ROWS * ROW_HEIGHT;
    if (place < top + edge || place > top + height - 2 * edge)
      scrollTo(element, place - height / 2, rangeOf(view));
    // The size of a view that was just added is measured later: this line stays in view then.
    noteTop(element);
  });
  const selectedFrom = selected?.from ?? null;
  const selectedGoal = useMemo(
    () => (selectedFrom === null ? null : { line: selectedFrom - 1, character: 0 }),
    [selectedFrom],
  );
  useLayoutEffect(() => reveal(foundGoal), [foundGoal, layout, height]);
  useLayoutEffect(() => reveal(goal), [goal, layout, height]);
  useLayoutEffect(() => reveal(selectedGoal), [selectedGoal, layout, height]);
}

/** Scrolls the current match into view within its line. */
function useCurrentMatch(scroller: RefObject<HTMLDivElement | null>, current: number): void {
  useLayoutEffect(() => {
    if (current === -1) return undefined;
    const frame = requestAnimationFrame(() =>
      scroller.current
        ?.querySelector('[data-current]')
        ?.scrollIntoView({ block: 'nearest', inline: 'nearest' }),
    );
    return () => cancelAnimationFrame(frame);
  }, [scroller, current]);
}

/** Scrolls to `top`, in pixels of the log. */
function scrollTo(element: HTMLElement | null, top: number, range: ScrollRange): void {
  if (element !== null) element.scrollTop = scrollTopFor(top, range);
}

function scrollToEnd(element: HTMLElement | null): void {
  if (element !== null) element.scrollTop = element.scrollHeight;
}

function layoutOf(
  log: ReadableLog,
  _version: number,
  {
    stream,
    columns,
    expanded,
  }: { stream: LogStream | null; columns: number | null; expanded: ReadonlySet<number> },
) {
  const blocks = log.blocks();
  const special = new Map<number, number>();
  for (const index of expanded) {
    const line = lineAt(log, blocks, index);
    if (line === null || (stream !== null && line.stream !== stream)) continue;
    const isFolded = shownPart(line.raw).states > 0;
    const parts = isFolded ? statesOf(line.raw) : [line.raw];
    const rows = parts.map((part) => (columns === null ? 1 : Math.max(1, Math.ceil(part.length / columns))));
    special.set(
      index,
      rows.reduce((sum, each) => sum + each, 0),
    );
  }
  return [blocks, new LogLayout(blocks, { stream, columns, widthMax: SHOWN_CHARACTERS, special })] as const;
}
