import { useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react';
import { classNames } from '../../../parts/class-names.ts';
import { ROW_HEIGHT } from '../../../parts/log-view/scroll-range.ts';
import { PROBE_CHARACTERS, useViewSize } from '../../../parts/log-view/use-view-size.ts';
import { counted } from '../../../parts/number-text.ts';
import type { Comparison, Pair, ShownRow } from './comparison.ts';

/** Rows drawn above and below the visible ones. */
const OVERSCAN = 12;
const PAGE_ROWS = 20;

/** Steps of the keys that move the current row; the others move between differences. */
const MOVES: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: PAGE_ROWS,
  PageUp: -PAGE_ROWS,
  Home: -Infinity,
  End: Infinity,
};

/** The rows of a comparison side by side, drawn only in view, and the current row in full below them. */
export function ComparedRows({
  comparison,
  rows,
  pair,
  current,
  onCurrent,
  onStep,
}: {
  comparison: Comparison;
  rows: readonly ShownRow[];
  pair: Pair;
  current: number;
  onCurrent: (at: number) => void;
  onStep: (by: 1 | -1) => void;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const probe = useRef<HTMLSpanElement>(null);
  const { height } = useViewSize(scroller, probe);
  const [scrollTop, setScrollTop] = useState(0);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null || height === 0) return;
    const top = current * ROW_HEIGHT;
    if (top < element.scrollTop || top + ROW_HEIGHT > element.scrollTop + height)
      element.scrollTop = Math.max(0, top - height / 3);
  }, [current, height, rows]);
  const handleKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = MOVES[event.key];
    if (move !== undefined) {
      event.preventDefault();
      onCurrent(Math.max(0, Math.min(rows.length - 1, current + move)));
    } else if (event.key === 'n') onStep(1);
    else if (event.key === 'N' || event.key === 'b') onStep(-1);
  };
  const first = Math.max(0, Math.floor(scrollTop / ROW_HEIGHT) - OVERSCAN);
  const drawn = rows.slice(first, first + Math.ceil(height / ROW_HEIGHT) + 2 * OVERSCAN);
  const row = rows[current];
  return (
    <>
      <div className="compare__heads" aria-hidden="true">
        <span>Attempt {pair.left}</span>
        <span>Attempt {pair.right}</span>
      </div>
      <div
        ref={scroller}
        className="compare__rows"
        role="group"
        aria-label="Lines side by side. n: next difference, b: previous difference"
        tabIndex={0}
        onKeyDown={handleKey}
        onScroll={(event) => setScrollTop(event.currentTarget.scrollTop)}
      >
        <span ref={probe} className="log-lines__probe" aria-hidden="true">
          {'0'.repeat(PROBE_CHARACTERS)}
        </span>
        <div style={{ height: rows.length * ROW_HEIGHT }}>
          <div style={{ transform: `translateY(${first * ROW_HEIGHT}px)` }}>
            {drawn.map((one, at) => (
              <Row
                key={first + at}
                row={one}
                comparison={comparison}
                isCurrent={first + at === current}
                onChoose={() => onCurrent(first + at)}
              />
            ))}
          </div>
        </div>
      </div>
      {row !== undefined && row.kind !== 'hidden' && (
        <div className="compare__detail" role="group" aria-label="Selected lines" tabIndex={0}>
          <p>
            <span className="muted">Attempt {pair.left}: </span>
            {row.left === null ? <span className="muted">no line</span> : comparison.left[row.left]}
          </p>
          <p>
            <span className="muted">Attempt {pair.right}: </span>
            {row.right === null ? <span className="muted">no line</span> : comparison.right[row.right]}
          </p>
        </div>
      )}
    </>
  );
}

function Row({
  row,
  comparison: { left, right },
  isCurrent,
  onChoose,
}: {
  row: ShownRow;
  comparison: Comparison;
  isCurrent: boolean;
  onChoose: () => void;
}) {
  if (row.kind === 'hidden')
    return <div className="compare__row compare__row--hidden">{counted(row.count, 'equal line')}</div>;
  return (
    <div
      className={classNames(
        'compare__row',
        `compare__row--${row.kind}`,
        isCurrent && 'compare__row--current',
      )}
      onClick={onChoose}
    >
      <Side line={row.left} lines={left} sign={row.kind === 'same' ? ' ' : '−'} />
      <Side line={row.right} lines={right} sign={row.kind === 'same' ? ' ' : '+'} />
    </div>
  );
}

function Side({ line, lines, sign }: { line: number | null; lines: readonly string[]; sign: string }) {
  if (line === null) return <span className="compare__side compare__side--none" />;
  return (
    <span className="compare__side">
      <span className="compare__number">{line + 1}</span>
      <span aria-hidden="true">{sign} </span>
      {lines[line]}
    </span>
  );
}
