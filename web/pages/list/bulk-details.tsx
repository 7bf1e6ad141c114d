import { Link } from 'wouter';
import { refusalGroups, type BulkOutcome } from '../../../client/bulk.ts';
import { classNames } from '../../parts/class-names.ts';
import './bulk-details.css';

const MAX_NAMES = 5;

/** Lists the first rows of a bulk action by name. `count` is the number of all its rows. */
export function BulkNames({
  known,
  count,
}: {
  known: readonly { readonly id: string; readonly name: string }[];
  count: number;
}) {
  const names = known.slice(0, MAX_NAMES);
  return (
    <ul className="bulk-names">
      {names.map(({ id, name }) => (
        <li key={id}>{name}</li>
      ))}
      <More count={count - names.length} isAll={names.length === 0} />
    </ul>
  );
}

/** Shows the result of a bulk action: how many rows changed, and the refusals by reason. */
export function BulkResult({
  done,
  outcome,
  known,
  hrefOf,
  formatCount,
  isComplete = false,
}: {
  /** Text of the result: "3 jobs paused". */
  done: string;
  outcome: BulkOutcome;
  /** The loaded rows, for their names. */
  known: readonly { readonly id: string; readonly name: string }[];
  hrefOf: (id: string) => string;
  formatCount: (count: number) => string;
  /** Lists all refused rows instead of the first ones. */
  isComplete?: boolean;
}) {
  const { refused, unchanged, left } = outcome;
  const shownCount = isComplete ? refused.length : MAX_NAMES;
  const nameOf = (id: string): string => known.find((row) => row.id === id)?.name ?? id;
  return (
    <>
      <p role="status">
        <strong>{done}</strong>
        {refused.length > 0 && `, ${refused.length.toLocaleString('en')} refused`}
        {unchanged.length > 0 && `, ${unchanged.length.toLocaleString('en')} needed no change`}
        {left > 0 && `, ${left.toLocaleString('en')} not changed`}.
      </p>
      {refusalGroups(refused).map(({ reason, ids }) => (
        <div key={reason}>
          <strong>
            {formatCount(ids.length)}: {reason}
          </strong>
          <ul className={classNames('bulk-names', isComplete && 'bulk-names--scrolling')}>
            {ids.slice(0, shownCount).map((id) => (
              <li key={id}>
                <Link href={hrefOf(id)}>{nameOf(id)}</Link>
              </li>
            ))}
            <More count={ids.length - shownCount} />
          </ul>
        </div>
      ))}
    </>
  );
}

function More({ count, isAll = false }: { count: number; isAll?: boolean }) {
  if (count <= 0) return null;
  const text = count.toLocaleString('en');
  return <li className="muted">{isAll ? `All ${text} that match the filters` : `and ${text} more`}</li>;
}
