import { Link } from 'wouter';
import { Panel } from '../../parts/panel.tsx';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { statusColor, StatusGlyph } from '../../parts/status-badge.tsx';
import { Ago } from '../../parts/time.tsx';
import type { Attention } from './attention.ts';

const SHOWN = 8;
const WORDS: Readonly<Record<Attention['kind'], string>> = {
  parked: 'Paused by failures',
  unschedulable: 'No worker may run it',
  failed: 'Failed',
};
const LOOKS = {
  parked: ['job', 'paused', 'paused'],
  unschedulable: ['task', 'unschedulable', 'unschedulable'],
  failed: ['job', 'failed', 'failed'],
} as const;

/** Jobs that go no further unless somebody looks at them. */
export function AttentionPanel({
  items,
  farm,
  error,
  onRetry,
}: {
  /** Undefined until they are known. */
  items: readonly Attention[] | undefined;
  farm: string;
  error: unknown;
  onRetry: () => void;
}) {
  const more = (items?.length ?? 0) - SHOWN;
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
        <p className="muted">
          None: no job has failed in the last day, is held by its failures, or lacks a worker.
        </p>
      ) : (
        <ul className="attention">
          {items.slice(0, SHOWN).map(({ id, name, kind, reason, owner, at }) => {
            const [what, status, color] = LOOKS[kind];
            return (
              <li key={id} className="attention__item">
                <span className="attention__glyph" style={statusColor(color)} title={WORDS[kind]}>
                  <StatusGlyph kind={what} status={status} />
                  <span className="visually-hidden">{WORDS[kind]}</span>
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
