import { RotateCw } from 'lucide-react';
import { explained } from '../state/toasts.ts';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';

/** Shown in place of data that could not be loaded. `what` names the data: "the jobs". */
export function QueryProblem({
  error,
  what,
  onRetry,
}: {
  error: unknown;
  what: string;
  onRetry: () => void;
}) {
  return (
    <Notice kind="danger" title={`Could not load ${what}`} {...explained(error)}>
      <div>
        <Button size="small" icon={<RotateCw aria-hidden="true" />} onPress={onRetry}>
          Try again
        </Button>
      </div>
    </Notice>
  );
}
