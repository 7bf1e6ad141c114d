import type { Principal } from '../guards/principal.ts';
import type { Schemas } from '../views/schemas.ts';
import { problem, type Handler } from './operation.ts';

/** docs/contract/rest.md#authentication-routes while authentication is off: only the anonymous principal exists. */
const OFF = 'authentication is off: there is no account to change';

export const getMe: Handler<'getMe'> = ({ principal }) => ({
  kind: 'json',
  status: 200,
  body: principalView(principal),
});

export const updateMe: Handler<'updateMe'> = () => problem('conflict', OFF);

export const changePassword: Handler<'changePassword'> = () => problem('conflict', OFF);

export const listProviders: Handler<'listProviders'> = () => ({
  kind: 'json',
  status: 200,
  body: { local: true, ldap: false, oidc: false, auth_enabled: false },
});

const principalView = (principal: Principal): Schemas['Principal'] => ({
  subject: principal.subject,
  username: principal.username,
  display_name: principal.displayName,
  roles: [principal.role],
  permissions: principal.permissions,
  kind: principal.kind,
});
