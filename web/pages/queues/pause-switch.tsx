import type { Queue } from '../../../client/resources.ts';
import { Switch } from '../../parts/switch.tsx';
import { usePermissions } from '../../state/use-permissions.ts';
import { usePause } from './use-pause.ts';

/** Pauses or resumes a queue. */
export function PauseSwitch({ queue }: { queue: Queue }) {
  const { why } = usePermissions();
  const setPaused = usePause();
  return (
    <Switch
      label={`Queue ${queue.name} takes tasks`}
      isOn={!queue.paused}
      on="Open"
      off="Paused"
      disabledReason={why('infra.manage')}
      onChange={(isOpen) => void setPaused(queue, !isOpen)}
    />
  );
}
