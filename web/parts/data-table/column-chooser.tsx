import { ArrowDown, ArrowUp, Columns3 } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { Button, IconButton } from '../button.tsx';
import { columnVisibility, moved, shown } from './column-preferences.ts';
import type { Column } from './column.ts';
import type { TableColumns } from './use-table-columns.ts';

const MARGIN = 8;

/** Button that opens the dialog for the visibility and the order of columns. */
export function ColumnChooser<Row>({ columns }: { columns: TableColumns<Row> }) {
  const [at, setAt] = useState<DOMRect | null>(null);
  return (
    <>
      <Button
        icon={<Columns3 aria-hidden="true" />}
        size="small"
        onPress={(event) => setAt(event.currentTarget.getBoundingClientRect())}
      >
        Columns
      </Button>
      {at !== null && <ChooserPanel columns={columns} at={at} onClose={() => setAt(null)} />}
    </>
  );
}

function ChooserPanel<Row>({
  columns,
  at,
  onClose,
}: {
  columns: TableColumns<Row>;
  at: DOMRect;
  onClose: () => void;
}) {
  const panel = useRef<HTMLDivElement>(null);
  const titleId = useId();
  const { ordered, setPreferences } = columns;
  useEffect(() => {
    const opener = document.activeElement;
    const element = panel.current;
    if (element === null) return undefined;
    element.showPopover();
    const { width, height } = element.getBoundingClientRect();
    element.style.left = `${Math.max(MARGIN, Math.min(at.right - width, innerWidth - width - MARGIN))}px`;
    element.style.top = `${Math.max(MARGIN, Math.min(at.bottom + 4, innerHeight - height - MARGIN))}px`;
    element.querySelector<HTMLElement>('input:not(:disabled)')?.focus();
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, [at]);
  return (
    <div
      ref={panel}
      popover="auto"
      role="dialog"
      aria-labelledby={titleId}
      className="column-chooser"
      onToggle={(event) => {
        if (event.newState === 'closed') onClose();
      }}
    >
      <div className="column-chooser__head">
        <strong id={titleId}>Columns</strong>
        <Button size="small" look="quiet" onPress={() => setPreferences(null)}>
          Reset
        </Button>
      </div>
      <ul className="column-chooser__list">
        {ordered.map((column) => (
          <ChooserItem key={column.id} column={column} columns={columns} />
        ))}
      </ul>
    </div>
  );
}

/** One column: its visibility, and the buttons that move it. */
function ChooserItem<Row>({ column, columns }: { column: Column<Row>; columns: TableColumns<Row> }) {
  const { ordered, preferences, setPreferences } = columns;
  const place = ordered.indexOf(column);
  return (
    <li className="column-chooser__item">
      <label>
        <input
          type="checkbox"
          checked={columnVisibility(ordered, preferences)[column.id] === true}
          disabled={column.isFixed === true}
          onChange={(event) => setPreferences(shown(preferences, column.id, event.target.checked))}
        />
        {column.header}
      </label>
      <IconButton
        size="small"
        label={`Move ${column.header} up`}
        icon={<ArrowUp aria-hidden="true" />}
        disabledReason={place === 0 ? 'already first' : ''}
        onPress={() => setPreferences(moved(ordered, preferences, column.id, -1))}
      />
      <IconButton
        size="small"
        label={`Move ${column.header} down`}
        icon={<ArrowDown aria-hidden="true" />}
        disabledReason={place === ordered.length - 1 ? 'already last' : ''}
        onPress={() => setPreferences(moved(ordered, preferences, column.id, 1))}
      />
    </li>
  );
}
