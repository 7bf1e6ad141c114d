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
  /** Returns why a control is disabled, or an empty text. */
  readonly why: (permission: Permission) => string;
}

const READS = /\.read(\.all)?$/;

/** Returns the permissions that apply in this browser. Read-only mode withholds all that change the farm. */
export function permissionsOf(granted: readonly string[], isReadOnly: boolean): Permissions {
  const why = (permission: Permission): string => {
    if (!granted.includes(permission)) return `You lack the permission ${permission}.`;
    return isReadOnly && !READS.test(permission) ? 'Read-only mode. Turn it off in Settings.' : '';
  };
  return { can: (permission) => why(permission) === '', why };
}
