import { SETTINGS } from '../../src/core/records/settings-version.ts';
import { ifMatchOf } from './if-match.ts';
import { askAccounts } from '../accounts/ask-accounts.ts';
import { keys } from '../../src/core/records/tables.ts';
import type { UserRecord } from '../../src/core/records/user.ts';
import type { Ports } from '../ports.ts';
import { sortedBy } from '../views/page-view.ts';
import { userView } from '../views/user-view.ts';
import { newPasswordFault, TOO_MANY_PASSWORDS } from './auth.ts';
import { created, deleted, okOrNotFound, replaced } from './catalog-replies.ts';
import { invalid, NO_CONTENT, notFound, type Handler } from './operation.ts';

/** docs/contract/rest.md#users */

export const listUsers: Handler<'listUsers'> = (_call, ports) => {
  const users = [...ports.store.scan('user')].map((row) => row.value);
  const sorted = sortedBy(users, (user) => user.username, 'asc');
  return { kind: 'json', status: 200, body: sorted.map(userView) };
};

export const getUser: Handler<'getUser'> = ({ path }, ports) =>
  okOrNotFound('user', path.id, storedUser(ports, path.id), userView, SETTINGS.user);

export const createUser: Handler<'createUser'> = async ({ body }, ports) => {
  const fault = newPasswordFault(ports, body.password);
  if (fault !== null) return invalid('/password', fault);
  const hashed = await ports.passwords.hash(body.password);
  if (!hashed.ok) return TOO_MANY_PASSWORDS;
  const outcome = await askAccounts<UserRecord>(ports, (replyTo) => ({
    type: 'user.create',
    input: {
      username: body.username,
      displayName: body.display_name ?? '',
      role: body.role ?? 'user',
      passwordHash: hashed.value,
    },
    replyTo,
  }));
  return created('/api/v1/users', outcome, userView);
};

export const updateUser: Handler<'updateUser'> = async ({ path, body, headers }, ports) => {
  if (storedUser(ports, path.id) === undefined) return notFound('user', path.id);
  const outcome = await askAccounts<UserRecord>(ports, (replyTo) => ({
    type: 'user.update',
    userId: path.id,
    changes: { displayName: body.display_name, role: body.role, disabled: body.disabled },
    ...ifMatchOf({ headers }),
    replyTo,
  }));
  return replaced(outcome, userView, SETTINGS.user);
};

export const setUserPassword: Handler<'setUserPassword'> = async ({ path, body }, ports) => {
  if (storedUser(ports, path.id) === undefined) return notFound('user', path.id);
  const fault = newPasswordFault(ports, body.password);
  if (fault !== null) return invalid('/password', fault);
  const hashed = await ports.passwords.hash(body.password);
  if (!hashed.ok) return TOO_MANY_PASSWORDS;
  const outcome = await askAccounts<UserRecord>(ports, (replyTo) => ({
    type: 'user.set-password',
    userId: path.id,
    passwordHash: hashed.value,
    expectedHash: null,
    session: null,
    replyTo,
  }));
  return outcome.ok ? NO_CONTENT : { kind: 'problem', problem: outcome.problem };
};

export const deleteUser: Handler<'deleteUser'> = async ({ path, headers }, ports) => {
  if (storedUser(ports, path.id) === undefined) return notFound('user', path.id);
  const outcome = await askAccounts<null>(ports, (replyTo) => ({
    type: 'user.delete',
    userId: path.id,
    ...ifMatchOf({ headers }),
    replyTo,
  }));
  return deleted(outcome);
};

/** Returns the account of an id; undefined if there is none. */
export const storedUser = ({ store }: Pick<Ports, 'store'>, id: string): UserRecord | undefined =>
  store.get('user', keys.user(id));
