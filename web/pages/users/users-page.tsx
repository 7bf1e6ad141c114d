import { useQuery } from '@tanstack/react-query';
import { KeyRound, LockKeyhole, Pencil, Plus, Trash2, UserCheck, Users, UserX } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { User } from '../../../client/resources.ts';
import { Button } from '../../parts/button.tsx';
import { rowsOf, type Column } from '../../parts/data-table/column.ts';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import type { ActionItem } from '../../parts/menu.tsx';
import { Page } from '../../parts/page.tsx';
import { SearchBox } from '../../parts/search-box.tsx';
import { Ago } from '../../parts/time.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { usePermissions } from '../../state/use-permissions.ts';
import { choiceField, textField, useUrlState } from '../../state/use-url-state.ts';
import { UserDialogs, type OpenDialog } from './user-dialogs.tsx';
import { lastAdminReason, passwordReason, shownUsers } from './user-model.ts';

const VIEW = { search: textField(), sort: textField('username'), dir: choiceField(['asc', 'desc'], 'asc') };

const COLUMNS: readonly Column<User>[] = [
  {
    id: 'username',
    header: 'User name',
    cell: ({ username }) => username,
    sortKey: 'username',
    isFixed: true,
    size: 180,
    card: 'title',
  },
  {
    id: 'display_name',
    header: 'Display name',
    cell: ({ display_name: name }) => name,
    sortKey: 'display_name',
    grow: true,
    size: 200,
    card: 'line',
  },
  { id: 'role', header: 'Role', cell: ({ role }) => role, sortKey: 'role', size: 110 },
  {
    id: 'state',
    header: 'State',
    cell: ({ disabled }) => (disabled ? <strong>disabled</strong> : <span className="muted">enabled</span>),
    sortKey: 'disabled',
    size: 110,
  },
  {
    id: 'auth_source',
    header: 'Signs in with',
    cell: ({ auth_source: source }) => ({ local: 'password', ldap: 'LDAP', oidc: 'SSO' })[source],
    sortKey: 'auth_source',
    size: 130,
  },
  {
    id: 'created_at',
    header: 'Created',
    cell: (user) => <Ago iso={user.created_at} />,
    sortKey: 'created_at',
    size: 120,
  },
  {
    id: 'updated_at',
    header: 'Changed',
    cell: (user) => <Ago iso={user.updated_at} />,
    sortKey: 'updated_at',
    size: 120,
    hiddenAtFirst: true,
  },
];

/** The accounts, for administrators. */
export function UsersPage() {
  const { rest } = useService();
  const { why } = usePermissions();
  const [view, setView] = useUrlState(VIEW);
  const { data: users, isFetching, error, refetch } = useQuery(queries.users(rest));
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const { search, sort, dir } = view;
  const shown = useMemo(
    () => users && shownUsers(users, search, { key: sort, dir }),
    [users, search, sort, dir],
  );
  const actions = useUserActions(users ?? [], setOpen);
  return (
    <Page
      title="Users"
      isFull
      actions={
        <Button
          look="primary"
          icon={<Plus aria-hidden="true" />}
          disabledReason={why('users.manage')}
          onPress={() => setOpen({ kind: 'create' })}
        >
          New user
        </Button>
      }
    >
      <p className="muted">
        Accounts with a password are created here. Accounts of a directory or of SSO appear at their first
        sign-in.
      </p>
      <DataTable
        id="users"
        label="Users"
        columns={COLUMNS}
        rows={rowsOf(shown, { isFetching, error, retry: () => void refetch() })}
        rowId={({ id }) => id}
        rowName={({ username }) => username}
        sort={{ key: sort, dir }}
        onSort={({ key, dir: direction }) => setView({ sort: key, dir: direction }, { replace: true })}
        onOpen={(user) => {
          if (why('users.manage') === '') setOpen({ kind: 'edit', user });
        }}
        actions={actions}
        isFilling
        toolbar={
          <SearchBox
            value={search}
            onChange={(text) => setView({ search: text }, { replace: true })}
            label="Search users"
          />
        }
        empty={
          search === '' ? (
            <EmptyState title="There are no users" icon={Users}>
              Create the first account with “New user”. Accounts count only while authentication is on
              (auth.enabled).
            </EmptyState>
          ) : (
            <EmptyState
              title="No matching users"
              icon={Users}
              actions={<Button onPress={() => setView({ search: '' })}>Clear search</Button>}
            />
          )
        }
      />
      <UserDialogs open={open} users={users ?? []} onClose={() => setOpen(null)} />
    </Page>
  );
}

/** Returns a function that makes the menu of an account. */
function useUserActions(
  users: readonly User[],
  open: (dialog: OpenDialog) => void,
): (user: User) => readonly ActionItem[] {
  const { why } = usePermissions();
  const forbidden = why('users.manage');
  return (user) => {
    const kept = forbidden || lastAdminReason(users, user);
    return [
      {
        id: 'edit',
        label: 'Edit…',
        icon: <Pencil aria-hidden="true" />,
        disabledReason: forbidden,
        act: () => open({ kind: 'edit', user }),
      },
      user.disabled
        ? {
            id: 'enable',
            label: 'Enable…',
            icon: <UserCheck aria-hidden="true" />,
            disabledReason: forbidden,
            act: () => open({ kind: 'enable', user }),
          }
        : {
            id: 'disable',
            label: 'Disable…',
            icon: <UserX aria-hidden="true" />,
            disabledReason: kept,
            act: () => open({ kind: 'disable', user }),
          },
      {
        id: 'password',
        label: 'Reset password…',
        icon: <LockKeyhole aria-hidden="true" />,
        disabledReason: forbidden || passwordReason(user),
        act: () => open({ kind: 'password', user }),
      },
      {
        id: 'keys',
        label: 'API keys…',
        icon: <KeyRound aria-hidden="true" />,
        act: () => open({ kind: 'keys', user }),
      },
      {
        id: 'delete',
        label: 'Delete…',
        icon: <Trash2 aria-hidden="true" />,
        isDanger: true,
        startsGroup: true,
        disabledReason: kept,
        act: () => open({ kind: 'delete', user }),
      },
    ];
  };
}
