import { Link } from 'wouter';
import { Panel } from '../../parts/panel.tsx';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { statusColor, StatusGlyph } from '../../parts/status-badge.tsx';
import { Ago } from '../../parts/time.tsx';
import type { Attention } from './attention.ts';

const MAX_ITEMS = 8;
const LABELS: Readonly<Record<Attention['kind'], string>> = {
  parked: 'Paused by failures',
  unschedulable: 'No worker can run it',
  failed: 'Failed',
};
const LOOKS = {
  parked: ['job', 'paused', 'paused'],
  unschedulable: ['task', 'unschedulable', 'unschedulable'],
  failed: ['job', 'failed', 'failed'],
} as const;

/** The jobs that need a user to continue, and the newest failed jobs. */
export function AttentionPanel({
  items,
  farm,
  error,
  onRetry,
}: {
  /** Undefined until they are loaded. */
  items: readonly Attention[] | undefined;
  farm: string;
  error: unknown;
  onRetry: () => void;
}) {
  const more = (items?.length ?? 0) - MAX_ITEMS;
  return (
    <Panel
      title="Jobs that need attention"
      beside={<Link href={`/jobs?status=failed&farm=${encodeURIComponent(farm)}`}>All failed jobs</Link>}
    >
      {items === undefined ? (
        error === null ? (
          <SkeletonLines lines={3} label="Loading the jobs that need attention" />
        ) : (
          <QueryProblem error={error} what="the jobs that need attention" onRetry={onRetry} />
        )
      ) : items.length === 0 ? (
        <p className="muted">No job failed in the last day, is paused by its failures, or lacks a worker.</p>
      ) : (
        <ul className="attention">
          {items.slice(0, MAX_ITEMS).map(({ id, name, kind, reason, owner, at }) => {
            const [subject, status, color] = LOOKS[kind];
            return (
              <li key={id} className="attention__item">
                <span className="attention__glyph" style={statusColor(color)} title={LABELS[kind]}>
                  <StatusGlyph kind={subject} status={status} />
                  <span className="visually-hidden">{LABELS[kind]}</span>
                </span>
                <div className="attention__words">
                  <Link href={`/jobs/${encodeURIComponent(id)}`}>{name}</Link>
                  <span className="muted">{reason}</span>
                </div>
                <div className="attention__end muted">
                  {owner}
                  {at !== '' && <Ago iso={at} />}
                </div>
              </li>
            );
          })}
        </ul>
      )}
      {more > 0 && <p className="muted">{`And ${more.toLocaleString('en')} more.`}</p>}
    </Panel>
  );
}
