import { useQuery } from '@tanstack/react-query';
import { Play } from 'lucide-react';
import { useState } from 'react';
import type { AnswerOf } from '../../../client/rest-calls.ts';
import type { Farm } from '../../../client/resources.ts';
import { Button } from '../../parts/button.tsx';
import { Notice } from '../../parts/notice.tsx';
import { farmQueries } from '../../state/farm-queries.ts';
import { useService } from '../../state/service.tsx';
import { toasts } from '../../state/toasts.ts';
import { usePermissions } from '../../state/use-permissions.ts';
import { useRefresh } from '../../state/use-refresh.ts';

type Outage = AnswerOf<'get', '/farms/{id}/outages'>[number];

const OUTAGES_MS = 5_000;

/** Shows the places that the farm holds because tasks of several jobs failed there (docs/outages.md). */
export function FarmOutages({ farm }: { readonly farm: Farm }) {
  const { rest } = useService();
  const { can } = usePermissions();
  const refreshMs = useRefresh(OUTAGES_MS);
  const { data = [], refetch } = useQuery({
    ...farmQueries.outages(rest, farm.id),
    refetchInterval: refreshMs,
    enabled: farm.outage_holds === true && can('infra.read'),
  });
  return data.map((outage) => (
    <Notice key={outage.place} kind="warning" title={titleOf(outage)} detail={detailOf(outage)}>
      <EndOutage farm={farm.id} outage={outage} onChanged={() => void refetch()} />
    </Notice>
  ));
}

const titleOf = ({ place, status }: Outage): string =>
  status === 'held' ? `No tasks start: outage of ${place}` : `One task is tried: outage of ${place}`;

const detailOf = ({ message, failures, jobs, workers, times }: Outage): string =>
  `${failures} attempts failed, first of ${jobs} jobs on ${workers} workers: “${message}”. ` +
  `They do not count. Holds in a row: ${times}.`;

interface EndOutageProps {
  readonly farm: string;
  readonly outage: Outage;
  readonly onChanged: () => void;
}

function EndOutage({ farm, outage: { kind, name, place }, onChanged }: EndOutageProps) {
  const { rest } = useService();
  const { why } = usePermissions();
  const [isBusy, setIsBusy] = useState(false);
  const end = async (): Promise<void> => {
    setIsBusy(true);
    try {
      await rest.call('post', '/farms/{id}/end-outage', { path: { id: farm }, body: { kind, name } });
      toasts.done(`The outage of ${place} has ended`);
    } catch (error) {
      toasts.failed(error, `Could not end the outage of ${place}`);
    }
    onChanged();
    setIsBusy(false);
  };
  return (
    <Button
      size="small"
      icon={<Play aria-hidden="true" />}
      isBusy={isBusy}
      disabledReason={why('infra.manage')}
      title="Starts its tasks again at once"
      onPress={() => void end()}
    >
      End outage
    </Button>
  );
}
