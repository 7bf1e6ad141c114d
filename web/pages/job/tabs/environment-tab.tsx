import { useQuery } from '@tanstack/react-query';
import type { JobDetail } from '../../../../client/resources.ts';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { Notice } from '../../../parts/notice.tsx';
import { QueryProblem } from '../../../parts/query-problem.tsx';
import { SkeletonLines } from '../../../parts/skeleton.tsx';
import { queries } from '../../../state/queries.ts';
import { useService } from '../../../state/service.tsx';
import { environmentsOf, type DefinedEnvironment } from '../model/environments.ts';
import './plain-table.css';

/** The parser of YAML comes with the first template that is shown here. */
const readTemplate = async (text: string): Promise<readonly DefinedEnvironment[]> => {
  const { parse } = await import('yaml');
  return environmentsOf(parse(text, { version: '1.2', schema: 'core', logLevel: 'silent' }));
};

/** The environments of the job and of its steps, with their variables. */
export function EnvironmentTab({ job }: { job: JobDetail }) {
  const { rest } = useService();
  const template = useQuery(queries.template(rest, job.id));
  const read = useQuery({
    queryKey: ['jobs', 'environments', job.id],
    queryFn: () => readTemplate(template.data ?? ''),
    enabled: template.data !== undefined,
    staleTime: Infinity,
    retry: false,
  });
  if (template.error !== null)
    return (
      <QueryProblem error={template.error} what="the template" onRetry={() => void template.refetch()} />
    );
  if (read.error !== null)
    return <Notice kind="warning" title="The template cannot be read here" detail={read.error.message} />;
  if (read.data === undefined) return <SkeletonLines label="Loading the environments" />;
  if (read.data.length === 0)
    return (
      <EmptyState title="The job defines no environments">
        Its tasks run in what the worker has, with the variables that the worker sets.
      </EmptyState>
    );
  return (
    <div className="stack">
      {read.data.map((environment) => (
        <Environment key={`${environment.step}/${environment.name}`} environment={environment} />
      ))}
    </div>
  );
}

function Environment({ environment }: { environment: DefinedEnvironment }) {
  const { name, step, description, variables, onEnter, onExit } = environment;
  return (
    <section className="card stack" aria-label={name}>
      <div>
        <h2>{name}</h2>
        <p className="muted">{step === '' ? 'for all steps' : `for the step ${step}`}</p>
      </div>
      {description !== '' && <p>{description}</p>}
      {variables.length > 0 && (
        <table className="plain-table">
          <caption className="visually-hidden">Variables of {name}</caption>
          <thead>
            <tr>
              <th scope="col">Variable</th>
              <th scope="col">Value, as the template has it</th>
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
          <span className="muted">When a session begins:</span> <code>{onEnter}</code>
        </p>
      )}
      {onExit !== '' && (
        <p>
          <span className="muted">When it ends:</span> <code>{onExit}</code>
        </p>
      )}
    </section>
  );
}
