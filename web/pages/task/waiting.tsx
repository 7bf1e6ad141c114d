import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { TaskExplanation, WorkersOutlook } from '../../../client/resources.ts';
import { counted } from '../../parts/number-text.ts';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { useRefresh } from '../../state/use-refresh.ts';
import { gateTitle, linkNames, linksOf, type NamedLink } from './explanation-links.ts';

/** Limits and free cores change without an event of the task. */
const REFRESH_MS = 3_000;

/** Explains why no worker has the task yet. */
export function Waiting({ taskId }: { taskId: string }) {
  const { rest } = useService();
  const refetchInterval = useRefresh(REFRESH_MS);
  const { data, error, refetch } = useQuery({
    ...queries.explanation(rest, taskId),
    refetchInterval,
  });
  return (
    <section className="card waiting" aria-labelledby="waiting-title">
      <h2 id="waiting-title">Why is it waiting?</h2>
      {data !== undefined ? (
        <Explanation explanation={data} />
      ) : error !== null ? (
        <QueryProblem error={error} what="the explanation" onRetry={() => void refetch()} />
      ) : (
        <SkeletonLines lines={2} label="Loading the explanation" />
      )}
    </section>
  );
}

function Explanation({ explanation }: { explanation: TaskExplanation }) {
  const { summary, gates, position, share, workers, failures } = explanation;
  // With one gate, the summary repeats its sentence.
  const isSingle = gates.length === 1 && gates[0]?.sentence === summary;
  return (
    <>
      <p className="waiting__summary">
        <Sentence
          sentence={summary}
          links={gates.flatMap((gate) => linksOf(gate, explanation))}
          hidesOthers={!isSingle}
        />
      </p>
      {gates.length > 0 && !isSingle && (
        <ul className="waiting__gates">
          {gates.map((gate, at) => (
            <li key={at}>
              <span className="waiting__gate">{gateTitle(gate.gate)}</span>
              <span>
                <Sentence sentence={gate.sentence} links={linksOf(gate, explanation)} />
              </span>
            </li>
          ))}
        </ul>
      )}
      <dl className="waiting__facts">
        {position !== undefined && (
          <Fact label="Position">
            {position.tasks === 0
              ? 'next in line'
              : `${counted(position.tasks, 'task')} ahead${position.jobs === 0 ? '' : `, also of ${counted(position.jobs, 'other job')}`}`}
          </Fact>
        )}
        {share !== undefined && <Fact label="Share">{share.sentence}</Fact>}
        {workers !== undefined && workers.online > 0 && <Outlook workers={workers} />}
        {failures.length > 0 && (
          <Fact label="Failures of the step">
            {failures.map(({ worker_id: id, worker, failures: times }, at) => (
              <span key={id}>
                {at > 0 && ', '}
                <Link href={`/workers/${encodeURIComponent(id)}`}>{worker}</Link> (
                {times.toLocaleString('en')})
              </span>
            ))}
          </Fact>
        )}
      </dl>
    </>
  );
}

function Outlook({
  workers: { online, eligible, with_room: withRoom, rejected, avoided },
}: {
  workers: WorkersOutlook;
}) {
  return (
    <>
      <Fact label="Workers">
        {eligible.toLocaleString('en')} of {online.toLocaleString('en')} online workers can run it
        {eligible > 0 && `, ${withRoom === 0 ? 'none has' : counted(withRoom, 'has', 'have')} free capacity`}
      </Fact>
      {rejected.length > 0 && (
        <Fact label="Missing on other workers">
          {rejected
            .map(
              ({ reason, requirement, workers }) =>
                `${requirement ?? reason} (${counted(workers, 'worker')})`,
            )
            .join(', ')}
        </Fact>
      )}
      {avoided.length > 0 && (
        <Fact label="Avoided after failures">
          {avoided.map(({ id, name }, at) => (
            <span key={id}>
              {at > 0 && ', '}
              <Link href={`/workers/${encodeURIComponent(id)}`}>{name}</Link>
            </span>
          ))}
        </Fact>
      )}
    </>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Sentence({
  sentence,
  links,
  hidesOthers = false,
}: {
  sentence: string;
  links: readonly NamedLink[];
  /** Leaves out the links that the sentence does not name. */
  hidesOthers?: boolean;
}) {
  const { parts, others } = linkNames(sentence, links);
  return (
    <>
      {parts.map(({ text, href }, at) =>
        href === null ? (
          text
        ) : (
          <Link key={at} href={href}>
            {text}
          </Link>
        ),
      )}
      {!hidesOthers &&
        others.map(({ label, href }) => (
          <span key={href}>
            {' '}
            <Link href={href}>{label}</Link>
          </span>
        ))}
    </>
  );
}
