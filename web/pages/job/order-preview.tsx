import { useQuery } from '@tanstack/react-query';
import { ArrowUpToLine } from 'lucide-react';
import { useDeferredValue } from 'react';
import { Link } from 'wouter';
import type { JobOrder } from '../../../client/resources.ts';
import { Button } from '../../parts/button.tsx';
import { counted } from '../../parts/number-text.ts';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import './order-preview.css';

/** Maximum number of passed jobs that are named. */
const NAMED_MAX = 5;

interface OrderPreviewProps {
  readonly jobId: string;
  /** Null for an invalid number. */
  readonly priority: number | null;
  readonly onChoose: (priority: number) => void;
}

/** Which jobs of the queue a job would pass with another priority, and a button for the first place. */
export function OrderPreview({ jobId, priority, onChoose }: OrderPreviewProps) {
  const { rest } = useService();
  const tried = useDeferredValue(priority);
  const { data } = useQuery({ ...queries.jobOrder(rest, jobId, tried ?? 0), enabled: tried !== null });
  if (data === undefined) return null;
  const left = data.passed_total - NAMED_MAX;
  return (
    <div className="order-preview">
      <span role="status">{orderText(data)}</span>
      {data.passed_total > 0 && (
        <ul>
          {data.passed.slice(0, NAMED_MAX).map(({ id, name, owner, priority: own }) => (
            <li key={id}>
              <Link href={`/jobs/${encodeURIComponent(id)}`}>{name}</Link>{' '}
              <span className="muted">{`${owner}, priority ${own}`}</span>
            </li>
          ))}
          {left > 0 && <li className="muted">{`and ${left.toLocaleString('en')} more`}</li>}
        </ul>
      )}
      <Button
        size="small"
        icon={<ArrowUpToLine aria-hidden="true" />}
        disabledReason={data.position.before === 1 ? 'It is the first of its queue.' : ''}
        onPress={() => onChoose(data.top_priority)}
      >
        To the top of the queue
      </Button>
    </div>
  );
}

/** "Place 2 instead of 5 of 9 in its queue: it overtakes 3 jobs." */
function orderText({ position, total, passed_total: count }: JobOrder): string {
  const { before, after } = position;
  if (before === after) return `Place ${before} of ${total} in its queue, as now.`;
  const jobs = counted(count, 'job');
  const effect = after < before ? `it overtakes ${jobs}` : `${jobs} overtake${count === 1 ? 's' : ''} it`;
  return `Place ${after} instead of ${before} of ${total} in its queue: ${effect}.`;
}
