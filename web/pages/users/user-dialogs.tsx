import { useQueryClient } from '@tanstack/react-query';
import type { User } from '../../../client/resources.ts';
import type { Rest } from '../../../client/rest.ts';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { useService } from '../../state/service.tsx';
import { toasts } from '../../state/toasts.ts';
import { UserForm } from './user-form.tsx';
import { PasswordDialog } from './password-dialog.tsx';
import { UserKeysDialog } from './user-keys-dialog.tsx';

/** The dialog that is open, with its account. */
export type OpenDialog =
  | { readonly kind: 'create' }
  | {
      readonly kind: 'edit' | 'enable' | 'disable' | 'password' | 'keys' | 'delete';
      readonly user: User;
    };

interface Question {
  readonly title: string;
  readonly action: string;
  readonly isDanger: boolean;
  readonly text: string;
  readonly done: string;
  readonly send: (rest: Rest, id: string) => Promise<unknown>;
}

const QUESTIONS: Readonly<Record<'enable' | 'disable' | 'delete', Question>> = {
  enable: {
    title: 'Enable',
    action: 'Enable user',
    isDanger: false,
    text: 'The user can sign in again, and the API keys of the account work again.',
    done: 'enabled',
    send: (rest, id) => rest.call('patch', '/users/{id}', { path: { id }, body: { disabled: false } }),
  },
  disable: {
    title: 'Disable',
    action: 'Disable user',
    isDanger: true,
    text: 'Ends all sessions of the account. Its API keys are refused until it is enabled again. Its jobs continue.',
    done: 'disabled',
    send: (rest, id) => rest.call('patch', '/users/{id}', { path: { id }, body: { disabled: true } }),
  },
  delete: {
    title: 'Delete',
    action: 'Delete user',
    isDanger: true,
    text: 'Deletes the account, its sessions and its API keys. Its jobs stay. You cannot undo this.',
    done: 'deleted',
    send: (rest, id) => rest.call('delete', '/users/{id}', { path: { id } }),
  },
};

/** Shows the dialog that is open; null for none. `users` are all accounts. */
export function UserDialogs({
  open,
  users,
  onClose,
}: {
  open: OpenDialog | null;
  users: readonly User[];
  onClose: () => void;
}) {
  const { rest } = useService();
  const client = useQueryClient();
  const refresh = async (): Promise<void> => {
    await client.invalidateQueries({ queryKey: ['users'] });
    // The change may concern the user of the page.
    await client.invalidateQueries({ queryKey: ['principal'] });
  };
  const done = (text: string): void => {
    toasts.done(text);
    onClose();
    void refresh();
  };
  if (open === null) return null;
  switch (open.kind) {
    case 'create':
      return <UserForm user={null} users={users} onDone={done} onClose={onClose} />;
    case 'edit':
      return <UserForm user={open.user} users={users} onDone={done} onClose={onClose} />;
    case 'password':
      return <PasswordDialog user={open.user} onDone={done} onClose={onClose} />;
    case 'keys':
      return <UserKeysDialog user={open.user} onClose={onClose} />;
    default: {
      const { title, action, isDanger, text, done: word, send } = QUESTIONS[open.kind];
      const { id, username } = open.user;
      return (
        <ConfirmDialog
          title={`${title} user ${username}?`}
          action={action}
          isDanger={isDanger}
          onClose={onClose}
          onConfirm={async () => {
            await send(rest, id);
            toasts.done(`User ${username} ${word}`);
            await refresh();
          }}
        >
          <p>{text}</p>
        </ConfirmDialog>
      );
    }
  }
}
