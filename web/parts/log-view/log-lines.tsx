import {
  useCallback,
  useEffectEvent,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type Ref,
} from 'react';
import type { LineRange } from './line-anchor.ts';
import { LogLayout } from './log-layout.ts';
import { LogRow, SHOWN_CHARACTERS } from './log-row.tsx';
import type { MatchList } from './log-search.ts';
import { lineAt, shownPart, statesOf, type LogStream, type LogText } from './log-text.ts';
import { logTop, ROW_HEIGHT, scrolledHeight, scrollTopFor } from './scroll-range.ts';
import { PROBE_CHARACTERS, useViewSize } from './use-view-size.ts';

/** Rows that are drawn above and below what is seen. */
const OVERSCAN = 12;
/** So near to the end, in pixels, somebody reads the end. */
const END_NEAR = 2 * ROW_HEIGHT;
/** A goal is brought away from the edges by so many rows. */
const EDGE_ROWS = 2;
const GUTTER_PADDING = 34;
const TIME_CHARACTERS = 13;
const DIGITS_MIN = 4;

/** A line to be brought into view. */
export interface ScrollTarget {
  readonly line: number;
  /** In the text of the line as it is shown. */
  readonly character: number;
}

export interface LogLinesHandle {
  /** The first line that is seen. */
  topLine(): number;
}

export interface LogLinesProps {
  readonly log: LogText;
  /** `log` is one object that grows: this tells when. */
  readonly version: number;
  readonly stream: LogStream | null;
  readonly isWrapped: boolean;
  readonly times: 'local' | 'utc' | '';
  readonly found: MatchList;
  readonly foundVersion: number;
  /** The number of the place that is gone to; -1 for none. */
  readonly current: number;
  readonly trouble: MatchList;
  readonly foundGoal: ScrollTarget | null;
  readonly goal: ScrollTarget | null;
  readonly selected: LineRange | null;
  readonly onSelect: (lines: LineRange | null) => void;
  readonly isFollowing: boolean;
  readonly onFollow: (isFollowing: boolean) => void;
  readonly ref: Ref<LogLinesHandle>;
}

/** The lines of a log: only those that are seen are drawn. */
export function LogLines({
  log,
  version,
  stream,
  isWrapped,
  times,
  found,
  foundVersion,
  current,
  trouble,
  foundGoal,
  goal,
  selected,
  onSelect,
  isFollowing,
  onFollow,
  ref,
}: LogLinesProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const probe = useRef<HTMLSpanElement>(null);
  const { width, height, character } = useViewSize(scroller, probe);
  const [scrollTop, setScrollTop] = useState(0);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  // A place that is found behind what is shown of its line opens it.
  const farLine = foundGoal !== null && foundGoal.character >= SHOWN_CHARACTERS ? foundGoal.line : null;
  const expanded = useMemo(
    () => (farLine === null || opened.has(farLine) ? opened : new Set([...opened, farLine])),
    [opened, farLine],
  );

  const digits = Math.max(DIGITS_MIN, String(log.lineCount + 2).length);
  const gutter = Math.ceil((digits + (times === '' ? 0 : TIME_CHARACTERS)) * character) + GUTTER_PADDING;
  const columns = isWrapped ? Math.max(10, Math.floor((width - gutter - 12) / character)) : null;
  const [blocks, layout] = useMemo(
    () => layoutOf(log, version, { stream, columns, expanded }),
    [log, version, stream, columns, expanded],
  );
  const range = { rows: layout.rows, viewport: height };

  const topLine = useRef(0);
  const lastScrollTop = useRef(0);
  useImperativeHandle(ref, () => ({ topLine: () => topLine.current }), []);

  const reached = useRef(new WeakSet<ScrollTarget>());
  /** Brings a goal into view once, as soon as its line is there. */
  const reveal = useEffectEvent((to: ScrollTarget | null) => {
    const element = scroller.current;
    if (element === null || to === null || height === 0 || to.line >= log.lineCount) return;
    if (reached.current.has(to)) return;
    reached.current.add(to);
    const place = layout.rowOf(to.line) * ROW_HEIGHT;
    const seen = logTop(element.scrollTop, range);
    const edge = EDGE_ROWS * ROW_HEIGHT;
    if (place < seen + edge || place > seen + height - 2 * edge)
      element.scrollTop = scrollTopFor(place - height / 2, range);
  });
  const selectedFrom = selected?.from ?? null;
  const selectedGoal = useMemo(
    () => (selectedFrom === null ? null : { line: selectedFrom - 1, character: 0 }),
    [selectedFrom],
  );
  useLayoutEffect(() => reveal(foundGoal), [foundGoal, layout, height]);
  useLayoutEffect(() => reveal(goal), [goal, layout, height]);
  useLayoutEffect(() => reveal(selectedGoal), [selectedGoal, layout, height]);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (isFollowing && element !== null) element.scrollTop = element.scrollHeight;
  }, [isFollowing, layout, height]);

  // Wrapped otherwise, or with other lines, the view stays where it was read.
  const stay = useEffectEvent(() => {
    const element = scroller.current;
    if (element !== null && !isFollowing)
      element.scrollTop = scrollTopFor(layout.rowOf(topLine.current) * ROW_HEIGHT, range);
  });
  useLayoutEffect(() => stay(), [columns, stream]);

  useLayoutEffect(() => {
    if (current === -1) return undefined;
    const frame = requestAnimationFrame(() =>
      scroller.current
        ?.querySelector('[data-current]')
        ?.scrollIntoView({ block: 'nearest', inline: 'nearest' }),
    );
    return () => cancelAnimationFrame(frame);
  }, [current]);

  const scrolled = (element: HTMLDivElement): void => {
    const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < END_NEAR;
    const isUp = element.scrollTop < lastScrollTop.current - 1;
    lastScrollTop.current = element.scrollTop;
    topLine.current = layout.lineAt(Math.ceil(logTop(element.scrollTop, range) / ROW_HEIGHT))?.line ?? 0;
    setScrollTop(element.scrollTop);
    if (isAtEnd) {
      if (!isUp) onFollow(true);
    } else if (isUp) onFollow(false);
  };

  const select = useCallback(
    (index: number, isRange: boolean) => {
      const number = index + 1;
      const from = isRange ? (selected?.from ?? number) : number;
      const isSame = !isRange && selected?.from === number && selected.to === number;
      onSelect(isSame ? null : { from: Math.min(from, number), to: Math.max(from, number) });
    },
    [selected, onSelect],
  );
  const expand = useCallback((index: number) => {
    setOpened((before) => {
      const after = new Set(before);
      if (!after.delete(index)) after.add(index);
      return after;
    });
  }, []);

  const top = logTop(scrollTop, range);
  const first = layout.lineAt(Math.max(0, Math.floor(top / ROW_HEIGHT) - OVERSCAN));
  const lines = first === null ? [] : layout.from(first.line, Math.ceil(height / ROW_HEIGHT) + 2 * OVERSCAN);
  const offset = first === null ? 0 : scrollTop + first.top * ROW_HEIGHT - top;
  return (
    <div
      ref={scroller}
      className={isWrapped ? 'log-lines log-lines--wrapped' : 'log-lines'}
      role="log"
      aria-live="off"
      aria-label="Lines of the log"
      tabIndex={0}
      onScroll={(event) => scrolled(event.currentTarget)}
    >
      <span ref={probe} className="log-lines__probe" aria-hidden="true">
        {'0'.repeat(PROBE_CHARACTERS)}
      </span>
      <div className="log-lines__all" style={{ height: scrolledHeight(range) }}>
        <div
          className="log-lines__seen"
          style={{ transform: `translateY(${offset}px)`, ['--log-gutter' as string]: `${gutter}px` }}
        >
          {lines.map((index) => {
            const line = lineAt(log, blocks, index);
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
                  foundVersion={foundVersion}
                  current={found.lineOf(current) === index ? current : -1}
                  isTrouble={trouble.lineOf(trouble.firstFrom(index)) === index}
                  isGoal={goal?.line === index}
                  isSelected={selected !== null && index + 1 >= selected.from && index + 1 <= selected.to}
                  isExpanded={expanded.has(index)}
                  onSelect={select}
                  onExpand={expand}
                />
              )
            );
          })}
        </div>
      </div>
    </div>
  );
}

function layoutOf(
  log: LogText,
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
