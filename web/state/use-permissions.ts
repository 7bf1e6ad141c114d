import { useQuery } from '@tanstack/react-query';
import { queries } from './queries.ts';
import { useService } from './service.tsx';

/** A permission of interface.md, "Roles and permissions". */
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

/** What the user may do: pages leave out, or turn off with the reason, what is not allowed. */
export function usePermissions(): Permissions {
  const { rest } = useService();
  const { data } = useQuery(queries.principal(rest));
  const granted = data?.permissions ?? [];
  const can = (permission: Permission): boolean => granted.includes(permission);
  return { can, why: (permission) => (can(permission) ? '' : `You lack the permission ${permission}.`) };
}
