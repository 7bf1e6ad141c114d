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
import { IconButton } from '../button.tsx';
import { SearchBox } from '../search-box.tsx';
import type { LogViewState } from './log-view-state.ts';

/** What can be done with a log: search, go to errors, choose how it is shown, save it. */

/** A count with a place in it: `3/12`. */
interface Steps {
  readonly count: number;
  readonly isFull: boolean;
  readonly isDone: boolean;
  /** From 0; null before the first. */
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
  readonly trouble: Steps;
  readonly onTrouble: (by: 1 | -1) => void;
  readonly isWrapped: boolean;
  readonly onWrap: () => void;
  readonly hasTimes: boolean;
  readonly onTimes: () => void;
  readonly downloadHref: string;
  readonly onFullScreen: () => void;
}

const STREAMS = [
  ['all', 'stdout and stderr'],
  ['stdout', 'stdout alone'],
  ['stderr', 'stderr alone'],
] as const;

export function LogTools(props: LogToolsProps) {
  const { view, onView, found, problem, onStep, trouble, onTrouble } = props;
  const hasTrouble = trouble.count > 0;
  const noneFound = found.count === 0 ? 'Nothing is found.' : '';
  const noTrouble = hasTrouble ? '' : 'No line looks like an error, and nothing was written to stderr.';
  return (
    <div className="log-tools" role="toolbar" aria-label="Log tools">
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
          placeholder="Find (F3 goes on)"
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
            <IconButton
              label="Previous"
              size="small"
              disabledReason={noneFound}
              icon={<ArrowUp aria-hidden="true" />}
              onPress={() => onStep(-1)}
            />
            <IconButton
              label="Next"
              size="small"
              disabledReason={noneFound}
              icon={<ArrowDown aria-hidden="true" />}
              onPress={() => onStep(1)}
            />
          </>
        )}
      </div>
      <div className="log-tools__group" role="group" aria-label="Errors">
        <span className={hasTrouble ? 'log-tools__errors log-tools__errors--some' : 'log-tools__errors'}>
          <TriangleAlert aria-hidden="true" />
          <span className="number">{countText(trouble)}</span>
          <span className="visually-hidden">lines that look like errors</span>
        </span>
        <IconButton
          label="Previous error"
          size="small"
          disabledReason={noTrouble}
          icon={<ArrowUp aria-hidden="true" />}
          onPress={() => onTrouble(-1)}
        />
        <IconButton
          label={trouble.at === null ? 'First error' : 'Next error'}
          size="small"
          disabledReason={noTrouble}
          icon={<ArrowDown aria-hidden="true" />}
          onPress={() => onTrouble(1)}
        />
      </div>
      <div className="log-tools__group log-tools__group--end" role="group" aria-label="How the log is shown">
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
      {problem !== '' && view.find !== '' && (
        <div className="log-tools__problem" role="alert">
          The pattern {problem}
        </div>
      )}
    </div>
  );
}
