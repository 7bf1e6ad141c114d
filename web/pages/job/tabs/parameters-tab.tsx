import type { JobDetail } from '../../../../client/resources.ts';
import { CopyButton } from '../../../parts/copy-button.tsx';
import { EmptyState } from '../../../parts/empty-state.tsx';
import './plain-table.css';

/** The values of the job parameters. */
export function ParametersTab({ job }: { job: JobDetail }) {
  const parameters = Object.entries(job.parameters ?? {});
  if (parameters.length === 0)
    return <EmptyState title="No parameters">The template defines no job parameters.</EmptyState>;
  return (
    <div className="stack">
      <table className="plain-table">
        <caption className="visually-hidden">Job parameters</caption>
        <thead>
          <tr>
            <th scope="col">Parameter</th>
            <th scope="col">Value</th>
          </tr>
        </thead>
        <tbody>
          {parameters.map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>
                <span className="plain-table__value mono">
                  {value === '' ? <em className="muted">empty</em> : value}
                </span>
                {value !== '' && <CopyButton text={value} label={`Copy value of ${name}`} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {job.extensions !== undefined && <p className="muted">Extensions: {job.extensions.join(', ')}</p>}
    </div>
  );
}
