import { useQuery } from '@tanstack/react-query';
import { Lock } from 'lucide-react';
import type { ReactNode } from 'react';
import { LinkButton } from '../parts/button.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { Page } from '../parts/page.tsx';
import type { Permission } from '../state/permissions.ts';
import { queries } from '../state/queries.ts';
import { useService } from '../state/service.tsx';

/** Shows a page only to users who may see it; others see the reason. The page loads before the permissions are known. */
export function PageGuard({ needs, children }: { needs: Permission | null; children: ReactNode }) {
  const { rest } = useService();
  const { data } = useQuery(queries.principal(rest));
  if (needs === null || data === undefined || data.permissions.includes(needs)) return children;
  return (
    <Page title="Not permitted">
      <EmptyState
        title="You may not see this page"
        icon={Lock}
        actions={<LinkButton href="/">Go to overview</LinkButton>}
      >
        {`It needs the permission ${needs}, which your role (${data.roles.join(', ')}) does not have.`}
      </EmptyState>
    </Page>
  );
}
