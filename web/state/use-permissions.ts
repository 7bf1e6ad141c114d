import { useQuery } from '@tanstack/react-query';
import { permissionsOf, type Permissions } from './permissions.ts';
import { queries } from './queries.ts';
import { useService } from './service.tsx';
import { asBoolean, usePreference } from './use-preference.ts';

/** Read-only mode of this browser, for example for a wall display. */
export const useReadOnly = () => usePreference('read-only', false, asBoolean);

/** Returns the permissions of the user. Pages hide what is not allowed, or disable it with the reason. */
export function usePermissions(): Permissions {
  const { rest } = useService();
  const [isReadOnly] = useReadOnly();
  const { data } = useQuery(queries.principal(rest));
  return permissionsOf(data?.permissions ?? [], isReadOnly);
}
