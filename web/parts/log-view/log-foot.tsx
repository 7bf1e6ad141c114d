import { ArrowDownToLine } from 'lucide-react';
import { Button } from '../button.tsx';
import { CopyButton } from '../copy-button.tsx';
import { counted } from '../number-text.ts';
import { hashOf, type LineRange } from './line-anchor.ts';
import { lineAt, shownLine, type ReadableLog } from './log-text.ts';
import { sizeText } from './size-text.ts';
import type { LogModel, LogViewProps } from './use-log-model.ts';

/** The status line: size, state, and the actions on selected lines. */
export function LogFoot({
  props: {
    attempt,
    shown: { state },
    isLive,
  },
  model,
}: {
  props: LogViewProps;
  model: LogModel;
}) {
  const { log, selected, isFollowing, setIsFollowing } = model;
  const hasLines = log.characters > 0;
  return (
    <footer className="log-view__foot">
      <span className="number">
        {counted(Math.max(0, log.lineCount - log.firstLine), 'line')}, {sizeText(log.characters)}
      </span>
      <span role="status">
        {state.isFull
          ? 'not all: go to a line to load a later part'
          : !state.isComplete && state.error === null
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
      {selected !== null && <SelectedLines log={log} attempt={attempt} selected={selected} />}
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
  );
}

function SelectedLines({
  log,
  attempt,
  selected,
}: {
  log: ReadableLog;
  attempt: number | null;
  selected: LineRange;
}) {
  const { from, to } = selected;
  return (
    <>
      <span className="number">
        {from === to
          ? `Line ${from.toLocaleString('en')}`
          : `Lines ${from.toLocaleString('en')} to ${to.toLocaleString('en')}`}
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
  );
}

const linkQuery = (attempt: number | null): string => (attempt === null ? '?log=all' : `?attempt=${attempt}`);

/** Maximum number of lines that can be copied. */
const COPIED_MAX = 100_000;

function textOf(log: ReadableLog, { from, to }: LineRange): string {
  const blocks = log.blocks();
  const texts: string[] = [];
  for (let index = from - 1; index < Math.min(to, from + COPIED_MAX); index++) {
    const line = lineAt(log, blocks, index);
    if (line !== null) texts.push(shownLine(line.raw));
  }
  return texts.join('\n');
}
