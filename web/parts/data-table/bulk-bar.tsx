import { X } from 'lucide-react';
import { Button, IconButton } from '../button.tsx';
import type { ActionItem } from '../menu.tsx';
import './bulk-bar.css';

/** What can be done with the selected rows of a table; for its `toolbar`. */
export function BulkBar({
  label,
  count,
  total,
  actions,
  onSelectAll,
  onClear,
}: {
  /** "Selected jobs". */
  label: string;
  /** Rows that are selected. */
  count: number;
  /** Rows that there are. */
  total: number;
  actions: readonly ActionItem[];
  onSelectAll: () => void;
  onClear: () => void;
}) {
  return (
    <div className="bulk-bar" role="toolbar" aria-label={label}>
      <span className="bulk-bar__count" role="status">
        {count.toLocaleString('en')} selected
      </span>
      {count < total && (
        <Button size="small" look="quiet" onPress={onSelectAll}>
          {`Select all ${total.toLocaleString('en')}`}
        </Button>
      )}
      {actions.map(({ id, label: words, icon, isDanger, offBecause = '', act }) => (
        <Button
          key={id}
          size="small"
          look={isDanger === true ? 'danger' : 'plain'}
          icon={icon}
          offBecause={offBecause}
          onPress={act}
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
