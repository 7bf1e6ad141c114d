/** A permission of docs/contract/authentication.md#roles-and-permissions. */
export type Permission =
  | 'jobs.read'
  | 'jobs.read.all'
  | 'jobs.write'
  | 'jobs.submit_as'
  | 'workers.read'
  | 'workers.manage'
  | 'infra.read'
  | 'infra.manage'
  | 'products.read'
  | 'products.manage'
  | 'diagnostics.read'
  | 'users.read'
  | 'users.manage'
  | 'apikeys.self'
  | 'apikeys.admin'
  | 'isolation.manage';

export interface Permissions {
  /** Reports whether the user has the permission; false until the permissions are loaded. */
  readonly can: (permission: Permission) => boolean;
  /** Reports whether the role has the permission, also in read-only mode. */
  readonly has: (permission: Permission) => boolean;
  /** Returns why a control is disabled, or an empty text. */
  readonly why: (permission: Permission) => string;
}

/** Why a control is disabled in read-only mode. */
export const READ_ONLY_MODE = 'Read-only mode. Turn it off in Settings.';

const READS = /\.read(\.all)?$/;

/** Returns the permissions that apply in this browser. Read-only mode withholds all that change the farm. */
export function permissionsOf(granted: readonly string[], isReadOnly: boolean): Permissions {
  const why = (permission: Permission): string => {
    if (!granted.includes(permission)) return `You lack the permission ${permission}.`;
    return isReadOnly && !READS.test(permission) ? READ_ONLY_MODE : '';
  };
  return {
    can: (permission) => why(permission) === '',
    has: (permission) => granted.includes(permission),
    why,
  };
}
