import { SearchX } from 'lucide-react';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';

/** Replaces a list without rows that match its filters. `what` is the plural of the rows: "jobs". */
export function NoMatches({ what, onClear }: { what: string; onClear: () => void }) {
  return (
    <EmptyState
      title={`No matching ${what}`}
      icon={SearchX}
      actions={<Button onPress={onClear}>Clear filters</Button>}
    >
      <p>{`No ${what} match the filters.`}</p>
    </EmptyState>
  );
}
