import { useQuery } from '@tanstack/react-query';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { CommandLine } from '../../parts/empty-state.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { MANAGED_BUS_PORT, workerCommand } from '../overview/first-start-model.ts';

/** The command that starts a worker. `farm` is an id; empty for the first farm. */
export function WorkerCommand({ farm }: { farm: string }) {
  const { rest } = useService();
  const farms = useQuery(queries.farms(rest)).data ?? [];
  const chosen = farms.find(({ id }) => id === farm) ?? farms[0];
  const name = farms.length > 1 ? (chosen?.name ?? null) : null;
  return <CommandLine command={workerCommand(location.hostname, MANAGED_BUS_PORT, name)} />;
}

export function AddWorkerDialog({ farm, onClose }: { farm: string; onClose: () => void }) {
  return (
    <Dialog title="Add worker" onClose={onClose} foot={<Button onPress={onClose}>Close</Button>}>
      <p>
        Install Callsheet on the machine and run this command. The worker appears in the list when it has
        registered.
      </p>
      <WorkerCommand farm={farm} />
      <p className="muted">
        By default, the bus listens only on the loopback interface. For workers on other machines, set{' '}
        <code>bus.addr</code> first and use its port.
      </p>
    </Dialog>
  );
}
