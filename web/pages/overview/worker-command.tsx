import { useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import type { Farm, Settings } from '../../../client/resources.ts';
import { Button } from '../../parts/button.tsx';
import { CommandLine } from '../../parts/empty-state.tsx';
import { Notice } from '../../parts/notice.tsx';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { usePermissions } from '../../state/use-permissions.ts';
import { joinMethod } from '../worker-tokens/join-method.ts';
import { LocalBusNote } from '../worker-tokens/local-bus-note.tsx';
import { NewTokenDialog } from '../worker-tokens/new-token-dialog.tsx';
import { busUrlOf, workerCommand } from './first-start-model.ts';

/**
 * The command that starts a worker, with the address of the bus; on a bus with join tokens, the way to create one. `farm`
 * is null if there is only one farm.
 */
export function WorkerCommand({ farm }: { farm: Pick<Farm, 'id' | 'name'> | null }) {
  const { rest } = useService();
  const { data, error, refetch } = useQuery(queries.settings(rest));
  if (error !== null)
    return <QueryProblem error={error} what="the address of the bus" onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton width="100%" height="40px" />;
  if (joinMethod(data.bus) === 'token') return <JoinToken farm={farm?.id ?? ''} />;
  return (
    <>
      <CommandLine command={workerCommand(busUrlOf(data.bus, location.hostname), farm?.name ?? null)} />
      <BusNote bus={data.bus} />
    </>
  );
}

/** Creates a join token in a dialog, which shows the command. */
function JoinToken({ farm }: { farm: string }) {
  const { why } = usePermissions();
  const [isCreating, setIsCreating] = useState(false);
  return (
    <div className="stack">
      <CommandLine command="callsheet worker --join TOKEN" />
      <p className="muted">The bus has authentication: a worker needs a join token for its first start.</p>
      <div>
        <Button
          icon={<KeyRound aria-hidden="true" />}
          disabledReason={why('infra.manage')}
          onPress={() => setIsCreating(true)}
        >
          Create join token
        </Button>
      </div>
      {isCreating && <NewTokenDialog farm={farm} onClose={() => setIsCreating(false)} />}
    </div>
  );
}

function BusNote({ bus }: { bus: Settings['bus'] }) {
  const method = joinMethod(bus);
  return (
    <>
      {bus.urls.length === 0 && bus.port === undefined ? (
        <p className="muted">
          Replace <code>BUS_URL</code> with the <code>bus.url</code> of the server. It contains credentials,
          so it is not shown here.
        </p>
      ) : (
        <LocalBusNote bus={bus} />
      )}
      {method === 'open' && (
        <Notice
          kind="warning"
          title="The bus has no authentication"
          detail={
            <>
              Any program that reaches the bus can register as a worker. To give each worker a credential of
              its own, set <code>bus.auth.enabled</code> (docs/bus-identity.md).
            </>
          }
        />
      )}
      {method === 'user' && (
        <p className="muted">
          The bus admits only its own users. The operator of the NATS server creates one for each worker
          (docs/bus-identity.md#external-nats).
        </p>
      )}
    </>
  );
}
