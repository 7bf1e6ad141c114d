import { ArrowDown, ArrowUp } from 'lucide-react';
import { useDeferredValue, useMemo, useState } from 'react';
import { diffHunks, type DiffHunk } from '../../../../src/core/text-diff/diff-hunks.ts';
import { shownStatusOf } from '../../../../client/attempt-status.ts';
import type { Attempt } from '../../../../client/resources.ts';
import { Button, IconButton } from '../../../parts/button.tsx';
import { Hunks } from '../../../parts/line-diff.tsx';
import { sizeText } from '../../../parts/log-view/size-text.ts';
import type { ShownLog } from '../../../parts/log-view/use-log.ts';
import { counted } from '../../../parts/number-text.ts';
import { QueryProblem } from '../../../parts/query-problem.tsx';
import { asBoolean, usePreference } from '../../../state/use-preference.ts';
import { ComparedRows } from './compared-rows.tsx';
import {
  asLines,
  COMPARED_LINES_MAX,
  compareLines,
  differencesOf,
  linesToCompare,
  shownRows,
  type Comparison,
  type Pair,
} from './comparison.ts';
import './compare-view.css';

interface CompareViewProps {
  readonly attempts: readonly Attempt[];
  readonly pair: Pair;
  readonly onPair: (pair: Pair) => void;
  readonly shown: ShownLog;
}

/** Lines of the comparison as text; more are left out. */
const TEXT_LINES_MAX = 2_000;
/** Side by side, narrower windows show only a few characters of each line. */
const NARROW = '(max-width: 700px)';

/** The logs of two attempts, aligned by their differences. */
export function CompareView({ attempts, pair, onPair, shown }: CompareViewProps) {
  const { source, state } = shown;
  const [ignoresTimes, setIgnoresTimes] = usePreference('compare.ignores-times', true, asBoolean);
  const [ignoresNumbers, setIgnoresNumbers] = usePreference('compare.ignores-numbers', false, asBoolean);
  const [hidesEqual, setHidesEqual] = usePreference('compare.hides-equal', true, asBoolean);
  const [isText, setIsText] = useState(() => matchMedia(NARROW).matches);
  const version = useDeferredValue(state.isComplete || state.isFull ? state.version : 0);
  const comparison = useMemo(
    () =>
      version === 0
        ? null
        : compareLines(linesToCompare(source.textOf(pair.left)), linesToCompare(source.textOf(pair.right)), {
            times: ignoresTimes,
            numbers: ignoresNumbers,
          }),
    [version, source, pair.left, pair.right, ignoresTimes, ignoresNumbers],
  );
  return (
    <section className="compare" aria-label="Comparison of attempts">
      <div className="compare__tools" role="toolbar" aria-label="Comparison">
        <AttemptSelect
          label="Left"
          attempts={attempts}
          value={pair.left}
          onChange={(left) => onPair({ ...pair, left })}
        />
        <AttemptSelect
          label="Right"
          attempts={attempts}
          value={pair.right}
          onChange={(right) => onPair({ ...pair, right })}
        />
        <Option label="Ignore times" isOn={ignoresTimes} onChange={setIgnoresTimes} />
        <Option label="Ignore numbers" isOn={ignoresNumbers} onChange={setIgnoresNumbers} />
        <Option label="Hide equal lines" isOn={hidesEqual} onChange={setHidesEqual} />
        <Option label="As text" isOn={isText} onChange={setIsText} />
      </div>
      {state.error !== null && (
        <QueryProblem error={state.error} what="the log" onRetry={() => source.read()} />
      )}
      {comparison === null ? (
        <p role="status">Reading the logs: {sizeText(state.characters)} so far</p>
      ) : (
        <Compared comparison={comparison} hidesEqual={hidesEqual} isText={isText} pair={pair} />
      )}
    </section>
  );
}

function AttemptSelect({
  label,
  attempts,
  value,
  onChange,
}: {
  label: string;
  attempts: readonly Attempt[];
  value: number;
  onChange: (attempt: number) => void;
}) {
  return (
    <label className="compare__attempt">
      {label}{' '}
      <select className="input" value={value} onChange={(event) => onChange(Number(event.target.value))}>
        {attempts.map((attempt) => (
          <option key={attempt.attempt_number} value={attempt.attempt_number}>
            {`Attempt ${attempt.attempt_number}, ${shownStatusOf(attempt)}`}
          </option>
        ))}
      </select>
    </label>
  );
}

function Option({
  label,
  isOn,
  onChange,
}: {
  label: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}) {
  return (
    <label className="compare__option">
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.target.checked)} /> {label}
    </label>
  );
}

function Compared({
  comparison,
  hidesEqual,
  isText,
  pair,
}: {
  comparison: Comparison;
  hidesEqual: boolean;
  isText: boolean;
  pair: Pair;
}) {
  const rows = useMemo(() => shownRows(comparison.rows, hidesEqual), [comparison, hidesEqual]);
  const differences = useMemo(() => differencesOf(rows), [rows]);
  const [chosen, setChosen] = useState<{ rows: typeof rows; at: number } | null>(null);
  const current = chosen?.rows === rows ? chosen.at : (differences[0] ?? 0);
  const step = (by: 1 | -1): void => {
    const next =
      by === 1 ? differences.find((at) => at > current) : differences.findLast((at) => at < current);
    const wrapped = next ?? (by === 1 ? differences[0] : differences.at(-1));
    if (wrapped !== undefined) setChosen({ rows, at: wrapped });
  };
  const at = differences.findLastIndex((start) => start <= current);
  return (
    <>
      <div className="compare__summary">
        <span role="status">
          {differences.length === 0
            ? 'The logs are equal.'
            : isText
              ? `${counted(differences.length, 'difference')}.`
              : `Difference ${(at + 1).toLocaleString('en')} of ${differences.length.toLocaleString('en')}.`}
          {comparison.isCut &&
            ` Only the first ${COMPARED_LINES_MAX.toLocaleString('en')} lines of each log are compared.`}
        </span>
        {!isText && differences.length > 0 && (
          <>
            <IconButton
              label="Previous difference"
              size="small"
              icon={<ArrowUp aria-hidden="true" />}
              onPress={() => step(-1)}
            />
            <IconButton
              label="Next difference"
              size="small"
              icon={<ArrowDown aria-hidden="true" />}
              onPress={() => step(1)}
            />
          </>
        )}
      </div>
      {isText ? (
        <AsText comparison={comparison} pair={pair} />
      ) : (
        <ComparedRows
          comparison={comparison}
          rows={rows}
          pair={pair}
          current={current}
          onCurrent={(at) => setChosen({ rows, at })}
          onStep={step}
        />
      )}
    </>
  );
}

/** The comparison as one list of removed and added lines. */
function AsText({ comparison, pair }: { comparison: Comparison; pair: Pair }) {
  const [isAll, setIsAll] = useState(false);
  const hunks = useMemo(() => diffHunks(asLines(comparison)), [comparison]);
  const [shown, left] = isAll ? [hunks, 0] : limited(hunks);
  return (
    <>
      <Hunks label={`Lines that differ from attempt ${pair.left} to attempt ${pair.right}`} hunks={shown} />
      {left > 0 && (
        <p>
          {counted(left, 'line')} more. <Button onPress={() => setIsAll(true)}>Show all</Button>
        </p>
      )}
    </>
  );
}

/** Returns the first hunks up to the limit of lines, and the number of lines of the others. */
function limited(hunks: readonly DiffHunk[]): readonly [readonly DiffHunk[], number] {
  const shown: DiffHunk[] = [];
  let [lines, left] = [0, 0];
  for (const hunk of hunks) {
    const room = Math.max(0, TEXT_LINES_MAX - lines);
    if (room > 0) shown.push({ ...hunk, lines: hunk.lines.slice(0, room) });
    lines += hunk.lines.length;
    left += Math.max(0, hunk.lines.length - room);
  }
  return [shown, left];
}
