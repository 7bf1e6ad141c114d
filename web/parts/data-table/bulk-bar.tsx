import { X, type LucideIcon } from 'lucide-react';
import { Button, IconButton } from '../button.tsx';
import { judgedOf, type BulkTarget } from './bulk-target.ts';
import './bulk-bar.css';

/** A deed as a button of the bar shows it. */
export interface BulkAction<Action extends string> {
  readonly action: Action;
  readonly label: string;
  readonly Icon: LucideIcon;
}

interface BulkBarProps<Row, Action extends string> {
  /** "Selected jobs". */
  readonly label: string;
  /** The selected rows. */
  readonly target: BulkTarget<Row>;
  /** Rows that there are. */
  readonly total: number;
  readonly deeds: readonly BulkAction<Action>[];
  /** Why nothing may be done; empty when it may. */
  readonly forbidden: string;
  /** Why the deed makes no sense for any of the rows; empty when it does for one. */
  readonly disabledReasonForAll: (action: Action, rows: readonly Row[]) => string;
  readonly onAction: (action: Action) => void;
  readonly onSelectAll: () => void;
  readonly onClear: () => void;
}

/** What can be done with the selected rows of a table; for its `toolbar`. */
export function BulkBar<Row, Action extends string>(props: BulkBarProps<Row, Action>) {
  const { label, target, total, deeds, forbidden, disabledReasonForAll, onAction, onSelectAll, onClear } =
    props;
  const judged = judgedOf(target);
  return (
    <div className="bulk-bar" role="toolbar" aria-label={label}>
      <span className="bulk-bar__count" role="status">
        {target.count.toLocaleString('en')} selected
      </span>
      {target.count < total && (
        <Button size="small" look="quiet" onPress={onSelectAll}>
          {`Select all ${total.toLocaleString('en')}`}
        </Button>
      )}
      {deeds.map(({ action, label: words, Icon }) => (
        <Button
          key={action}
          size="small"
          look={action === 'delete' ? 'danger' : 'plain'}
          icon={<Icon aria-hidden="true" />}
          disabledReason={forbidden === '' ? disabledReasonForAll(action, judged) : forbidden}
          onPress={() => onAction(action)}
        >
          {words}
        </Button>
      ))}
      <IconButton
        size="small"
        label="Clear the selection"
        icon={<X aria-hidden="true" />}
        onPress={onClear}
      />
    </div>
  );
}
