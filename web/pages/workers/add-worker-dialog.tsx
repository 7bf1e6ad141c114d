import { useQuery } from '@tanstack/react-query';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { WorkerCommand } from '../overview/worker-command.tsx';

/** The command that starts a worker of a farm. `farm` is an id; empty for the first farm. */
export function FarmWorkerCommand({ farm }: { farm: string }) {
  const { rest } = useService();
  const farms = useQuery(queries.farms(rest)).data ?? [];
  const chosen = farms.find(({ id }) => id === farm) ?? farms[0];
  return <WorkerCommand farm={farms.length > 1 ? (chosen?.name ?? null) : null} />;
}

export function AddWorkerDialog({ farm, onClose }: { farm: string; onClose: () => void }) {
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
