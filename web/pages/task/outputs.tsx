import { useQuery } from '@tanstack/react-query';
import type { Task } from '../../../client/resources.ts';
import { OutputList, useOutputLocation } from '../../parts/outputs/output-list.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import '../job/tabs/plain-table.css';

/** The outputs of a task. Renders only a task with outputs. */
export function Outputs({ task: { id, updated_at: changedAt } }: { task: Task }) {
  const { rest } = useService();
  const [place] = useOutputLocation();
  const query = useQuery(queries.taskOutputs(rest, id, changedAt, place));
  if (query.data?.items.length === 0 || (query.data === undefined && query.error === null)) return null;
  return (
    <section className="stack" aria-label="Outputs">
      <h2>Outputs</h2>
      <OutputList query={query} whose="task" hasTasks={false} />
    </section>
  );
}
