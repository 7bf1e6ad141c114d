import { Pencil } from 'lucide-react';
import { useState } from 'react';
import type { JobDetail } from '../../../client/resources.ts';
import { IconButton } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { localOfUtc, utcOfLocal } from '../../parts/local-time.ts';
import { Until } from '../../parts/time.tsx';
import { toasts } from '../../state/toasts.ts';
import { useOpenedVersion } from '../../state/use-opened-version.ts';
import { usePermissions } from '../../state/use-permissions.ts';
import './editable-number.css';

interface StartTimeProps {
  readonly job: JobDetail;
  readonly onChanged: () => void;
}

const timeText = (iso: string): string => new Date(iso).toLocaleString('en', { hour12: false });

/** The time before which no task of the job starts, with a button to set or remove it. */
export function StartTime({ job, onChanged }: StartTimeProps) {
  const { why } = usePermissions();
  const [isOpen, setIsOpen] = useState(false);
  const hasEnded = ['completed', 'failed', 'canceled'].includes(job.status);
  return (
    <span className="editable-number">
      <span>{job.start_after === undefined ? 'at once' : <Until iso={job.start_after} />}</span>
      <IconButton
        label="Change start time"
        icon={<Pencil aria-hidden="true" />}
        size="small"
        disabledReason={why('jobs.write') || (hasEnded ? 'The job has ended.' : '')}
        onPress={() => setIsOpen(true)}
      />
      {isOpen && <StartDialog job={job} onChanged={onChanged} onClose={() => setIsOpen(false)} />}
    </span>
  );
}

function StartDialog({ job, onChanged, onClose }: StartTimeProps & { readonly onClose: () => void }) {
  const version = useOpenedVersion((client) =>
    client.callWithHeaders('get', '/jobs/{id}', { path: { id: job.id } }),
  );
  const [text, setText] = useState(job.start_after === undefined ? '' : localOfUtc(job.start_after));
  const time = utcOfLocal(text);
  return (
    <ConfirmDialog
      title={`When may ${job.name} start?`}
      action={time === null ? 'Start at once' : 'Set start time'}
      isDanger={false}
      onClose={onClose}
      onConfirm={async () => {
        const request = { path: { id: job.id }, body: { start_after: time } };
        await version.change(['start_after'], (client) => client.call('patch', '/jobs/{id}', request));
        toasts.done(time === null ? 'Start time removed' : `The job starts after ${timeText(time)}`);
        onChanged();
      }}
    >
      <p>No task starts before this time. Running tasks continue.</p>
      <TextField
        type="datetime-local"
        label="Start after"
        value={text}
        onChange={setText}
        hint="In your time zone. Empty: at once."
      />
    </ConfirmDialog>
  );
}
