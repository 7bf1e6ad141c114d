import { useMemo } from 'react';
import { diffHunks, type DiffHunk } from '../../src/core/text-diff/diff-hunks.ts';
import { diffLines, type DiffLine } from '../../src/core/text-diff/line-diff.ts';
import './line-diff.css';

/** Signs at the start of a line, and what screen readers announce. */
const MARKS = {
  same: { sign: ' ', word: '' },
  removed: { sign: '−', word: 'removed: ' },
  added: { sign: '+', word: 'added: ' },
} as const satisfies Record<DiffLine['kind'], object>;

/** The lines that differ between two texts, with the lines around them. `label` names the text: "Template". */
export function LineDiff({ label, before, after }: { label: string; before: string; after: string }) {
  const hunks = useMemo(() => diffHunks(diffLines(before, after)), [before, after]);
  return <Hunks label={`Differences in ${label.toLowerCase()}`} hunks={hunks} />;
}

/** Parts of a comparison that differ. */
export function Hunks({ label, hunks }: { label: string; hunks: readonly DiffHunk[] }) {
  if (hunks.length === 0) return <p className="muted">No differences.</p>;
  return (
    // Long lines scroll, so they must be reachable by keyboard.
    <div className="line-diff" role="group" aria-label={label} tabIndex={0}>
      {hunks.map(({ beforeLine, afterLine, lines }) => (
        <div key={`${beforeLine}:${afterLine}`} className="line-diff__hunk">
          <div className="line-diff__place">Line {afterLine.toLocaleString('en')}</div>
          {lines.map(({ kind, text }, at) => (
            <div key={at} className={`line-diff__line line-diff__line--${kind}`}>
              <span aria-hidden="true">{MARKS[kind].sign} </span>
              {MARKS[kind].word !== '' && <span className="visually-hidden">{MARKS[kind].word}</span>}
              {text.replace(/\r?\n$/, '')}
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}
