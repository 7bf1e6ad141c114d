import { useQuery } from '@tanstack/react-query';
import { ListChecks } from 'lucide-react';
import { LinkButton } from '../../parts/button.tsx';
import { CommandLine, EmptyState } from '../../parts/empty-state.tsx';
import { shellWord } from '../../parts/shell-words.ts';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { usePermissions } from '../../state/use-permissions.ts';

/** Replaces the list on a server without jobs: explains how to submit one. */
export function NoJobs() {
  const { rest } = useService();
  const { can } = usePermissions();
  const farm = useQuery(queries.farms(rest)).data?.[0];
  const queue = useQuery(queries.queues(rest)).data?.find(({ farm_id }) => farm_id === farm?.id);
  const command = `callsheet submit job.yaml --farm ${shellWord(farm?.name ?? 'FARM')} --queue ${shellWord(queue?.name ?? 'QUEUE')} --url ${location.origin}`;
  return (
    <EmptyState
      title="No jobs yet"
      icon={ListChecks}
      actions={
        can('jobs.write') && (
          <LinkButton href="/submit" look="primary">
            Submit a job
          </LinkButton>
        )
      }
    >
      <p>Submit an Open Job Description template here, or from a shell:</p>
      <CommandLine command={command} />
    </EmptyState>
  );
}
