import { X, type LucideIcon } from 'lucide-react';
import { Button, IconButton } from '../button.tsx';
import { rowsToCheck, type BulkTarget } from './bulk-target.ts';
import './bulk-bar.css';

/** Action of the bar, shown as a button. */
export interface BulkAction<Action extends string> {
  readonly action: Action;
  readonly label: string;
  readonly Icon: LucideIcon;
}

interface BulkBarProps<Row, Action extends string> {
  /** Accessible name: "Selected jobs". */
  readonly label: string;
  readonly target: BulkTarget<Row>;
  /** Number of rows in the list. */
  readonly total: number;
  readonly actions: readonly BulkAction<Action>[];
  /** Why no action is allowed; empty if actions are allowed. */
  readonly forbidden: string;
  /** Returns why the action applies to none of the rows; empty if it applies to one. */
  readonly disabledReasonForAll: (action: Action, rows: readonly Row[]) => string;
  readonly onAction: (action: Action) => void;
  readonly onSelectAll: () => void;
  readonly onClear: () => void;
}

/** Actions on the selected rows of a table. Goes into the `toolbar` of the table. */
export function BulkBar<Row, Action extends string>(props: BulkBarProps<Row, Action>) {
  const { label, target, total, actions, forbidden, disabledReasonForAll, onAction, onSelectAll, onClear } =
    props;
  const checked = rowsToCheck(target);
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
      {actions.map(({ action, label: words, Icon }) => (
        <Button
          key={action}
          size="small"
          look={action === 'delete' ? 'danger' : 'plain'}
          icon={<Icon aria-hidden="true" />}
          disabledReason={forbidden === '' ? disabledReasonForAll(action, checked) : forbidden}
          onPress={() => onAction(action)}
        >
          {words}
        </Button>
      ))}
      <IconButton size="small" label="Clear selection" icon={<X aria-hidden="true" />} onPress={onClear} />
    </div>
  );
}
