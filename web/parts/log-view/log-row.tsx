import { memo, type MouseEvent, type ReactNode } from 'react';
import { classNames } from '../class-names.ts';
import { lookOf } from './ansi-look.ts';
import { spansOf, stripped, styleAfter, type Style } from './ansi.ts';
import type { MatchList } from './log-search.ts';
import { shownPart, statesOf } from './log-text.ts';
import { piecesOf, type LinePiece } from './line-pieces.ts';
import { timeOfDay } from './time-of-day.ts';

/** Characters of a line that are shown before it is expanded. */
export const SHOWN_CHARACTERS = 2_000;

/** Directives to the session, drawn muted. */
const DIRECTIVE = /^openjd_[a-z_]+:/;
const FAILURE = /^openjd_fail:/;

export interface LogRowProps {
  readonly index: number;
  readonly raw: string;
  readonly isStderr: boolean;
  readonly style: Style;
  readonly time: number;
  readonly found: MatchList;
  /** Changes when `found`, which is one object, has grown. */
  readonly foundVersion: number;
  /** Number of the current match; -1 if it is in another line. */
  readonly current: number;
  readonly isError: boolean;
  readonly isGoal: boolean;
  readonly isSelected: boolean;
  readonly isExpanded: boolean;
  /** Empty if times are hidden. */
  readonly times: 'local' | 'utc' | '';
  readonly onSelect: (index: number, isRange: boolean) => void;
  readonly onExpand: (index: number) => void;
}

/** A line: number, time, and text. */
export const LogRow = memo(function LogRow(props: LogRowProps) {
  const { index, raw, isStderr, time, times, onSelect } = props;
  const number = index + 1;
  const select = (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    onSelect(index, event.shiftKey);
  };
  return (
    <div
      className={classNames(
        'log-row',
        isStderr && 'log-row--stderr',
        props.isError && 'log-row--error',
        props.isSelected && 'log-row--selected',
        props.isGoal && 'log-row--goal',
        DIRECTIVE.test(raw) && !FAILURE.test(raw) && 'log-row--directive',
      )}
      data-line={number}
    >
      <div className="log-row__gutter">
        <a
          className="log-row__number"
          href={`#L${number}`}
          aria-label={`Line ${number}`}
          tabIndex={-1}
          onClick={select}
        >
          {number}
        </a>
        <span className="log-row__stream" title={isStderr ? 'Written to stderr' : undefined}>
          {isStderr ? 'E' : ''}
        </span>
        {times !== '' && (
          <span className="log-row__time" title={new Date(time).toISOString()}>
            {timeOfDay(time, times === 'utc')}
          </span>
        )}
      </div>
      <Content {...props} />
    </div>
  );
});

/** The line before the log of an attempt, where several are shown. */
export function AttemptRow({ index, children }: { index: number; children: ReactNode }) {
  return (
    <div className="log-row log-row--attempt" data-line={index + 1}>
      {children}
    </div>
  );
}

function Content({ index, raw, style, found, current, isExpanded, onExpand }: LogRowProps) {
  const { start, end, states } = shownPart(raw);
  const spans = spansOf(raw.slice(start, end), start === 0 ? style : styleAfter(raw.slice(0, start), style));
  const length = spans.reduce((sum, { text }) => sum + text.length, 0);
  const pieces = piecesOf(spans, found.inLine(index), isExpanded ? length : SHOWN_CHARACTERS);
  const left = length - SHOWN_CHARACTERS;
  const earlier = isExpanded && states > 0 ? statesOf(raw).slice(0, -1) : [];
  return (
    <div className="log-row__text">
      {earlier.map((state, at) => (
        <div key={at} className="log-row__state">
          {stripped(state)}
        </div>
      ))}
      {pieces.map((piece, at) => (
        <Piece key={at} piece={piece} isCurrent={piece.found !== null && piece.found === current} />
      ))}
      {(left > 0 || states > 0) && (
        <button type="button" className="log-row__more" onClick={() => onExpand(index)}>
          {moreText({ isExpanded, states, left })}
        </button>
      )}
    </div>
  );
}

function moreText({
  isExpanded,
  states,
  left,
}: {
  isExpanded: boolean;
  states: number;
  left: number;
}): string {
  if (isExpanded) return states > 0 ? 'fold' : 'show less';
  return states > 0
    ? `${states.toLocaleString('en')} earlier`
    : `show all: ${left.toLocaleString('en')} more characters`;
}

function Piece({ piece: { text, style, href, found }, isCurrent }: { piece: LinePiece; isCurrent: boolean }) {
  const { className, properties } = lookOf(style);
  const marked =
    found === null ? (
      text
    ) : (
      <mark
        className={classNames('log-mark', isCurrent && 'log-mark--current')}
        data-current={isCurrent || undefined}
      >
        {text}
      </mark>
    );
  if (href !== null)
    return (
      <a className={className} style={properties} href={href} rel="noreferrer" target="_blank">
        {marked}
      </a>
    );
  if (className === '') return marked;
  return (
    <span className={className} style={properties}>
      {marked}
    </span>
  );
}
