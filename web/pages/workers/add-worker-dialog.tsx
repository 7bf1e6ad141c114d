import { useQuery } from '@tanstack/react-query';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { WorkerCommand } from '../overview/worker-command.tsx';
import { joinMethod } from '../worker-tokens/join-method.ts';
import { NewTokenDialog } from '../worker-tokens/new-token-dialog.tsx';

/** The command that starts a worker of a farm. `farm` is an id; empty for the first farm. */
export function FarmWorkerCommand({ farm }: { farm: string }) {
  const { rest } = useService();
  const farms = useQuery(queries.farms(rest)).data ?? [];
  const chosen = farms.find(({ id }) => id === farm) ?? farms[0];
  return <WorkerCommand farm={farms.length > 1 ? (chosen ?? null) : null} />;
}

/** Adds a worker: with a join token if the bus has tokens, else with a command. `farm` is an id; empty for the first farm. */
export function AddWorkerDialog({ farm, onClose }: { farm: string; onClose: () => void }) {
  const { rest } = useService();
  const bus = useQuery(queries.settings(rest)).data?.bus;
  if (bus !== undefined && joinMethod(bus) === 'token')
    return <NewTokenDialog farm={farm} onClose={onClose} />;
  return (
    <Dialog title="Add worker" onClose={onClose} foot={<Button onPress={onClose}>Close</Button>}>
      <p>
        Install Callsheet on the machine and run this command. The worker appears in the list when it has
        registered.
      </p>
      <FarmWorkerCommand farm={farm} />
    </Dialog>
  );
}
