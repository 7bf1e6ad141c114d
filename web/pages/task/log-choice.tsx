import { Link, useSearchParams } from 'wouter';
import { shownStatusOf } from '../../../client/attempt-status.ts';
import type { Attempt } from '../../../client/resources.ts';
import { WorkerName } from '../../parts/names.tsx';
import { StatusGlyph } from '../../parts/status-badge.tsx';
import { statusStyle } from '../../parts/status-looks.ts';
import { At } from '../../parts/time.tsx';

/** Which logs are shown: of one attempt, of all, or of two side by side. */
export type LogForm = 'one' | 'all' | 'compare';

const FORMS: readonly (readonly [form: LogForm, label: string])[] = [
  ['one', 'One attempt'],
  ['all', 'All attempts'],
  ['compare', 'Compare attempts'],
];

/** Links to the forms in which the logs of several attempts are shown. */
export function LogChoice({ form }: { form: LogForm }) {
  const [parameters] = useSearchParams();
  const hrefOf = (to: LogForm): string => {
    const query = new URLSearchParams(parameters);
    query.delete('log');
    if (to !== 'one') query.set('log', to);
    return `?${query.toString()}`;
  };
  return (
    <nav className="log-choice" aria-label="Shown logs">
      {FORMS.map(([to, label]) => (
        <Link
          key={to}
          href={hrefOf(to)}
          className="button button--small"
          aria-current={to === form ? 'true' : undefined}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}

/** The line before the log of an attempt: its number, worker and outcome. */
export function AttemptLine({ number, attempt }: { number: number; attempt: Attempt | undefined }) {
  const status = attempt === undefined ? null : shownStatusOf(attempt);
  return (
    <span className="attempt-line" role="heading" aria-level={2}>
      Attempt {number}
      {attempt?.worker_id !== undefined && (
        <>
          {' on '}
          <WorkerName id={attempt.worker_id} />
        </>
      )}
      {attempt !== undefined && status !== null && (
        <>
          {', '}
          <StatusGlyph kind="attempt" status={status} /> {statusStyle('attempt', status).label.toLowerCase()}
          {attempt.exit_code !== undefined && `, exit code ${attempt.exit_code}`}
          {', started '}
          <At iso={attempt.started_at} />
        </>
      )}
    </span>
  );
}
