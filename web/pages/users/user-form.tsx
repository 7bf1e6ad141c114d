import { useState } from 'react';
import { ProblemError } from '../../../client/problem.ts';
import type { Role, User } from '../../../client/resources.ts';
import { Button, SubmitButton } from '../../parts/button.tsx';
import { ConflictNotice } from '../../parts/conflict-notice.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Notice } from '../../parts/notice.tsx';
import { useService } from '../../state/service.tsx';
import { conflictAnswers, isOutdated, useOpenedVersion } from '../../state/use-opened-version.ts';
import { explained } from '../../state/toasts.ts';
import { newPasswordError } from '../account/password-form.ts';
import { isRole, ROLE_CHOICES } from '../account/role-texts.ts';
import { NewPasswordField, usePasswordMin } from './new-password-field.tsx';
import { lastAdminReason } from './user-model.ts';

interface UserFormProps {
  /** Null for a new one. */
  readonly user: User | null;
  readonly users: readonly User[];
  /** Called with what was done. */
  readonly onDone: (text: string) => void;
  readonly onClose: () => void;
}

/** The form that creates a local account, or changes the name and role of any account. */
export function UserForm(props: UserFormProps) {
  const { user, users, onClose } = props;
  const { values, change, errorOf, error, isBusy, save, overwrite, takeOver } = useUserForm(props);
  const kept = user === null ? '' : lastAdminReason(users, user);
  return (
    <Dialog
      title={user === null ? 'New user' : `Edit user ${user.username}`}
      onClose={onClose}
      onSubmit={() => void save()}
      foot={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <SubmitButton isBusy={isBusy}>{user === null ? 'Create user' : 'Save user'}</SubmitButton>
        </>
      }
    >
      {isOutdated(error) ? (
        <ConflictNotice
          problem={error}
          labelOf={(name) => LABELS[name] ?? name}
          onOverwrite={() => void overwrite()}
          onTakeOver={() => void takeOver()}
        />
      ) : (
        error !== null && <Notice kind="danger" {...explained(error)} />
      )}
      {user === null && (
        <TextField
          label="User name"
          isRequired
          value={values.username}
          error={errorOf('username')}
          hint="Upper and lower case are the same. It cannot be changed later."
          onChange={(username) => change({ username })}
        />
      )}
      <TextField
        label="Display name"
        value={values.displayName}
        error={errorOf('display_name')}
        onChange={(displayName) => change({ displayName })}
      />
      <SelectField
        label="Role"
        value={values.role}
        choices={ROLE_CHOICES}
        isOff={kept !== ''}
        {...(kept !== '' && { hint: kept })}
        error={errorOf('role')}
        onChange={(role) => change(isRole(role) ? { role } : {})}
      />
      {user === null && (
        <NewPasswordField
          value={values.password}
          error={errorOf('password')}
          onChange={(password) => change({ password })}
        />
      )}
    </Dialog>
  );
}

/** Labels of what another user may change meanwhile. */
const LABELS: Readonly<Record<string, string>> = {
  display_name: 'Display name',
  role: 'Role',
  disabled: 'Disabled',
};

interface Values {
  readonly username: string;
  readonly displayName: string;
  readonly role: Role;
  readonly password: string;
}

/** Names of the fields in the requests. */
type Field = 'username' | 'display_name' | 'role' | 'password';

function useUserForm({ user, onDone }: UserFormProps) {
  const { rest } = useService();
  const min = usePasswordMin();
  const [values, setValues] = useState<Values>({
    username: '',
    displayName: user?.display_name ?? '',
    role: user?.role ?? 'user',
    password: '',
  });
  const version = useOpenedVersion(
    user === null
      ? null
      : (client) => client.callWithHeaders('get', '/users/{id}', { path: { id: user.id } }),
  );
  const [isTried, setIsTried] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const own: Readonly<Partial<Record<Field, string>>> =
    user === null
      ? {
          username: values.username.trim() === '' ? 'Enter a user name.' : '',
          password: newPasswordError(values.password, min),
        }
      : {};
  const refused = (name: Field): string =>
    (error instanceof ProblemError && !isOutdated(error) ? error.errors : []).find(
      ({ pointer }) => pointer === `/${name}`,
    )?.detail ?? '';
  const isInvalid = Object.values(own).some((text) => text !== '');

  const send = async (): Promise<string> => {
    const { displayName, role, password } = values;
    const body = { display_name: displayName.trim(), role };
    if (user !== null) {
      const client = await version.guarded();
      await client.call('patch', '/users/{id}', { path: { id: user.id }, body });
      return `User ${user.username} saved`;
    }
    const username = values.username.trim();
    await rest.call('post', '/users', { body: { ...body, username, password } });
    return `User ${username} created`;
  };
  const save = async (): Promise<void> => {
    setIsTried(true);
    if (isBusy || isInvalid) return;
    setIsBusy(true);
    setError(null);
    try {
      onDone(await send());
    } catch (reason) {
      setError(reason);
      setIsBusy(false);
    }
  };
  const fields: readonly Field[] = ['username', 'display_name', 'role', 'password'];
  return {
    values,
    change: (by: Partial<Values>): void => setValues({ ...values, ...by }),
    errorOf: (name: Field): string => refused(name) || (isTried ? (own[name] ?? '') : ''),
    /** The error of the last request, if it concerns no field; null for none. */
    error: fields.some((name) => refused(name) !== '') ? null : error,
    isBusy,
    save,
    ...conflictAnswers(version, {
      save,
      take: (now) => {
        setValues({ ...values, displayName: now.display_name, role: now.role });
        setError(null);
      },
      failed: setError,
    }),
  };
}
