import { Link, useSearchParams } from 'wouter';
import { errorLineOf } from '../../../src/core/failure/error-line.ts';
import { shownStatusOf } from '../../../client/attempt-status.ts';
import type { Attempt } from '../../../client/resources.ts';
import { classNames } from '../../parts/class-names.ts';
import { WorkerName } from '../../parts/names.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Ago, Elapsed } from '../../parts/time.tsx';

/** The attempts of a task, newest first. A link shows the log of its attempt. */
export function Attempts({ attempts, shown }: { attempts: readonly Attempt[]; shown: number }) {
  const [parameters] = useSearchParams();
  const hrefOf = (attempt: number): string => {
    const query = new URLSearchParams(parameters);
    query.set('attempt', String(attempt));
    return `?${query.toString()}`;
  };
  return (
    <div className="attempts" role="region" aria-label="Attempts" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Attempt</th>
            <th scope="col">Status</th>
            <th scope="col">Worker</th>
            <th scope="col">Started</th>
            <th scope="col">Ended</th>
            <th scope="col" className="attempts__number">
              Duration
            </th>
            <th scope="col" className="attempts__number">
              Exit code
            </th>
            <th scope="col" className="attempts__number">
              Peak memory
            </th>
            <th scope="col" className="attempts__number">
              CPU time
            </th>
            <th scope="col">Message</th>
          </tr>
        </thead>
        <tbody>
          {attempts.map((attempt) => (
            <AttemptRow
              key={attempt.attempt_number}
              attempt={attempt}
              isShown={attempt.attempt_number === shown}
              href={hrefOf(attempt.attempt_number)}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function AttemptRow({ attempt, isShown, href }: { attempt: Attempt; isShown: boolean; href: string }) {
  const {
    attempt_number: number,
    worker_id: worker,
    exit_code: code,
    max_rss_mib: memory,
    cpu_seconds: cpu,
    message,
    failure_excerpt: excerpt,
    retry_rule: rule,
    outage,
    preemption,
    started_at,
    ended_at,
  } = attempt;
  return (
    <tr className={classNames('attempts__row', isShown && 'attempts__row--shown')}>
      <td>
        <Link href={href} aria-current={isShown ? 'true' : undefined} className="attempts__link">
          {number}
        </Link>
      </td>
      <td>
        <StatusBadge kind="attempt" status={shownStatusOf(attempt)} />
      </td>
      <td>{worker === undefined ? '' : <WorkerName id={worker} />}</td>
      <td>
        <Ago iso={started_at} />
      </td>
      <td>{ended_at === undefined ? '' : <Ago iso={ended_at} />}</td>
      <td className="attempts__number">
        <Elapsed from={started_at} to={ended_at} />
      </td>
      <td className="attempts__number number">{code ?? ''}</td>
      <td className="attempts__number number">{memory === undefined ? '' : `${memory} MiB`}</td>
      <td className="attempts__number number">{cpu === undefined ? '' : `${cpu.toFixed(1)} s`}</td>
      <td className="attempts__message">
        {message ?? ''}
        {excerpt !== undefined && (
          <span className="attempts__error mono" title={excerpt}>
            {errorLineOf(excerpt)}
          </span>
        )}
        {rule !== undefined && <span className="attempts__rule muted">{rule.sentence}</span>}
        {outage !== undefined && <span className="attempts__rule muted">{outage.sentence}</span>}
        {preemption !== undefined && <span className="attempts__rule muted">{preemption.sentence}</span>}
      </td>
    </tr>
  );
}
