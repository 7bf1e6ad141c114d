import { useQuery } from '@tanstack/react-query';
import { permissionsOf, type Permissions } from './permissions.ts';
import { queries } from './queries.ts';
import { useService } from './service.tsx';
import { asBoolean, usePreference } from './use-preference.ts';

/** Whether this browser only looks: a display on a wall, where a stray click must change nothing. */
export const useReadOnly = () => usePreference('read-only', false, asBoolean);

/** What the user may do: pages leave out, or turn off with the reason, what is not allowed. */
export function usePermissions(): Permissions {
  const { rest } = useService();
  const [isReadOnly] = useReadOnly();
  const { data } = useQuery(queries.principal(rest));
  return permissionsOf(data?.permissions ?? [], isReadOnly);
}
