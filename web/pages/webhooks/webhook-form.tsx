import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ProblemError } from '../../../client/problem.ts';
import type { NewWebhook, Webhook } from '../../../client/resources.ts';
import { Button, SubmitButton } from '../../parts/button.tsx';
import { ConflictNotice } from '../../parts/conflict-notice.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { CheckField, SelectField, TextField } from '../../parts/field.tsx';
import { Notice } from '../../parts/notice.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { conflictAnswers, isOutdated, useOpenedVersion } from '../../state/use-opened-version.ts';
import { explained } from '../../state/toasts.ts';
import { EventsField } from './events-field.tsx';
import { draftOf, draftProblems, refusals, webhookInput, type WebhookDraft } from './webhook-model.ts';

interface WebhookFormProps {
  /** Null for a new one. */
  readonly webhook: Webhook | null;
  /** Name of a user who can be notified of its own jobs only; empty for another one. */
  readonly ownOwner: string;
  readonly onCreated: (webhook: NewWebhook) => void;
  readonly onSaved: (name: string) => void;
  readonly onClose: () => void;
}

/** The form that creates or changes a webhook. */
export function WebhookForm(props: WebhookFormProps) {
  const { webhook, ownOwner, onClose } = props;
  const { rest } = useService();
  const formats = useQuery(queries.webhookFormats(rest)).data ?? [];
  const { draft, change, problemAt, error, isBusy, save, overwrite, takeOver } = useWebhookForm(props);
  return (
    <Dialog
      title={webhook === null ? 'New webhook' : `Edit webhook ${webhook.name}`}
      onClose={onClose}
      onSubmit={() => void save()}
      foot={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <SubmitButton isBusy={isBusy}>{webhook === null ? 'Create webhook' : 'Save webhook'}</SubmitButton>
        </>
      }
    >
      {isOutdated(error) ? (
        <ConflictNotice
          problem={error}
          labelOf={(name) => name}
          onOverwrite={() => void overwrite()}
          onTakeOver={() => void takeOver()}
        />
      ) : (
        error !== null && <Notice kind="danger" {...explained(error)} />
      )}
      <TextField
        label="Name"
        isRequired
        value={draft.name}
        error={problemAt('name')}
        onChange={(name) => change({ name })}
      />
      <TextField
        label="URL"
        isMono
        isRequired={webhook === null}
        value={draft.url}
        placeholder={webhook === null ? 'https://' : `${webhook.endpoint}/…`}
        error={problemAt('url')}
        hint={
          webhook === null
            ? 'It is not shown again, because it often contains a secret.'
            : 'Leave it empty to keep the present one.'
        }
        onChange={(url) => change({ url })}
      />
      <SelectField
        label="Format"
        value={draft.format}
        choices={formats.map(({ name, title }) => ({ value: name, label: title }))}
        error={problemAt('format')}
        hint="Callsheet event is JSON for programs; the others are messages for chat services."
        onChange={(format) => change({ format })}
      />
      <EventsField
        events={draft.events}
        error={problemAt('events')}
        onChange={(events) => change({ events })}
      />
      <FilterFields draft={draft} ownOwner={ownOwner} problemAt={problemAt} onChange={change} />
      <CheckField
        label="Enabled"
        hint="A disabled webhook queues no events; deliveries that wait are sent when it is enabled again in time."
        isChecked={draft.enabled}
        onChange={(enabled) => change({ enabled })}
      />
    </Dialog>
  );
}

function FilterFields({
  draft,
  ownOwner,
  problemAt,
  onChange,
}: {
  draft: WebhookDraft;
  ownOwner: string;
  problemAt: (member: string) => string;
  onChange: (inputs: Partial<WebhookDraft>) => void;
}) {
  const { rest } = useService();
  const farms = useQuery(queries.farms(rest)).data ?? [];
  const queues = useQuery(queries.queues(rest)).data ?? [];
  return (
    <>
      <SelectField
        label="Farm"
        value={draft.farm}
        choices={farms.map(({ id, name }) => ({ value: id, label: name }))}
        none="All farms"
        error={problemAt('farm_id')}
        onChange={(farm) => onChange({ farm, queue: '' })}
      />
      <SelectField
        label="Queue"
        value={draft.queue}
        choices={queues
          .filter(({ farm_id: farm }) => farm === draft.farm)
          .map(({ id, name }) => ({ value: id, label: name }))}
        none="All queues"
        isOff={draft.farm === ''}
        error={problemAt('queue_id')}
        hint={draft.farm === '' ? 'Select a farm first.' : 'A queue restricts the webhook to events of jobs.'}
        onChange={(queue) => onChange({ queue })}
      />
      <TextField
        label="Owner"
        value={draft.owner}
        error={problemAt('owner')}
        isReadOnly={ownOwner !== ''}
        hint={
          ownOwner === ''
            ? 'Only jobs of this user; empty for all. An owner restricts the webhook to events of jobs.'
            : 'You can be notified of your own jobs.'
        }
        onChange={(owner) => onChange({ owner })}
      />
    </>
  );
}

/** Holds the inputs of the form and sends them. */
function useWebhookForm({ webhook, ownOwner, onCreated, onSaved }: WebhookFormProps) {
  const { rest } = useService();
  const [draft, setDraft] = useState(() => draftOf(webhook, ownOwner));
  const version = useOpenedVersion(
    webhook === null
      ? null
      : (client) => client.callWithHeaders('get', '/webhooks/{id}', { path: { id: webhook.id } }),
  );
  const [isTried, setIsTried] = useState(false);
  const [refused, setRefused] = useState<ReadonlyMap<string, string>>(new Map());
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);
  const problems = draftProblems(draft, webhook === null);
  const send = async (): Promise<void> => {
    const body = webhookInput(draft);
    const { url = '' } = body;
    if (webhook === null) onCreated(await rest.call('post', '/webhooks', { body: { ...body, url } }));
    else {
      const client = await version.guarded();
      await client.call('put', '/webhooks/{id}', { path: { id: webhook.id }, body });
      onSaved(body.name);
    }
  };
  const save = async (): Promise<void> => {
    setIsTried(true);
    if (isBusy || problems.size > 0) return;
    setIsBusy(true);
    setError(null);
    setRefused(new Map());
    try {
      await send();
    } catch (reason) {
      const isRefused = reason instanceof ProblemError && !isOutdated(reason);
      const found = isRefused ? refusals(reason.errors) : new Map<string, string>();
      setRefused(found);
      setError(found.size > 0 && !found.has('') ? null : reason);
      setIsBusy(false);
    }
  };
  return {
    draft,
    change: (inputs: Partial<WebhookDraft>): void => {
      setDraft({ ...draft, ...inputs });
      setRefused(new Map());
    },
    problemAt: (member: string): string =>
      refused.get(member) ?? (isTried ? (problems.get(member) ?? '') : ''),
    error,
    isBusy,
    save,
    ...conflictAnswers(version, {
      save,
      take: (now) => {
        setDraft(draftOf(now, ownOwner));
        setError(null);
      },
      failed: setError,
    }),
  };
}
