import { useQuery } from '@tanstack/react-query';
import { Page } from '../../parts/page.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { FirstStart } from './first-start.tsx';
import { missingSteps } from './first-start-model.ts';
import { usePresence } from './use-presence.ts';

/** What runs, what waits and on what; on a new farm, what is missing. */
export function OverviewPage() {
  const { rest } = useService();
  const presence = usePresence();
  const farms = useQuery(queries.farms(rest));
  const queues = useQuery(queries.queues(rest));
  if (presence === null)
    return (
      <Page title="Overview">
        <SkeletonLines lines={8} label="Loading the overview" />
      </Page>
    );
  const missing = missingSteps(presence);
  return (
    <Page title="Overview">
      {missing.length > 0 && (
        <FirstStart missing={missing} farms={farms.data ?? []} queues={queues.data ?? []} />
      )}
    </Page>
  );
}
