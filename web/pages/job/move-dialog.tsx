import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { JobDetail } from '../../../client/resources.ts';
import { Button, SubmitButton } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { SelectField } from '../../parts/field.tsx';
import { Notice } from '../../parts/notice.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { explained, toasts } from '../../state/toasts.ts';
import { useOpenedVersion } from '../../state/use-opened-version.ts';

/** Properties of the dialogs that change a job. */
export interface JobDialogProps {
  readonly job: JobDetail;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

/** Moves a job to another queue of its farm. */
export function MoveDialog({ job, onChanged, onClose }: JobDialogProps) {
  const { rest } = useService();
  const version = useOpenedVersion((client) =>
    client.callWithHeaders('get', '/jobs/{id}', { path: { id: job.id } }),
  );
  const { data = [] } = useQuery(queries.queues(rest));
  const offered = data.filter(({ id, farm_id: farm }) => farm === job.farm_id && id !== job.queue_id);
  const [queue, setQueue] = useState('');
  const [error, setError] = useState<unknown>(null);
  const move = async (): Promise<void> => {
    if (queue === '') return;
    setError(null);
    try {
      const request = { path: { id: job.id }, body: { queue_id: queue } };
      await version.change(['queue_id'], (client) => client.call('patch', '/jobs/{id}', request));
      toasts.done(`${job.name} moved`);
      onChanged();
      onClose();
    } catch (reason) {
      setError(reason);
    }
  };
  return (
    <Dialog
      title={`Move ${job.name} to another queue`}
      onClose={onClose}
      onSubmit={() => void move()}
      foot={
        <>
          <Button onPress={onClose}>Close</Button>
          <SubmitButton disabledReason={queue === '' ? 'Choose a queue.' : ''}>Move job</SubmitButton>
        </>
      }
    >
      <SelectField
        label="Queue"
        hint="A job cannot move to a queue of another farm."
        value={queue}
        onChange={setQueue}
        none={offered.length === 0 ? 'The farm has no other queue' : 'Choose a queue'}
        choices={offered.map(({ id, name }) => ({ value: id, label: name }))}
      />
      {error !== null && <Notice kind="danger" {...explained(error)} />}
    </Dialog>
  );
}
