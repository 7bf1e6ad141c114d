import { useState } from 'react';
import { ProblemError } from '../../../client/problem.ts';
import type { NewApiKey } from '../../../client/resources.ts';
import { Button, SubmitButton } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Notice } from '../../parts/notice.tsx';
import { useService } from '../../state/service.tsx';
import { useNow } from '../../state/use-now.ts';
import { explained } from '../../state/toasts.ts';
import { EXPIRIES, expiresAt, isExpiry, type Expiry } from './key-expiry.ts';
import './account-page.css';

/** Creates an API key, and shows its secret once. */
export function NewKeyDialog({ onCreated, onClose }: { onCreated: () => void; onClose: () => void }) {
  const [created, setCreated] = useState<NewApiKey | null>(null);
  if (created !== null) return <Secret created={created} onClose={onClose} />;
  return (
    <KeyForm
      onClose={onClose}
      onCreated={(key) => {
        setCreated(key);
        onCreated();
      }}
    />
  );
}

function KeyForm({ onCreated, onClose }: { onCreated: (key: NewApiKey) => void; onClose: () => void }) {
  const { rest } = useService();
  const [name, setName] = useState('');
  const [expiry, setExpiry] = useState<Expiry>('90');
  const [date, setDate] = useState('');
  const [isTried, setIsTried] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);
  const refused = (pointer: string): string =>
    (error instanceof ProblemError ? error.errors : []).find((one) => one.pointer === pointer)?.detail ?? '';
  const nameError = isTried && name.trim() === '' ? 'Enter a name.' : refused('/name');
  const end = expiresAt(expiry, date, useNow('half-minute'));
  const dateError = isTried && end === undefined ? 'Choose today or a later day.' : refused('/expires_at');
  const create = async (): Promise<void> => {
    setIsTried(true);
    if (isBusy || name.trim() === '' || end === undefined) return;
    setIsBusy(true);
    setError(null);
    try {
      onCreated(await rest.call('post', '/api-keys', { body: { name: name.trim(), expires_at: end } }));
    } catch (reason) {
      setError(reason);
      setIsBusy(false);
    }
  };
  return (
    <Dialog
      title="New API key"
      onClose={onClose}
      onSubmit={() => void create()}
      foot={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <SubmitButton isBusy={isBusy}>Create key</SubmitButton>
        </>
      }
    >
      {error !== null && nameError === '' && dateError === '' && (
        <Notice kind="danger" {...explained(error)} />
      )}
      <TextField
        label="Name"
        isRequired
        value={name}
        error={nameError}
        hint="The program or the machine that uses the key."
        onChange={setName}
      />
      <SelectField
        label="Expires"
        value={expiry}
        choices={EXPIRIES}
        onChange={(text) => setExpiry(isExpiry(text) ? text : '90')}
      />
      {expiry === 'date' && (
        <TextField
          label="Last day"
          type="date"
          isRequired
          value={date}
          error={dateError}
          onChange={setDate}
        />
      )}
      {expiry === 'never' && (
        <Notice kind="warning" detail="A key that never expires is valid until it is revoked." />
      )}
    </Dialog>
  );
}

function Secret({ created: { name, secret }, onClose }: { created: NewApiKey; onClose: () => void }) {
  return (
    <Dialog
      title={`Key ${name}`}
      onClose={onClose}
      foot={
        <>
          {/* First, so that it has the focus: Enter must not close the dialog. */}
          <CopyButton text={secret} label="Copy the key">
            Copy key
          </CopyButton>
          <Button onPress={onClose}>Done</Button>
        </>
      }
    >
      <Notice
        kind="warning"
        title="Copy the key now"
        detail="It is shown only this once. The server keeps no copy that could be read."
      />
      <code className="account__secret" tabIndex={0}>
        {secret}
      </code>
      <p className="muted">
        Programs send it in the header <code>Authorization: Bearer KEY</code>. Keep it secret.
      </p>
    </Dialog>
  );
}
