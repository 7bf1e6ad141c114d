import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Principal } from '../../../client/resources.ts';
import { SubmitButton } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Notice } from '../../parts/notice.tsx';
import { Panel } from '../../parts/panel.tsx';
import { READ_ONLY_MODE } from '../../state/permissions.ts';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { explained, toasts } from '../../state/toasts.ts';
import { usePermissions, useReadOnly } from '../../state/use-permissions.ts';
import {
  EMPTY_PASSWORD_FORM,
  passwordErrors,
  refusedPassword,
  type PasswordErrors,
  type PasswordForm,
} from './password-form.ts';

/** Changes the password of a local account. Other accounts have none here. */
export function PasswordPanel({ principal }: { principal: Principal }) {
  const { auth_source: source, username } = principal;
  if (source === 'local') return <ChangePassword username={username} />;
  return (
    <Panel title="Password">
      <p className="muted">
        {source === 'ldap'
          ? 'Your password is kept in the directory. Change it there.'
          : 'You sign in with SSO: your password is kept at the provider. Change it there.'}
      </p>
    </Panel>
  );
}

function ChangePassword({ username }: { username: string }) {
  const { form, change, errors, error, isBusy, min, save } = usePasswordForm();
  const [isReadOnly] = useReadOnly();
  return (
    <Panel title="Password">
      <form
        className="stack"
        method="post"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        {error !== null && <Notice kind="danger" {...explained(error)} />}
        {/* Tells password managers which password to replace. */}
        <input
          className="visually-hidden"
          type="text"
          autoComplete="username"
          tabIndex={-1}
          aria-hidden="true"
          readOnly
          value={username}
        />
        <TextField
          label="Current password"
          type="password"
          autoComplete="current-password"
          value={form.current}
          error={errors.current ?? ''}
          onChange={(current) => change({ current })}
        />
        <TextField
          label="New password"
          type="password"
          autoComplete="new-password"
          value={form.next}
          hint={min === null ? 'Any characters.' : `At least ${min} characters, of any kind.`}
          error={errors.next ?? ''}
          onChange={(next) => change({ next })}
        />
        <TextField
          label="New password again"
          type="password"
          autoComplete="new-password"
          value={form.again}
          error={errors.again ?? ''}
          onChange={(again) => change({ again })}
        />
        <p className="muted">Ends your sessions in all other browsers. API keys remain valid.</p>
        <div>
          <SubmitButton isBusy={isBusy} disabledReason={isReadOnly ? READ_ONLY_MODE : ''}>
            Change password
          </SubmitButton>
        </div>
      </form>
    </Panel>
  );
}

interface PasswordModel {
  readonly form: PasswordForm;
  readonly change: (change: Partial<PasswordForm>) => void;
  readonly errors: PasswordErrors;
  /** The error of the last request, if it concerns no field; null for none. */
  readonly error: unknown;
  readonly isBusy: boolean;
  /** Minimum number of characters; null until it is known. */
  readonly min: number | null;
  readonly save: () => Promise<void>;
}

function usePasswordForm(): PasswordModel {
  const { rest } = useService();
  const { has } = usePermissions();
  const settings = useQuery({ ...queries.settings(rest), enabled: has('infra.read') }).data;
  const min = settings?.auth.password_length_min ?? null;
  const [form, setForm] = useState(EMPTY_PASSWORD_FORM);
  const [errors, setErrors] = useState<PasswordErrors>({});
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);
  const save = async (): Promise<void> => {
    const found = passwordErrors(form, min);
    setErrors(found);
    setError(null);
    if (Object.keys(found).length > 0) return;
    setIsBusy(true);
    try {
      const body = { current_password: form.current, new_password: form.next };
      await rest.call('put', '/auth/password', { body });
      setForm(EMPTY_PASSWORD_FORM);
      toasts.done('Password changed', 'Your other sessions have ended.');
    } catch (reason) {
      const refused = refusedPassword(reason);
      setErrors(refused ?? {});
      setError(refused === null ? reason : null);
    }
    setIsBusy(false);
  };
  const change = (by: Partial<PasswordForm>): void => {
    setForm({ ...form, ...by });
    const changed = Object.keys(by);
    setErrors(Object.fromEntries(Object.entries(errors).filter(([name]) => !changed.includes(name))));
  };
  return { form, change, errors, error, isBusy, min, save };
}
