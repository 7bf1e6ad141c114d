import { X } from 'lucide-react';
import { Button } from './button.tsx';
import { StatusGlyph, statusColor } from './status-badge.tsx';
import { statusStyle, type StatusKind } from './status-looks.ts';
import './filter-chips.css';

/** Chips that filter by any of several statuses, with their counts. */
export function StatusChips<Status extends string>({
  kind,
  statuses,
  counts,
  chosen,
  onChange,
}: {
  kind: StatusKind;
  statuses: readonly Status[];
  /** Counts are missing until they are loaded. */
  counts: Readonly<Partial<Record<string, number>>>;
  chosen: readonly Status[];
  onChange: (chosen: readonly Status[]) => void;
}) {
  return (
    <div className="filter-chips" role="group" aria-label="Status">
      {statuses.map((status) => {
        const { label, color } = statusStyle(kind, status);
        const isChosen = chosen.includes(status);
        return (
          <button
            key={status}
            type="button"
            className="filter-chip"
            aria-pressed={isChosen}
            style={statusColor(color)}
            onClick={() => onChange(isChosen ? chosen.filter((one) => one !== status) : [...chosen, status])}
          >
            <StatusGlyph kind={kind} status={status} />
            {label}
            <span className="filter-chip__count">{counts[status]?.toLocaleString('en') ?? ''}</span>
          </button>
        );
      })}
    </div>
  );
}

/** Button that clears all filters. */
export function ClearFilters({ onPress }: { onPress: () => void }) {
  return (
    <Button size="small" look="quiet" icon={<X aria-hidden="true" />} onPress={onPress}>
      Clear filters
    </Button>
  );
}
