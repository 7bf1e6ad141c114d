import { useQuery } from '@tanstack/react-query';
import { Share2 } from 'lucide-react';
import { copyItem } from '../../parts/copy-item.tsx';
import { ActionMenu } from '../../parts/menu.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { listCommand, listCurl, type JobListView } from './job-filters.ts';

/** The view for others: its link, and the same list in a shell. */
export function ShareMenu({ view }: { view: JobListView }) {
  const { rest } = useService();
  const farms = useQuery(queries.farms(rest)).data ?? [];
  const queues = useQuery(queries.queues(rest)).data ?? [];
  const names = {
    farm: farms.find((farm) => farm.id === view.farm)?.name,
    queue: queues.find((queue) => queue.id === view.queue)?.name,
  };
  return (
    <ActionMenu
      label="Share this list"
      icon={<Share2 aria-hidden="true" />}
      items={[
        copyItem('link', location.href),
        copyItem('command', listCommand(view, names)),
        copyItem('curl', listCurl(view, location.origin)),
      ]}
    />
  );
}
