import { useQuery } from '@tanstack/react-query';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { CommandLine } from '../../parts/empty-state.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { workerCommand } from '../overview/first-start-model.ts';

/** Of a managed bus (docs/configuration.md, `bus.addr`). */
const BUS_PORT = '14222';

/** The command that starts a worker; `farm` is an id, or empty. */
export function WorkerCommand({ farm }: { farm: string }) {
  const { rest } = useService();
  const farms = useQuery(queries.farms(rest)).data ?? [];
  const chosen = farms.find(({ id }) => id === farm) ?? farms[0];
  const name = farms.length > 1 ? (chosen?.name ?? null) : null;
  return <CommandLine command={workerCommand(location.hostname, BUS_PORT, name)} />;
}

export function AddWorkerDialog({ farm, onClose }: { farm: string; onClose: () => void }) {
  return (
    <Dialog title="Add a worker" onClose={onClose} foot={<Button onPress={onClose}>Close</Button>}>
      <p>
        Run this on the machine, with Callsheet installed. The worker appears in the list as soon as it has
        registered.
      </p>
      <WorkerCommand farm={farm} />
      <p className="muted">
        The bus listens on the loopback alone unless <code>bus.addr</code> says otherwise: for workers on
        other machines set that first, and use the port that it names.
      </p>
    </Dialog>
  );
}
