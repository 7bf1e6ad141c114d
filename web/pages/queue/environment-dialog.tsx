import { useState } from 'react';
import type { QueueEnvironment } from '../../../client/resources.ts';
import { Button, SubmitButton } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Notice } from '../../parts/notice.tsx';
import { counted } from '../../parts/number-text.ts';
import { useService } from '../../state/service.tsx';
import { explained } from '../../state/toasts.ts';
import { isOutdated, useOpenedVersion } from '../../state/use-opened-version.ts';
import { CodeBox } from '../submit/code-box.tsx';
import { formatOf, useEnvironmentCheck, type EnvironmentCheck } from './use-environment-check.ts';

const PLACEHOLDER = 'specificationVersion: environment-2023-09';

interface EnvironmentDialogProps {
  readonly queueId: string;
  /** Null for a new one. */
  readonly environment: QueueEnvironment | null;
  readonly onDone: (saved: QueueEnvironment) => void;
  readonly onClose: () => void;
}

/** The editor of an environment template of a queue. The server checks the text while the user types. */
export function EnvironmentDialog({ queueId, environment, onDone, onClose }: EnvironmentDialogProps) {
  const { rest } = useService();
  const [text, setText] = useState(environment?.template ?? '');
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const check = useEnvironmentCheck(queueId, environment?.id ?? null, text);
  const path = { id: queueId, environmentId: environment?.id ?? '' };
  const version = useOpenedVersion(
    environment === null
      ? null
      : (client) => client.callWithHeaders('get', '/queues/{id}/environments/{environmentId}', { path }),
  );
  const isBlank = text.trim() === '';
  const save = async (): Promise<void> => {
    if (isBusy || isBlank) return;
    setIsBusy(true);
    setError(null);
    const body = { template: text, format: formatOf(text) };
    try {
      if (environment === null) {
        const made = await rest.call('post', '/queues/{id}/environments', { path: { id: queueId }, body });
        if ('id' in made) onDone(made);
        return;
      }
      const guarded = await version.guarded();
      onDone(await guarded.call('put', '/queues/{id}/environments/{environmentId}', { path, body }));
    } catch (reason) {
      // The dialog shows what was changed; the next save replaces it.
      if (isOutdated(reason)) await version.renew();
      setError(reason);
      setIsBusy(false);
    }
  };
  return (
    <Dialog
      title={environment === null ? 'New environment' : `Environment ${environment.name}`}
      isWide
      onClose={onClose}
      onSubmit={() => void save()}
      foot={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <SubmitButton
            isBusy={isBusy}
            disabledReason={isBlank || check.errors.length > 0 ? 'Enter a template without errors.' : ''}
          >
            {environment === null ? 'Add environment' : 'Save environment'}
          </SubmitButton>
        </>
      }
    >
      <p className="muted">
        Jobs that are submitted from now on enter this environment. Jobs that have been submitted keep their
        own.
      </p>
      <CodeBox
        label="Template text"
        value={text}
        errors={check.errors}
        placeholder={PLACEHOLDER}
        onChange={(changed) => {
          setError(null);
          setText(changed);
        }}
      />
      <Verdict check={check} isBlank={isBlank} />
      {error !== null && <Notice kind="danger" {...explained(error)} />}
    </Dialog>
  );
}

function Verdict({
  check: { valid, errors, failure, isBusy },
  isBlank,
}: {
  check: EnvironmentCheck;
  isBlank: boolean;
}) {
  if (failure !== null && !isBlank) return <Notice kind="danger" {...explained(failure)} />;
  return (
    <p className="muted" role="status">
      {isBlank
        ? 'Enter an OpenJD environment template in YAML or JSON.'
        : isBusy
          ? 'Checking…'
          : errors.length > 0
            ? `${counted(errors.length, 'error')} in the template.`
            : valid === null
              ? ''
              : `Environment ${valid.name} is valid. The environments of the queue have ${counted(valid.parameters.length, 'parameter')}.`}
    </p>
  );
}
