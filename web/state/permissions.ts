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
  /** Whether the user may; false until the service has said so. */
  readonly can: (permission: Permission) => boolean;
  /** Why a control is off, or empty when it is not. */
  readonly why: (permission: Permission) => string;
}

const READS = /\.read(\.all)?$/;

/** What of `granted` may be used in a browser; in one that is set to read only, nothing that changes the farm. */
export function permissionsOf(granted: readonly string[], isReadOnly: boolean): Permissions {
  const why = (permission: Permission): string => {
    if (!granted.includes(permission)) return `You lack the permission ${permission}.`;
    return isReadOnly && !READS.test(permission) ? 'This browser is set to read only: Settings.' : '';
  };
  return { can: (permission) => why(permission) === '', why };
}
