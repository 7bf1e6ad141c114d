import { useQuery } from '@tanstack/react-query';
import type { Settings } from '../../../client/resources.ts';
import { CommandLine } from '../../parts/empty-state.tsx';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { busUrlOf, workerCommand } from './first-start-model.ts';

/** The command that starts a worker, with the address of the bus. `farm` is a name; null if there is only one farm. */
export function WorkerCommand({ farm }: { farm: string | null }) {
  const { rest } = useService();
  const { data, error, refetch } = useQuery(queries.settings(rest));
  if (error !== null)
    return <QueryProblem error={error} what="the address of the bus" onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton width="100%" height="40px" />;
  return (
    <>
      <CommandLine command={workerCommand(busUrlOf(data.bus, location.hostname), farm)} />
      <BusNote bus={data.bus} />
    </>
  );
}

function BusNote({ bus }: { bus: Settings['bus'] }) {
  if (bus.urls.length === 0 && bus.port === undefined)
    return (
      <p className="muted">
        Replace <code>BUS_URL</code> with the <code>bus.url</code> of the server. It contains credentials, so
        it is not shown here.
      </p>
    );
  if (!bus.is_local) return null;
  return (
    <p className="muted">
      The bus listens only on the loopback interface of the server. For workers on other machines, set{' '}
      <code>{bus.port === undefined ? 'bus.url' : 'bus.addr'}</code> of the server first.
    </p>
  );
}
