import {
  ArrowDown,
  ArrowUp,
  CaseSensitive,
  Clock3,
  Download,
  Maximize2,
  Regex,
  TriangleAlert,
  WrapText,
} from 'lucide-react';
import { useState } from 'react';
import { IconButton } from '../button.tsx';
import { SearchBox } from '../search-box.tsx';
import type { LogViewState } from './log-view-state.ts';

/** Toolbar of a log: search, errors, view options, download. */

/** Matches, and the current one: `3/12`. */
interface Steps {
  readonly count: number;
  readonly isFull: boolean;
  readonly isDone: boolean;
  /** Index from 0; null before the first step. */
  readonly at: number | null;
}

const countText = ({ count, isFull, isDone, at }: Steps): string => {
  const all = `${count.toLocaleString('en')}${isFull ? '+' : isDone ? '' : '…'}`;
  return at === null ? all : `${(at + 1).toLocaleString('en')}/${all}`;
};

export interface LogToolsProps {
  readonly view: LogViewState;
  readonly onView: (change: Partial<LogViewState>) => void;
  readonly found: Steps;
  readonly problem: string;
  readonly onStep: (by: 1 | -1) => void;
  /** Lines that look like errors. */
  readonly errors: Steps;
  readonly onError: (by: 1 | -1) => void;
  readonly isWrapped: boolean;
  readonly onWrap: () => void;
  readonly hasTimes: boolean;
  readonly onTimes: () => void;
  readonly downloadHref: string;
  readonly onFullScreen: () => void;
  readonly onLine: (line: number) => void;
}

const STREAMS = [
  ['all', 'stdout and stderr'],
  ['stdout', 'stdout only'],
  ['stderr', 'stderr only'],
] as const;

/** The toolbar of a log. */
export function LogTools(props: LogToolsProps) {
  const { view, problem } = props;
  return (
    <div className="log-tools" role="toolbar" aria-label="Log tools">
      <Search {...props} />
      <ErrorSteps {...props} />
      <LineField onLine={props.onLine} />
      <ViewOptions {...props} />
      {problem !== '' && view.find !== '' && (
        <div className="log-tools__problem" role="alert">
          The pattern {problem}
        </div>
      )}
    </div>
  );
}

function Search({ view, onView, found, problem, onStep }: LogToolsProps) {
  const disabledReason = found.count === 0 ? 'No matches' : '';
  return (
    <div
      className="log-tools__search"
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return;
        event.preventDefault();
        onStep(event.shiftKey ? -1 : 1);
      }}
    >
      <SearchBox
        value={view.find}
        onChange={(find) => onView({ find })}
        label="Find in the log"
        placeholder="Find (F3: next match)"
      />
      <IconButton
        label="Match case"
        size="small"
        isPressed={view.case}
        icon={<CaseSensitive aria-hidden="true" />}
        onPress={() => onView({ case: !view.case })}
      />
      <IconButton
        label="Regular expression"
        size="small"
        isPressed={view.regex}
        icon={<Regex aria-hidden="true" />}
        onPress={() => onView({ regex: !view.regex })}
      />
      {view.find !== '' && (
        <>
          <span className="log-tools__count number" role="status">
            {problem === '' ? countText(found) : ''}
          </span>
          <StepButtons labels={['Previous', 'Next']} disabledReason={disabledReason} onStep={onStep} />
        </>
      )}
    </div>
  );
}

/** Field for the number of a line to go to. */
function LineField({ onLine }: Pick<LogToolsProps, 'onLine'>) {
  const [text, setText] = useState('');
  const line = /^[1-9][0-9]{0,9}$/.test(text) ? Number(text) : null;
  const lines = (field: HTMLElement): HTMLElement | null =>
    field.closest('.log-view')?.querySelector<HTMLElement>('.log-lines') ?? null;
  return (
    <input
      className="input log-tools__line number"
      type="text"
      inputMode="numeric"
      data-line-field=""
      value={text}
      aria-label="Go to line"
      title="Go to line (l)"
      placeholder="Line"
      autoComplete="off"
      onChange={(event) => setText(event.target.value.replace(/[^0-9]/g, '').slice(0, 10))}
      onKeyDown={(event) => {
        if (event.key === 'Escape') lines(event.currentTarget)?.focus();
        if (event.key !== 'Enter' || line === null) return;
        event.preventDefault();
        onLine(line);
        setText('');
        lines(event.currentTarget)?.focus();
      }}
    />
  );
}

function ErrorSteps({ errors, onError }: LogToolsProps) {
  const hasErrors = errors.count > 0;
  return (
    <div className="log-tools__group" role="group" aria-label="Errors">
      <span className={hasErrors ? 'log-tools__errors log-tools__errors--some' : 'log-tools__errors'}>
        <TriangleAlert aria-hidden="true" />
        <span className="number">{countText(errors)}</span>
        <span className="visually-hidden">lines that look like errors</span>
      </span>
      <StepButtons
        labels={['Previous error', errors.at === null ? 'First error' : 'Next error']}
        disabledReason={hasErrors ? '' : 'No line looks like an error, and stderr is empty'}
        onStep={onError}
      />
    </div>
  );
}

function StepButtons({
  labels: [previous, next],
  disabledReason,
  onStep,
}: {
  labels: readonly [string, string];
  disabledReason: string;
  onStep: (by: 1 | -1) => void;
}) {
  return (
    <>
      <IconButton
        label={previous}
        size="small"
        disabledReason={disabledReason}
        icon={<ArrowUp aria-hidden="true" />}
        onPress={() => onStep(-1)}
      />
      <IconButton
        label={next}
        size="small"
        disabledReason={disabledReason}
        icon={<ArrowDown aria-hidden="true" />}
        onPress={() => onStep(1)}
      />
    </>
  );
}

function ViewOptions(props: LogToolsProps) {
  const { view, onView } = props;
  return (
    <div className="log-tools__group log-tools__group--end" role="group" aria-label="View options">
      <select
        className="input log-tools__stream"
        aria-label="Streams"
        value={view.stream}
        onChange={(event) =>
          onView({ stream: STREAMS.find(([stream]) => stream === event.target.value)?.[0] ?? 'all' })
        }
      >
        {STREAMS.map(([stream, label]) => (
          <option key={stream} value={stream}>
            {label}
          </option>
        ))}
      </select>
      <IconButton
        label="Wrap lines"
        size="small"
        isPressed={props.isWrapped}
        icon={<WrapText aria-hidden="true" />}
        onPress={props.onWrap}
      />
      <IconButton
        label="Show times"
        size="small"
        isPressed={props.hasTimes}
        icon={<Clock3 aria-hidden="true" />}
        onPress={props.onTimes}
      />
      <a
        className="button button--quiet button--small button--icon"
        href={props.downloadHref}
        download=""
        aria-label="Download the log"
        title="Download the log"
      >
        <Download aria-hidden="true" />
      </a>
      <IconButton
        label="Full screen"
        size="small"
        icon={<Maximize2 aria-hidden="true" />}
        onPress={props.onFullScreen}
      />
    </div>
  );
}
