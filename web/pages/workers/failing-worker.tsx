import { Pause } from 'lucide-react';
import { useState } from 'react';
import type { Worker } from '../../../client/resources.ts';
import { Button } from '../../parts/button.tsx';
import { counted } from '../../parts/number-text.ts';
import { useService } from '../../state/service.tsx';
import { ifVersion } from '../../state/if-match.ts';
import { toasts } from '../../state/toasts.ts';
import { usePermissions } from '../../state/use-permissions.ts';

/** Why the worker is flagged: "Tasks of 4 different jobs have failed here in the last hour"; null if it is not. */
export const failingText = ({ failing_jobs: jobs }: Pick<Worker, 'failing_jobs'>): string | null =>
  jobs === undefined
    ? null
    : `Tasks of ${counted(jobs, 'different job')} have failed on this worker in the last hour`;

interface DisableFailingProps {
  readonly worker: Pick<Worker, 'id' | 'name' | 'failing_jobs' | 'settings_version'>;
  readonly onChanged?: () => void;
}

/** A button that disables a flagged worker, with the flag as the reason. It finishes its current tasks. */
export function DisableFailing({ worker, onChanged }: DisableFailingProps) {
  const { rest } = useService();
  const { why } = usePermissions();
  const [isBusy, setIsBusy] = useState(false);
  const { id, name, settings_version: version } = worker;
  const reason = failingText(worker);
  if (reason === null) return null;
  const disable = async (): Promise<void> => {
    setIsBusy(true);
    try {
      await ifVersion(rest, version).call('post', '/workers/{id}/disable', {
        path: { id },
        body: { reason },
      });
      toasts.done(`${name} disabled`);
    } catch (error) {
      toasts.failed(error, `Could not disable ${name}`);
    }
    onChanged?.();
    setIsBusy(false);
  };
  return (
    <Button
      size="small"
      icon={<Pause aria-hidden="true" />}
      isBusy={isBusy}
      disabledReason={why('workers.manage')}
      title={`${reason}. Disables ${name}.`}
      onPress={() => void disable()}
    >
      Disable failing worker
    </Button>
  );
}
