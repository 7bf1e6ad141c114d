import { useQuery } from '@tanstack/react-query';
import type { JobDetail, JobEnvironment } from '../../../../client/resources.ts';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { Notice } from '../../../parts/notice.tsx';
import { QueryProblem } from '../../../parts/query-problem.tsx';
import { SkeletonLines } from '../../../parts/skeleton.tsx';
import { queries } from '../../../state/queries.ts';
import { useService } from '../../../state/service.tsx';
import { environmentsOf, outerEnvironmentsOf, type DefinedEnvironment } from '../model/environments.ts';
import './plain-table.css';

/** Loads the YAML parser with the first template. */
async function readTemplates(
  text: string,
  outer: readonly JobEnvironment[],
): Promise<readonly DefinedEnvironment[]> {
  const { readYaml } = await import('../model/read-yaml.ts');
  return [
    ...outer.flatMap(({ template, origin }) => outerEnvironmentsOf(readYaml(template), origin)),
    ...environmentsOf(readYaml(text)),
  ];
}

/** The environments of the job and of its steps, outermost first, with their variables. */
export function EnvironmentTab({ job }: { job: JobDetail }) {
  const { rest } = useService();
  const template = useQuery(queries.template(rest, job.id));
  const outer = useQuery(queries.jobEnvironments(rest, job.id));
  const environments = useQuery({
    queryKey: ['jobs', 'environments', job.id],
    queryFn: () => readTemplates(template.data ?? '', outer.data ?? []),
    enabled: template.data !== undefined && outer.data !== undefined,
    staleTime: Infinity,
    retry: false,
  });
  if (template.error !== null)
    return (
      <QueryProblem error={template.error} what="the template" onRetry={() => void template.refetch()} />
    );
  if (outer.error !== null)
    return <QueryProblem error={outer.error} what="the environments" onRetry={() => void outer.refetch()} />;
  if (environments.error !== null)
    return <Notice kind="warning" title="Could not read the template" detail={environments.error.message} />;
  if (environments.data === undefined) return <SkeletonLines label="Loading the environments" />;
  if (environments.data.length === 0)
    return (
      <EmptyState title="No environments">
        Neither the template nor the queue defines environments. Tasks run in the environment of the worker.
      </EmptyState>
    );
  return (
    <div className="stack">
      {environments.data.map((environment) => (
        <Environment
          key={`${environment.origin}/${environment.step}/${environment.name}`}
          environment={environment}
        />
      ))}
    </div>
  );
}

const ORIGINS: Readonly<Record<DefinedEnvironment['origin'], string>> = {
  queue: 'for all steps, from the queue at the submission',
  submission: 'for all steps, sent with the job',
  job: 'for all steps',
};

function Environment({ environment }: { environment: DefinedEnvironment }) {
  const { origin, name, step, description, variables, onEnter, onExit } = environment;
  return (
    <section className="card stack" aria-label={name}>
      <div>
        <h2>{name}</h2>
        <p className="muted">{step === '' ? ORIGINS[origin] : `for step ${step}`}</p>
      </div>
      {description !== '' && <p>{description}</p>}
      {variables.length > 0 && (
        <table className="plain-table">
          <caption className="visually-hidden">Variables of {name}</caption>
          <thead>
            <tr>
              <th scope="col">Variable</th>
              <th scope="col">Value in the template</th>
            </tr>
          </thead>
          <tbody>
            {variables.map(([variable, value]) => (
              <tr key={variable}>
                <th scope="row" className="mono">
                  {variable}
                </th>
                <td className="mono">{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {onEnter !== '' && (
        <p>
          <span className="muted">When a session starts:</span> <code>{onEnter}</code>
        </p>
      )}
      {onExit !== '' && (
        <p>
          <span className="muted">When a session ends:</span> <code>{onExit}</code>
        </p>
      )}
    </section>
  );
}
