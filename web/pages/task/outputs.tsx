import { useQuery } from '@tanstack/react-query';
import type { OutputPage, Task } from '../../../client/resources.ts';
import { OutputList, useOutputLocation } from '../../parts/outputs/output-list.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import '../job/tabs/plain-table.css';

/** Previews arrive some moments after the end of a task, and no event reports them. */
const LOOK_MS = 2_000;
const LOOKS = 8;

const RECENT_MS = 30_000;

const isRecent = (time: string | undefined): boolean =>
  time !== undefined && Date.now() - Date.parse(time) < RECENT_MS;

const awaitsPreviews = (page: OutputPage | undefined): boolean => {
  const named = (page?.items ?? []).filter(({ source }) => source === 'task');
  return named.length > 0 && named.every(({ preview, preview_missing: missing }) => !(preview ?? missing));
};

/** The outputs of a task. Renders only a task with outputs. */
export function Outputs({ task: { id, status, ended_at: endedAt, updated_at: changedAt } }: { task: Task }) {
  const { rest } = useService();
  const [place] = useOutputLocation();
  const query = useQuery({
    ...queries.taskOutputs(rest, id, changedAt, place),
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      status === 'succeeded' && isRecent(endedAt) && dataUpdateCount < LOOKS && awaitsPreviews(data)
        ? LOOK_MS
        : false,
  });
  if (query.data?.items.length === 0 || (query.data === undefined && query.error === null)) return null;
  return (
    <section className="stack" aria-label="Outputs">
      <h2>Outputs</h2>
      <OutputList query={query} whose="task" steps={null} hasPreviews />
    </section>
  );
}
